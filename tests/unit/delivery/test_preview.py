"""`moka preview` with a command in place of the engine, which tests/local/test_delivery.py has."""

import json
import sys

import pytest

SUMMARY = {"sequence": 1, "summaryEvent": {}}
VIOLATION = {
    "sequence": 0,
    "policyEvent": {
        "resourceUrn": "urn:pulumi:dev::moka::aws:s3/bucket:Bucket::logs",
        "message": "The bucket can be made public.\n",
        "policyName": "buckets-not-public",
        "enforcementLevel": "mandatory",
    },
}


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
    result = preview(f"import sys\nprint('Not decided: one', sys.argv[1])\nprint({json.dumps(SUMMARY)!r})")

    assert "Not decided: one dev\n" in result.err
    assert [json.loads(line) for line in (tmp_path / "to" / "dev.json").open()] == [SUMMARY]


def test_a_violation_is_shown_and_the_preview_fails_with_its_events_kept(preview, tmp_path):
    result = preview(f"print({json.dumps(VIOLATION)!r})\nraise SystemExit(255)")

    assert result.status == 255
    assert "buckets-not-public: logs: The bucket can be made public.\n" in result.err
    assert json.loads((tmp_path / "to" / "dev.json").read_text()) == VIOLATION


def test_a_preview_without_an_end_fails(preview):
    result = preview("print('{\"sequence\": 0}')")

    assert result.status == 1
    assert "The preview of dev has no end: nothing is known of what `up` would do.\n" in result.err


def test_the_report_of_an_earlier_preview_does_not_stand(preview, tmp_path):
    (tmp_path / "to").mkdir()
    (tmp_path / "to" / "dev.md").write_text("All is well.")

    preview("raise SystemExit(255)")

    assert "All is well." not in (tmp_path / "to" / "dev.md").read_text()


def test_a_reviewer_reads_why_there_is_no_report(preview, tmp_path):
    preview(f"print({json.dumps(VIOLATION)!r})\nraise SystemExit(255)")

    text = (tmp_path / "to" / "dev.md").read_text()
    assert "Its preview failed with status 255." in text
    assert "    buckets-not-public: logs: The bucket can be made public.\n" in text


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
