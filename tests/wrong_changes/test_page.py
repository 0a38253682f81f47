"""The page of wrong changes is what the tables say, and its rules are rules."""

from policies.catalog import RULES
from tests.wrong_changes import in_previews, in_settings
from tests.wrong_changes.page import FILE, page


def test_the_page_is_current():
    assert FILE.read_text() == page(), "make it anew: python -m tests.wrong_changes.page"


def test_policies_that_are_to_catch_something_are_there():
    names = {rule.name for rule in RULES}

    assert {wrong.says for wrong in in_previews.POLICIES} <= names


def test_a_change_is_in_the_tables_once():
    changes = [(wrong.subject, wrong.change) for wrong in [*in_settings.CHANGES, *in_previews.CHANGES]]

    assert len(set(changes)) == len(changes)
