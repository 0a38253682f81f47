"""docs/wrong-changes.md, from the tables: `python -m tests.wrong_changes.page`."""

from pathlib import Path

from tests.wrong_changes import in_previews, in_settings
from tests.wrong_changes.change import Wrong

FILE = Path(__file__).resolve().parents[2] / "docs" / "wrong-changes.md"

HEAD = """# What is caught where

A change that must not ship meets three things on its way, each before anything is changed:

| what | when | what it says |
| --- | --- | --- |
| [settings](settings.md) | as a settings file is loaded | all that is wrong, where, what would be right |
| [policies](policies.md) | at `preview` and `up` with `--policy-pack policies` | rule, resource, what to do |
| [the report](review.md) | on a preview, for a reviewer | what is lost, opens, stops or costs |

What one lets pass because it may be right (fewer days of logs, a group that is smaller, a right less) the
report tells of, and whatever no subject of it judges it leaves to the reviewer by name. It calls a change
`Nothing of note` only where a table says that nobody has to look at it.

These are kinds of wrong changes and what each is caught by. Tests make every one of them: those of settings
as a file is loaded, all others in previews of `local` by the real engine. This page is made by
`python -m tests.wrong_changes.page`.

| about | wrong change | caught by | which says |
| --- | --- | --- | --- |
"""


def page() -> str:
    """The page as it should be."""
    return HEAD + "".join(map(_row, [*in_settings.CHANGES, *in_previews.CHANGES]))


def _row(wrong: Wrong) -> str:
    says = f"`{wrong.says}`" if wrong.caught == "policy" else wrong.says.replace("|", "\\|")
    by = {"settings": "settings", "policy": "a policy", "report": "the report"}[wrong.caught]
    return f"| {wrong.subject} | {wrong.change} | {by} | {says} |\n"


if __name__ == "__main__":
    FILE.write_text(page())
