"""Every rule lets ship what it should, refuses what it should, and takes whatever it is given."""

import datetime
import importlib
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from pulumi_policy import proxy

from policies import cluster
from policies.catalog import RULES, SUBJECTS
from policies.pack.charts import NotRendered
from policies.pack.configuration import Configuration
from policies.pack.evaluation import Evaluation
from policies.pack.marks import CONTENT, SECRET, SIGNATURE, UNKNOWNS
from policies.pack.objects import RELEASE
from policies.pack.resource import UNKNOWN, Resource, leaves
from policies.pack.wire import from_json
from tests.policies.cases.case import Case, a

CASES: list[Case] = [
    case
    for subject in SUBJECTS
    for case in importlib.import_module(f"tests.policies.cases.{subject.name}").CASES
]
PASSING = [case for case in CASES if not case.refused]
FAILING = [case for case in CASES if case.refused]
RULE = {rule.name: rule for rule in RULES}

NO_INPUTS = {"no-users", "data-protected"}
"""Rules on what a resource is, or how it is registered, whatever its inputs are."""

FOR_THE_PROGRAM = {"secrets-outside", "not-in-default-namespace"}
"""Rules on what the program writes: a chart's Secrets and namespaces are its release's."""

WRONG = (None, True, 7, -1.5, "", "text", [], [7], [None], {}, {"x": 7}, [[{}]])
"""One value of each type, and empty ones."""


@pytest.fixture(autouse=True)
def _same_day(monkeypatch):
    monkeypatch.setattr(cluster, "today", lambda: datetime.date(2026, 1, 22))


def named(case: Case) -> str:
    return f"{case.rule}-{'refused' if case.refused else 'let'}"


def every(cases):
    return pytest.mark.parametrize("case", cases, ids=named)


def evaluation(case: Case, objects=()) -> Evaluation:
    def render(release: Resource):
        if not case.chart:
            raise NotRendered("no such chart")
        return objects

    return Evaluation([RULE[case.rule]], Configuration({case.rule: case.parameters}), render)


def sentences(case: Case, resources=None, objects=()) -> list[str]:
    """What the rule of a case says of its resources, or of others in their place."""
    resources = case.resources if resources is None else resources
    judge = evaluation(case, objects)
    violations = [violation for resource in resources for violation in judge.violations(resource)]
    return [violation.sentence for violation in (*violations, *judge.stack_violations(resources))]


@every(PASSING)
def test_what_may_ship_is_let(case):
    assert not sentences(case)


@every(FAILING)
def test_what_must_not_ship_is_refused_with_what_to_do(case):
    refusals = sentences(case)

    assert refusals
    assert any(case.says in sentence for sentence in refusals), refusals
    for sentence in refusals:
        assert any(resource.object_name in sentence for resource in case.resources), sentence
        assert re.fullmatch(r"[A-Z].*: \S.*[^.]\.", sentence, re.DOTALL), sentence


def test_every_rule_has_a_case_that_passes_and_one_that_fails():
    assert {case.rule for case in PASSING} == set(RULE)
    assert {case.rule for case in FAILING} == set(RULE)


@every(CASES)
def test_a_case_is_for_what_its_rule_looks_at_and_sets_what_it_has(case):
    rule = RULE[case.rule]

    assert set(case.parameters) <= set(rule.parameters)
    assert case.rule in NO_INPUTS or any(rule.looks_at(resource.type) for resource in case.resources)


# What is not known yet.


@every(PASSING)
def test_a_value_that_is_not_known_yet_is_no_violation(case):
    for place, resources in changed(case, UNKNOWN):
        assert not sentences(case, resources), place


@every([case for case in FAILING if RULE[case.rule].check and case.rule not in NO_INPUTS and case.chart])
def test_a_resource_of_which_nothing_is_known_yet_is_no_violation(case):
    resources = [replace(resource, inputs=NothingKnown()) for resource in case.resources]

    assert not sentences(case, resources)


class NothingKnown(dict):
    """Inputs that are all there and not known yet."""

    def get(self, key: str, default: Any = None) -> Any:
        return UNKNOWN


# Whatever comes, no rule breaks.


