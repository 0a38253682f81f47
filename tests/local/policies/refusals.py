"""Which rules refuse a preview."""

import re

from tests.local.policies.broken import BROKEN

VIOLATION = re.compile(r"\[mandatory\]\s+([\w-]+)\s")


def refused_by(result):
    """Names of the mandatory rules that a preview breaks."""
    return set(VIOLATION.findall(result.stdout))


def assert_refused_by_its_rule_only(previewed, name):
    """An environment that is broken in one way is refused by the rule that is for it."""
    result = previewed(BROKEN[name].stack, BROKEN=name)

    assert refused_by(result) == {BROKEN[name].rule}, result.stdout[-3000:] + result.stderr
    assert result.returncode != 0


def assert_may_ship(result):
    """A preview that no policy refuses."""
    assert result.returncode == 0, result.stdout[-3000:] + result.stderr
    assert not refused_by(result)
