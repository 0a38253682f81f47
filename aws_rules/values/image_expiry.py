"""Lifecycle policies of ECR: which images expire."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from aws_rules.rule import Rule
from aws_rules.values.request import Request, ValueVerdict

RULE = Rule(
    name="image-lifecycles",
    authority="AWS",
    decides="which rules of a repository's lifecycle fit each other",
    source="https://docs.aws.amazon.com/AmazonECR/latest/userguide/lifecycle_policy_parameters.html",
)

RULES = (RULE,)

_REFUSAL = (
    "Invalid parameter at 'LifecyclePolicyText' failed to satisfy constraint: 'Lifecycle policy validation "
    "failure: {}'"
)
BY_AGE = ("sinceImagePushed", "sinceImagePulled", "sinceImageTransitioned")
"""Values of countType that count days, and so have a countUnit."""


def lifecycle(request: Request) -> Iterator[ValueVerdict]:
    """The lifecycle policy of a repository; what its schema refuses is left to that."""
    try:
        rules = json.loads(request.value_at("lifecyclePolicyText") or "{}").get("rules")
    except (ValueError, TypeError, AttributeError):
        return
    for fault, remedy in _faults([rule for rule in rules or () if isinstance(rule, Mapping)]):
        path = ("lifecyclePolicyText",)
        yield request.misfit(RULE, path, "InvalidParameterException", _REFUSAL.format(fault), remedy)


def _faults(rules: list[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """What is wrong, and what to do."""
    priorities = [rule.get("rulePriority") for rule in rules]
    for number in sorted({number for number in priorities if isinstance(number, int)}):
        if number < 1:
            yield f"rulePriority {number} is not 1 or more", "count from 1"
        if priorities.count(number) > 1:
            yield f"rulePriority {number} is not unique", "give each rule a number of its own"
    for rule in rules:
        priority, selection = rule.get("rulePriority"), rule.get("selection")
        if not isinstance(selection, Mapping):
            continue
        status, by_age = selection.get("tagStatus"), selection.get("countType") in BY_AGE
        tags = selection.get("tagPrefixList") or selection.get("tagPatternList")
        if status == "tagged" and not tags:
            yield (
                f"rule {priority} with tagStatus tagged has no tagPrefixList and no tagPatternList",
                "list some, such as *",
            )
        if status != "tagged" and tags:
            yield f"rule {priority} lists tags, and its tagStatus is {status}", "leave the list out"
        if by_age != ("countUnit" in selection):
            yield (
                f"rule {priority} has countType {selection.get('countType')} and "
                f"{'no' if by_age else 'a'} countUnit",
                'add `"countUnit": "days"`' if by_age else "leave countUnit out",
            )
        highest = max((number for number in priorities if isinstance(number, int)), default=0)
        if status == "any" and priority != highest:
            yield (
                f"rule {priority} with tagStatus any does not have the highest rulePriority",
                f"give it a number above {highest}",
            )
