"""Environments that are broken are refused by the rules that are for it, and what is not broken by none."""

import json

import pytest

from localcloud.cloud import REPOSITORY
from tests.local.policies.broken import BROKEN
from tests.local.policies.refusals import assert_may_ship, violations

AT_LAPTOP = json.loads((REPOSITORY / "policies" / "laptop.json").read_text())
"""Rules that only warn on the laptop."""


def test_prod_may_ship_as_it_is(previewed, with_foundation):
    assert_may_ship(previewed(with_foundation("prod.batch-a")))


@pytest.mark.parametrize("stack", sorted({entry.stack for entry in BROKEN.values()}))
def test_each_broken_resource_is_named_by_the_rule_for_it_and_no_other_resource_is(
    previewed, tmp_path, stack
):
    broken = {name: entry for name, entry in BROKEN.items() if entry.stack == stack}
    rules = {entry.rule for entry in broken.values()}
    # A mandatory rule that is broken ends the preview before most of it is there.
    levels = tmp_path / "levels.json"
    levels.write_text(json.dumps(dict.fromkeys({*rules, *AT_LAPTOP}, "advisory")))

    result = previewed(stack, config=levels, BROKEN=",".join(broken))

    warnings = {violation for violation in violations(result, "advisory") if violation[0] in rules}
    assert warnings == {(entry.rule, entry.named or entry.resource) for entry in broken.values()}
    assert not violations(result)
    assert result.returncode == 0, result.stdout[-3000:] + result.stderr


def test_what_is_broken_may_not_ship(previewed):
    result = previewed("staging.shared", BROKEN="data that can be deleted")

    assert result.returncode != 0
    assert violations(result) == {("data-protected", "Bucket::main-event-logs")}, result.stdout
