"""Reports on previews of real changes, as a reviewer reads them.

tests/support/previews.py records the previews, tests/support/snapshots.py what is said of them.
"""

import pytest

from previews import read
from tests.support.previews import CHANGES
from tests.support.snapshots import REPORTED, file, markdown, recorded


@pytest.mark.parametrize("name", REPORTED)
def test_a_report_says_what_it_said(name):
    assert markdown(name) == file(name).read_text(), "on purpose? python -m tests.support.snapshots"


@pytest.mark.parametrize("name", REPORTED)
def test_a_report_is_of_the_changes_own_stack(name):
    assert read(recorded(name)).stack == CHANGES[name].stack


VERDICTS = {
    "nothing": "Nothing of note",
    "unprotected": "Do not merge",
    "renamed": "Do not merge",
    "public": "Do not merge",
    "namespaces": "Do not merge",
}


@pytest.mark.parametrize("name", REPORTED)
def test_the_verdict_comes_first(name):
    verdict = VERDICTS.get(name, "Look at it")

    assert f"{verdict}: `{CHANGES[name].stack}`" in markdown(name).splitlines()[0]
