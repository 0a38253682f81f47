"""What settings catch of wrong changes, as they are loaded."""

import pytest

from stacks import settings, slices
from tests.wrong_changes.in_previews import PREVIEWS, settings_of
from tests.wrong_changes.in_settings import CHANGES

LOCAL = settings.path_of("local").read_text()


def load(text):
    environment = settings.parse(text, "stacks/local.yaml")
    for name in environment.slices:
        slices.slice_named(environment, name)


def test_what_is_not_changed_is_taken():
    load(LOCAL)


@pytest.mark.parametrize("preview", PREVIEWS)
def test_what_previews_have_to_catch_settings_take(preview):
    load(settings_of(preview, LOCAL))


@pytest.mark.parametrize("wrong", CHANGES, ids=lambda wrong: f"{wrong.subject}: {wrong.change}")
def test_a_wrong_change_is_refused_with_what_is_wrong(wrong):
    with pytest.raises(settings.InvalidDocument) as refusal:
        load(wrong.changed(LOCAL))

    assert wrong.says in str(refusal.value)