@every(CASES)
def test_no_value_of_another_type_breaks_a_rule(case):
    for value in (UNKNOWN, *WRONG):
        for place, resources in changed(case, value):
            try:
                sentences(case, resources)
            except Exception as error:
                raise AssertionError(f"{place} = {value!r}") from error


def changed(case: Case, value: Any) -> Iterator[tuple[str, list[Resource]]]:
    """The resources of a case with one value in place of another, for every place within their inputs."""
    for index, resource in enumerate(case.resources):
        for place, inputs in replacements(dict(resource.inputs), value):
            if place:
                others = list(case.resources)
                others[index] = replace(resource, inputs=inputs)
                yield f"{resource.name}: {place}", others


def replacements(content: Any, value: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """Every place within something, texts of JSON included, and the whole with a value there."""
    yield place, value
    if isinstance(content, dict):
        for key, part in content.items():
            for inner, replaced in replacements(part, value, f"{place}.{key}"):
                yield inner, {**content, key: replaced}
    elif isinstance(content, list):
        for index, part in enumerate(content):
            for inner, replaced in replacements(part, value, f"{place}.{index}"):
                yield inner, [*content[:index], replaced, *content[index + 1 :]]
    elif (
        isinstance(content, str)
        and content.startswith("{")
        and content.endswith("}")
        and value is not UNKNOWN
    ):
        for inner, replaced in replacements(json.loads(content), value, f"{place}(json)"):
            yield inner, json.dumps(replaced)


# Inside a chart.


@every(
    [
        case
        for case in FAILING
        if RULE[case.rule].check
        and case.rule not in FOR_THE_PROGRAM
        and all(r.type.startswith("kubernetes:") and r.type != RELEASE for r in case.resources)
    ]
)
def test_what_must_not_ship_is_refused_inside_a_chart_too(case):
    [resource] = case.resources
    version, _, kind = resource.type.removeprefix("kubernetes:").partition(":")
    inside = {"apiVersion": version.removeprefix("core/"), "kind": kind, **resource.inputs}
    release = a(RELEASE, {"chart": "oci://registry.example/charts/tool", "namespace": "tools"}, "tool")

    refusals = sentences(case, [release], [inside])

    assert refusals
    for sentence in refusals:
        assert "of chart tool" in sentence


# Corrections.


CORRECTED = [case for case in CASES if RULE[case.rule].correction]


def corrected(case: Case, inputs: dict[str, Any]) -> dict[str, Any]:
    """Inputs as the engine has them, corrected by the rule of a case where that does not let them through."""
    [resource] = case.resources
    judged = replace(resource, inputs=from_json(inputs))
    return dict(evaluation(case).corrected(RULE[case.rule], judged, inputs))


def refusals_of(case: Case, inputs: dict[str, Any]) -> list[str]:
    """What the rule of a case says of inputs as the engine has them."""
    return sentences(case, [replace(case.resources[0], inputs=from_json(inputs))])


@every(CORRECTED)
def test_a_correction_makes_right_what_is_wrong_and_leaves_what_is_right(case):
    before = dict(case.resources[0].inputs)
    after = corrected(case, before)

    assert not refusals_of(case, after)
    assert case.refused or after == before
    assert not refusals_of(
        case, RULE[case.rule].correction(before, {**RULE[case.rule].parameters, **case.parameters})
    )


@every(CORRECTED)
def test_a_correction_keeps_secret_what_is_secret(case):
    before = {name: {SIGNATURE: SECRET, CONTENT: value} for name, value in case.resources[0].inputs.items()}
    after = corrected(case, before)

    assert not refusals_of(case, after)
    assert all(after[name][SIGNATURE] == SECRET for name in after if name in before)


@every(CORRECTED)
def test_a_correction_leaves_what_is_not_known_yet(case):
    unknown = min(UNKNOWNS)
    for place, before in replacements({"other": "x", **case.resources[0].inputs}, unknown):
        if place:
            after = corrected(case, before)
            whole = [name for name in before if name not in after]
            assert unknown in [text for _, text in leaves(after)] or place.split(".")[1] in whole, place


def test_what_is_not_known_is_marked_as_the_engine_does():
    names = {value for name, value in vars(proxy).items() if name.startswith("UNKNOWN_")}

    assert names == UNKNOWNS
