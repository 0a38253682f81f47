"""What is drift among the events of `pulumi preview --refresh`, and what `moka drift` says of it.

The events have the form that the engine's have; tests/local/test_delivery.py has the engine itself.
"""

import json
import sys

import pytest

from delivery.drift import from_data, stack_drift, status
from delivery.preview import Run
from tests.support.preview_texts import lines, root, streamed, summary

SUMMARY = summary()


def of_stack(name, old=True):
    metadata = {"op": "same", "urn": root(name)["urn"], "old": {} if old else None, "new": {}}
    return {"resourcePreEvent": {"metadata": metadata}}


STACK = of_stack("dev")


def refreshed(name, *, diff=None, new=True, op="refresh"):
    metadata = {
        "op": op,
        "urn": f"urn:pulumi:dev::moka::moka:aws:Bucket$aws:s3/bucket:Bucket::{name}",
        "old": {},
        "new": {} if new else None,
        "detailedDiff": diff,
    }
    return {"resOutputsEvent": {"metadata": metadata}}


ASKED = {"resourcePreEvent": refreshed("data")["resOutputsEvent"]}
TAGS = {"tags.team": {"diffKind": "update", "inputDiff": True}}


@pytest.fixture
def events(tmp_path):
    """A command that prints these events -> its words; simulated in place of the engine."""

    def command(*events, status=0):
        program = tmp_path / "events.py"
        program.write_text(f"print({lines(*events)!r})\nraise SystemExit({status})\n")
        return ["--", sys.executable, str(program)]

    return command


def test_what_was_changed_and_what_is_gone_is_drift_and_names_its_properties(moka, events):
    drifted = (STACK, refreshed("logs", diff=TAGS), refreshed("data", new=False), refreshed("calm", diff={}))

    result = moka("drift", "dev", *events(*drifted, SUMMARY))

    assert result.status == 1
    assert result.out.splitlines()[2:] == [
        "dev:",
        "",
        "- `aws:s3/bucket:Bucket logs` changed: tags.team",
        "- `aws:s3/bucket:Bucket data` is gone",
    ]


def test_what_the_program_would_change_is_no_drift(moka, events):
    pending = (STACK, refreshed("logs"), refreshed("logs", diff=TAGS, op="update"))

    result = moka("drift", "dev", *events(*pending, SUMMARY))

    assert (result.status, result.out) == (0, "Everything in dev is as it was deployed.\n")


@pytest.mark.parametrize(
    ("events_seen", "exit_status"),
    [
        ((STACK, refreshed("logs")), 0),
        ((STACK, refreshed("logs"), SUMMARY), 255),
        ((), 0),
        ((STACK, SUMMARY), 0),
        ((ASKED, STACK, refreshed("logs"), SUMMARY), 0),
        ((STACK, refreshed("logs"), {"oddEvent": {}}, SUMMARY), 0),
    ],
    ids=["cut off", "failed", "empty", "without a refresh", "without an answer", "of a newer engine"],
)
def test_a_run_without_a_good_end_is_never_taken_for_no_drift(moka, events, events_seen, exit_status):
    result = moka("drift", "dev", *events(*events_seen, status=exit_status))

    assert result.status == 2
    assert result.out.startswith(
        "Whether dev is as it was deployed is not known.\n\ndev could not be checked"
    )


def test_the_error_of_the_engine_is_the_reason(moka, events):
    error = {"diagnosticEvent": {"severity": "error", "message": "no credentials\n"}}

    result = moka("drift", "dev", *events(error, status=255))

    assert "dev could not be checked: no credentials\n" in result.out


def test_a_command_that_is_not_there_is_said(moka):
    result = moka("drift", "dev", "--", "no-such-program")

    assert result.status == 2
    assert result.err == "no-such-program cannot be run: No such file or directory.\n"


def test_a_file_has_all_that_was_seen(moka, events, tmp_path):
    file = tmp_path / "drift" / "dev.json"

    moka("drift", "dev", "--to", str(file), *events(STACK, refreshed("logs", diff=TAGS), SUMMARY))

    environment, [stack] = from_data(json.loads(file.read_text()))
    assert environment == "dev"
    assert [drift.properties for drift in stack.resources] == [("tags.team",)]


def test_a_preview_of_another_stack_tells_nothing(moka, events):
    result = moka("drift", "dev", *events(of_stack("prod.shared"), SUMMARY))

    assert result.status == 2
    assert "dev could not be checked: The preview of dev is of stack prod.shared: preview" in result.out


def test_where_nothing_is_deployed_there_is_no_drift(moka, events):
    assert moka("drift", "dev", *events(of_stack("dev", old=False), SUMMARY)).status == 0


def test_an_environment_is_known_only_if_each_of_its_stacks_is():
    text = streamed({**root("prod.shared"), "oldState": None, "newState": {}})
    calm = stack_drift(Run("prod.shared", 0, text))
    unknown = stack_drift(Run("prod.batch-a", 0, ""))

    assert status([calm]) == "none"
    assert status([calm, unknown]) == "unknown"
    assert status([]) == "unknown"
