"""What the API server refuses of jobs, by their size and by the queues that they name: what of it changes."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from moka.names import JOB_SIZE, QUEUE_CLAIMS
from previews import State, Step
from previews.values import at, mapping, number, sequence, text
from report.model import Finding
from report.words import code, count, listing

POLICY = "kubernetes:admissionregistration.k8s.io/v1:ValidatingAdmissionPolicy"


def _executors(most: object) -> str:
    bound = number(most)
    return "any number of executors" if bound is None else count(bound, "executor")


def _queues(patterns: object) -> str:
    return listing(map(code, sequence(patterns)), 8) or "any queue"


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A policy with a table of namespaces.

    variable: whose expression begins with the table. who, may: of a namespace's jobs. words: for its entry.
    refused: what follows; free: what follows where it has no entry any more.
    """

    variable: str
    who: str
    may: str
    words: Callable[[object], str]
    refused: str
    free: str


RULES = {
    JOB_SIZE: Rule(
        variable="most",
        who="A job",
        may="ask for",
        words=_executors,
        refused="what asks for more is refused",
        free="nothing refuses more",
    ),
    QUEUE_CLAIMS: Rule(
        variable="allowed",
        who="Jobs",
        may="name",
        words=_queues,
        refused="what names another is refused",
        free="nothing refuses another",
    ),
}
"""Name of a policy -> what it says of jobs."""


def refusals(step: Step) -> Iterator[Finding]:
    """What jobs may ask for in their namespace, where that changes."""
    if step.old is None or step.new is None:
        return
    rule = RULES.get(text(at(step.new.inputs, "metadata.name")))
    if rule is None:
        return
    for namespace, before, after in _changes(step.old, step.new, rule.variable):
        words = f"{rule.words(before)} → {rule.words(after)}"
        follows = rule.free if after is None else rule.refused
        sentence = f"{rule.who} in namespace {code(namespace)} may {rule.may} {words}: {follows}."
        yield Finding(weight="look", says=sentence)


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
