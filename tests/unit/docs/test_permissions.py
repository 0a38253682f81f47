"""What commands take of AWS, as pages list it: whoever gives them that must not be refused on the way."""

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

import botocore.loaders
import pytest
from botocore import xform_name

from doctor.account import PERMISSION_PREFIXES
from localcloud.cloud import REPOSITORY
from tests.support.documented import in_one_line

NOT_THE_OPERATION = {"s3:HeadBucket": "s3:ListBucket"}
"""Operation -> the action that it takes, where that has another name
(https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadBucket.html)."""

FREE = {"sts:GetCallerIdentity"}
"""https://docs.aws.amazon.com/STS/latest/APIReference/API_GetCallerIdentity.html"""

PREFIXES = {**PERMISSION_PREFIXES, "resourcegroupstaggingapi": "tag"}

CALL = r'"([a-z0-9-]+)",\s*"((?:batch_get|describe|get|head|list|simulate|terminate|update)_[a-z_]+)"'
"""A service and a method of boto3's, as they stand beside each other in `account.ask` and its like."""

LEFTOVERS = REPOSITORY / "doctor" / "leftovers.py"
LOG_GROUPS = REPOSITORY / "doctor" / "log_groups.py"


@cache
def operations(service: str) -> dict[str, str]:
    """boto3's name of an operation of a service -> AWS's own."""
    model = botocore.loaders.Loader().load_service_model(service, "service-2")
    return {xform_name(name): name for name in model["operations"]}


def actions(source: Path) -> Iterator[str]:
    """Actions of IAM that what a module asks of AWS takes."""
    for service, method in re.findall(CALL, source.read_text()):
        action = f"{PREFIXES.get(service, service)}:{operations(service)[method]}"
        if action not in FREE:
            yield NOT_THE_OPERATION.get(action, action)


def granted(page: str, begin: str, end: str) -> set[str]:
    """Patterns of actions in a sentence of a page; `List*` is of the service before it."""
    text = in_one_line((REPOSITORY / page).read_text())
    listed = text.partition(begin)[2].partition(end)[0]
    service, found = "", set()
    for name in re.findall(r"`([\w:*-]+)`", listed):
        service, action = name.split(":") if ":" in name else (service, name)
        found.add(f"{service}:{action}")
    return found


@pytest.mark.parametrize(
    ("page", "begin", "end", "modules"),
    [
        (
            "docs/operations/doctor.md",
            "All of it takes ",
            "; AWS's",
            sorted({*(REPOSITORY / "doctor").rglob("*.py")} - {LEFTOVERS}),
        ),
        ("docs/operations/teardown.md", "It takes ", "; AWS's", [LEFTOVERS, LOG_GROUPS]),
        (
            "docs/operations/node-groups.md",
            "It takes credentials with ",
            ", and rights",
            [REPOSITORY / "commands" / "machines_api.py", REPOSITORY / "doctor" / "scaling_groups.py"],
        ),
    ],
)
def test_what_is_asked_of_aws_is_what_the_page_says_it_takes(page, begin, end, modules):
    asked = {action for module in modules for action in actions(module)}
    patterns = granted(page, begin, end)

    assert len(asked) > 1
    assert {
        action for action in asked if not any(fnmatchcase(action, pattern) for pattern in patterns)
    } == set()
    assert {
        pattern for pattern in patterns if not any(fnmatchcase(action, pattern) for action in asked)
    } == set()
