"""`moka preview` with a command in place of the engine, which tests/local/test_delivery.py has."""

import json
import sys
from xml.etree import ElementTree

import pytest

from moka import prices
from tests.support.preview_texts import root, step, streamed

BUCKET = "moka:aws:Bucket$aws:s3/bucket:Bucket"
CALM = streamed(root("dev"))
VIOLATION = {
    "resourceUrn": f"urn:pulumi:dev::moka::{BUCKET}::logs",
    "message": "The bucket can be made public.\n",
    "policyName": "buckets-not-public",
    "enforcementLevel": "mandatory",
}
FAILED = {"severity": "error", "message": "preview failed\n"}
REFUSED = streamed(root("dev"), policyEvent=VIOLATION, diagnosticEvent=FAILED)


@pytest.fixture
def preview(moka, tmp_path):
    """Preview a stack by a program's text -> the result."""

    def run(program, stack="dev"):
        file = tmp_path / "preview.py"
        file.write_text(program)
        return moka(
            "preview", stack, "--to", str(tmp_path / "to"), "--", sys.executable, str(file), "{stack}"
        )

    return run


def test_the_events_are_kept_and_what_else_is_printed_is_shown(preview, tmp_path):
    result = preview(f"import sys\nprint('Not decided: one', sys.argv[1])\nprint({CALM!r}, end='')")

    assert "Not decided: one dev\n" in result.err
    assert (tmp_path / "to" / "dev.json").read_text() == CALM


def test_what_is_said_for_who_debugs_is_not_kept_as_it_has_secrets_in_plain(preview, tmp_path):
    said = json.dumps({"diagnosticEvent": {"severity": "debug", "message": "props=hunter2"}})
    result = preview(f"print({said!r})\nprint({CALM!r}, end='')")

    assert (tmp_path / "to" / "dev.json").read_text() == CALM
    assert "hunter2" not in result.out + result.err


def test_a_violation_is_shown_and_the_preview_fails_with_a_report_and_its_events(preview, tmp_path):
    result = preview(f"print({REFUSED!r}, end='')\nraise SystemExit(255)")

    assert result.status == 255
    assert "buckets-not-public: logs: The bucket can be made public.\n" in result.err
    assert (tmp_path / "to" / "dev.json").read_text() == REFUSED
    assert "Policy `buckets-not-public` refuses it" in (tmp_path / "to" / "dev.md").read_text()


@pytest.mark.parametrize(
    ("printed", "sentence"),
    [
        (CALM.splitlines()[0], "The preview of dev has no summary, so the preview did not end or is cut off"),
        (CALM[:40], "The preview of dev ends within what begins at line 1, so it is cut off"),
        ("", "The preview of dev is empty"),
        (streamed(root("prod.shared")), "The preview of dev is of stack prod.shared: preview {stack}"),
    ],
)
def test_a_preview_that_tells_nothing_fails_and_a_reviewer_reads_why(preview, tmp_path, printed, sentence):
    result = preview(f"print({printed!r}, end='')")

    assert result.status == 1
    assert sentence in result.err
    text = (tmp_path / "to" / "dev.md").read_text()
    assert text.startswith("### dev: no report\n")
    assert f"    {sentence}" in text


def test_a_reviewer_reads_that_prices_are_broken(preview, tmp_path, monkeypatch):
    (tmp_path / "prices.json").write_text("{}")
    monkeypatch.setattr("report.subjects.cost.prices", lambda: prices.prices(tmp_path / "prices.json"))
    text = streamed(root("dev"), step("dev", "create", "foundation", "aws:kms/key:Key", "main"))

    result = preview(f"print({text!r}, end='')")

    assert result.status == 1
    assert "is no table of prices" in result.err
    assert "is no table of prices" in (tmp_path / "to" / "dev.md").read_text()


def test_errors_of_the_engine_are_shown_whole(preview, tmp_path):
    error = {"severity": "error", "message": "error: no such zone\n  in line 7\n"}
    text = streamed(root("dev"), diagnosticEvent=error)

    result = preview(f"print({text!r}, end='')\nraise SystemExit(255)")

    assert result.status == 255
    assert "error: no such zone\n  in line 7\n" in result.err
    assert "    error: no such zone\n      in line 7\n" in (tmp_path / "to" / "dev.md").read_text()


def test_what_changes_is_drawn_beside_the_report_which_links_it(preview, tmp_path):
    text = streamed(
        root("dev"),
        step("dev", "update", "foundation", BUCKET, "main-staging"),
        outputs={"foundation/main": ["moka:aws:Bucket::main-staging"]},
    )

    result = preview(f"print({text!r}, end='')")

    files = [tmp_path / "to" / f"dev.{ending}" for ending in ("json", "md", "svg")]
    assert result.out.splitlines() == [str(file) for file in files]
    assert "[dev.svg](dev.svg)" in files[1].read_text()
    assert "[~1]" in files[1].read_text()
    assert ElementTree.parse(files[2]).getroot().tag.endswith("svg")


def test_the_report_and_drawing_of_an_earlier_preview_do_not_stand(preview, tmp_path):
    (tmp_path / "to").mkdir()
    for ending in ("md", "svg"):
        (tmp_path / "to" / f"dev.{ending}").write_text("All is well.")

    preview("raise SystemExit(255)")

    assert "All is well." not in (tmp_path / "to" / "dev.md").read_text()
    assert not (tmp_path / "to" / "dev.svg").exists()


@pytest.mark.parametrize(
    ("stack", "reason"),
    [
        (
            "staging",
            "staging has several stacks: name one of staging.shared, staging.adhoc-a, staging.batch-a.",
        ),
        ("nowhere", "Environment 'nowhere' has no settings file"),
        ("prod.east", "stacks/prod.yaml names no slice 'east'"),
    ],
)
def test_what_is_no_stack_is_refused_before_anything_runs(preview, stack, reason):
    result = preview("raise SystemExit('ran')", stack)

    assert result.status == 1
    assert reason in result.err
    assert "ran" not in result.err
