"""What is said of the rules: what holds, why, and what that rests on."""

import re
from pathlib import Path
from typing import get_args
from urllib.parse import urlparse

import pytest

from policies.benchmarks import CONTROLS
from policies.catalog import RULES
from policies.pack.rule import Severity

ROOT = Path(__file__).resolve().parents[2]

BENCHMARK = frozenset(
    f"{section}.{number}"
    for section, last in {
        "2.1": 2,
        "3.1": 4,
        "3.2": 9,
        "4.1": 8,
        "4.2": 5,
        "4.3": 2,
        "4.4": 2,
        "4.5": 2,
        "5.1": 4,
        "5.2": 1,
        "5.3": 1,
        "5.4": 5,
        "5.5": 1,
    }.items()
    for number in range(1, last + 1)
)
"""Of the CIS EKS benchmark 1.7.0, as aquasecurity/kube-bench has it: cfg/eks-1.7.0/."""


def test_the_table_of_controls_has_all_of_the_benchmark():
    assert {control for control in CONTROLS if control.startswith("CIS")} == {f"CIS {n}" for n in BENCHMARK}


def each_rule():
    return pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)


@each_rule()
def test_a_rule_says_in_a_sentence_what_holds_and_why(rule):
    assert re.fullmatch(r"[A-Z][^.]*[^.]\.", rule.title), rule.title
    assert re.fullmatch(r"[A-Z`].*[^.]\.", rule.rationale), rule.rationale
    assert rule.severity in get_args(Severity)


@each_rule()
def test_a_rule_names_what_it_rests_on(rule):
    assert rule.references
    for reference in rule.references:
        section = re.fullmatch(r"CIS (\d+\.\d+\.\d+)", reference)
        if section:
            assert section[1] in BENCHMARK
        elif reference.startswith("https://"):
            assert urlparse(reference).hostname
        elif not re.fullmatch(r"[\w-]+/[\w.-]+#\d+", reference):
            assert (ROOT / reference).is_file(), reference


def test_a_rule_has_a_name_of_its_own():
    names = [rule.name for rule in RULES]

    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", name) for name in names)


@each_rule()
def test_a_rule_judges_a_resource_or_a_stack(rule):
    assert (rule.check is None) != (rule.stack_check is None)
    assert rule.types
