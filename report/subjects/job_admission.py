"""What the API server refuses of jobs, by their size and by the queues that they name: what of it changes."""

import json
from collections.abc import Iterator
from typing import Any

from moka.names import JOB_SIZE, QUEUE_CLAIMS
from previews import State, Step
from previews.values import at, mapping, number, sequence, text
from report.model import Finding
from report.words import code, count, listing

POLICY = "kubernetes:admissionregistration.k8s.io/v1:ValidatingAdmissionPolicy"


def refusals(step: Step) -> Iterator[Finding]:
    """What jobs may ask for in their namespace, where that changes."""
    if step.old is None or step.new is None:
        return
    policy = at(step.new.inputs, "metadata.name")
    if policy == JOB_SIZE:
        for namespace, before, after in _changes(step.old, step.new, "most"):
            executors = f"{_executors(before)} → {_executors(after)}"
            follows = "nothing refuses more" if after is None else "what asks for more is refused"
            sentence = f"A job in namespace {code(namespace)} may ask for {executors}: {follows}."
            yield Finding(weight="look", says=sentence)
    elif policy == QUEUE_CLAIMS:
        for namespace, before, after in _changes(step.old, step.new, "allowed"):
            queues = f"{_queues(before)} → {_queues(after)}"
            follows = "nothing refuses another" if after is None else "what names another is refused"
            sentence = f"Jobs in namespace {code(namespace)} may name {queues}: {follows}."
            yield Finding(weight="look", says=sentence)


def _executors(most: object) -> str:
    bound = number(most)
    return "any number of executors" if bound is None else count(bound, "executor")


def _queues(patterns: object) -> str:
    return listing(map(code, sequence(patterns)), 8) or "any queue"


def _changes(old: State, new: State, variable: str) -> Iterator[tuple[str, Any, Any]]:
    before, after = _by_namespace(old, variable), _by_namespace(new, variable)
    for namespace in {**before, **after}:
        if before.get(namespace) != after.get(namespace):
            yield namespace, before.get(namespace), after.get(namespace)


def _by_namespace(state: State, variable: str) -> dict[str, Any]:
    """The table of namespaces that a variable's expression begins with; empty where it has none."""
    for entry in sequence(at(state.inputs, "spec.variables")):
        if at(entry, "name") == variable:
            try:
                table, _ = json.JSONDecoder().raw_decode(text(at(entry, "expression")))
            except ValueError:
                return {}
            return dict(mapping(table))
    return {}
