"""What is read of a preview, in both of its forms, and which files are none."""

import json

import pytest

from previews import UnreadablePreview, read
from tests.support.preview_texts import lines, printed, root, step, streamed, summary
from tests.support.snapshots import recorded

DIGEST, STREAM = recorded("new"), recorded("queues")
BUCKET = "moka:aws:Bucket$aws:s3/bucket:Bucket"
CREATED = step("local", "create", "foundation", BUCKET, "main-staging")
ERROR = {"severity": "error", "message": "error: no such subnet\nwith more lines"}
REFUSED = {"severity": "error", "message": "error: preview failed\n"}
VIOLATION = {
    "policyName": "no-x",
    "policyPackName": "moka",
    "enforcementLevel": "mandatory",
    "message": "x\nis here",
    "resourceUrn": "urn:pulumi:local::moka::a:b:C::logs",
}


def digest(**changes: object) -> str:
    """The recorded document with other members; `...` takes one away."""
    document = {**json.loads(DIGEST), **changes}
    return json.dumps({key: value for key, value in document.items() if value is not ...})


STEPS = json.loads(DIGEST)["steps"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "is empty: look at what pulumi wrote to stderr"),
        (" \n\n", "is empty"),
        (b"\xff\xfe", "is no text in UTF-8"),
        ("Previewing update (prod):\n", "is not JSON at line 1"),
        (f"{STREAM}Not decided: one\n", f"is not JSON at line {STREAM.count(chr(10)) + 1}"),
        ("[" * 100_000, "is not JSON at line 1"),
        ('{"steps": ' + "1" * 5_000 + "}", "is not JSON at line 1"),
        ("[]", "is JSON, and no preview"),
        ("3", "is JSON, and no preview"),
        ("{}", "neither `steps` nor `changeSummary`"),
        ('{"version": 3, "deployment": {"resources": []}}', "neither `steps` nor `changeSummary`"),
        (f"{STREAM}[]", "is JSON, and no preview"),
        (DIGEST[: len(DIGEST) // 2], "ends within what begins at line 1, so it is cut off"),
        (DIGEST[:-3], "so it is cut off"),
        (STREAM[: len(STREAM) // 2], "so it is cut off"),
        (streamed(root("local"), CREATED).rpartition("\n{")[0], "has no summary, so the preview did not end"),
        (digest(changeSummary=...), "has no summary"),
        (digest(changeSummary=None), "has no summary"),
        (lines(summary()), "has no step of the stack itself"),
        (digest(steps=[]), "has no step of the stack itself"),
        (digest(steps=...), "has no step of the stack itself"),
        (printed(CREATED), "has no step of the stack itself"),
        (digest(steps=STEPS[:40]), f"has 40 of {len(STEPS)} steps to create, so it is cut off"),
        (streamed(root("local"), **summary(update=9)), "has 0 of 9 steps to update, so it is cut off"),
        (
            streamed(root("local"), policyAnalyzeSummaryEvent={"failed": ["no-x"]}),
            "does not have what policy no-x says, so it is cut off",
        ),
        (
            streamed({**root("local"), "op": "refresh"}, root("local"), CREATED).replace(
                '"resOutputsEvent"', '"progressEvent"'
            ),
            "does not say what the refresh of",
        ),
        (digest(steps=[{"op": "create"}, *STEPS]), "steps.0.urn (Field required)"),
        (digest(steps=[{**CREATED, "urn": "urn:other"}]), "steps.0.urn (String should match"),
        (digest(steps=[{**CREATED, "urn": f"{CREATED['urn']}\x1b[2J"}]), "cannot be printed"),
        (digest(steps={"0": 1}), "steps (Input should be a valid list)"),
        (digest(changeSummary={"create": "2"}), "changeSummary.create (Input should be a valid integer)"),
        (streamed(root("local"), diagnosticEvent={"message": 7}), "line 3: diagnosticEvent.message"),
        (printed(root("local"), {**CREATED, "newState": None}), "says neither how that is nor how"),
        (printed(root("local"), {**CREATED, "op": "teleport"}), "operation 'teleport' for urn:pulumi:local"),
        (streamed(root("local"), thoughtEvent={}), "event 'thoughtEvent' at line 3, which is not known here"),
        (streamed(root("local"), policyEvent={**VIOLATION, "enforcementLevel": "fatal"}), "level 'fatal'"),
        (
            printed(root("local"), root("prod.shared")),
            "steps of local of moka, prod.shared of moka: give",
        ),
        (f"{printed(root('local'))}\n{printed(root('local'))}", "has 2 documents: give a file for each"),
        (streamed(root("local"), **summary()) + STREAM, "has 2 previews: give a file for each preview"),
        (digest(diagnostics=[ERROR]), "failed: no such subnet with more lines; correct that"),
        (digest(diagnostics=[ERROR, ERROR]), "failed: no such subnet with more lines (and 1 more)"),
        (digest(diagnostics=[REFUSED]), "failed and does not say why, as where a policy refuses"),
        (digest(maybeCorrupt=True), "may be corrupt"),
        (streamed(root("local"), diagnosticEvent=ERROR), "failed: no such subnet"),
        (streamed(root("local"), diagnosticEvent=REFUSED), "failed: preview failed"),
        (streamed(root("local"), errorEvent={"error": "out of memory"}), "failed: out of memory"),
        (
            streamed(root("local"), resOpFailedEvent={"metadata": {"op": "create", "urn": CREATED["urn"]}}),
            f"failed: {CREATED['urn']}",
        ),
        (streamed(root("local"), summaryEvent={"isPreview": False}), "is of an `up`, `destroy` or `refresh`"),
        (streamed(root("local"), summaryEvent={"isPreview": True, "maybeCorrupt": True}), "may be corrupt"),
        (recorded("refused"), 'before hook "batch-a-same-machines" failed'),
    ],
)
def test_what_is_no_whole_preview_is_refused_in_a_sentence(text, sentence):
    with pytest.raises(UnreadablePreview) as error:
        read(text, "p.json")

    message = str(error.value)
    assert sentence in message
    assert message.startswith("p.json ")
    assert message.isprintable()
    assert message.endswith(".")
    assert len(message) < 600


def test_both_forms_have_the_same_steps():
    steps = [root("local"), CREATED, step("local", "delete", "foundation", BUCKET, "main-old")]
    of_document, of_stream = read(printed(*steps)), read(streamed(*steps))

    assert [(one.op, one.urn) for one in of_document.steps] == [(one.op, one.urn) for one in of_stream.steps]
    assert (
        (of_document.stack, of_document.project) == (of_stream.stack, of_stream.project) == ("local", "moka")
    )


def test_what_the_engine_does_for_a_replacement_is_one_step():
    steps = [
        step("local", op, "foundation", BUCKET, "main-logs", replaceReasons=["bucket"])
        for op in ("create-replacement", "replace", "delete-replaced")
    ]

    preview = read(printed(root("local"), *steps, changeSummary={"replace": 1}))

    assert [(change.op, change.forces) for change in preview.changes] == [("replace", ("bucket",))]


def test_a_preview_that_policies_refuse_is_read_with_what_they_say():
    preview = read(streamed(root("local"), policyEvent=VIOLATION, diagnosticEvent=REFUSED))

    assert preview.refusals == ("no-x: logs: x is here",)


def test_what_failed_otherwise_is_refused_with_all_that_is_wrong_whole():
    with pytest.raises(UnreadablePreview) as error:
        read(streamed(root("local"), policyEvent=VIOLATION, diagnosticEvent=ERROR))

    assert error.value.errors == ("error: no such subnet\nwith more lines", "no-x: logs: x is here")


def test_the_outputs_of_the_stack_are_those_at_its_end():
    preview = read(streamed(root("local", "logs/spark-a"), outputs={"spark/spark-a": ["a"]}))

    assert preview.root.old.outputs.keys() == {"logs/spark-a"}
    assert preview.root.new.outputs == {"spark/spark-a": {"resources": ["a"]}}


def test_a_refresh_says_what_differs_and_what_is_gone():
    stack = {**root("local"), "newState": {}}
    ended = [
        {
            "op": "refresh",
            "urn": CREATED["urn"],
            "new": {},
            "detailedDiff": {"tags.team": {}},
        },
        {"op": "refresh", "urn": stack["urn"], "old": {}, "new": None},
    ]
    text = streamed(stack) + "".join(lines({"resOutputsEvent": {"metadata": one}}) for one in ended)

    assert [(one.changed, one.gone) for one in read(text).refreshed] == [(("tags.team",), False), ((), True)]
    assert read(printed(stack)).refreshed is None


def test_an_objects_name_stays_known_where_it_is_made_anew():
    unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
    kind = "kubernetes:networking.k8s.io/v1:NetworkPolicy"
    policy = {
        "op": "replace",
        "urn": f"urn:pulumi:prod::moka::{kind}::deny",
        "oldState": {"custom": True, "inputs": {"metadata": {"namespace": "jobs"}}},
        "newState": {"custom": True, "inputs": {"metadata": {"namespace": unknown}}},
    }

    preview = read(printed(root("prod"), policy))

    assert preview.by_urn[policy["urn"]].new.inputs["metadata"] == {"namespace": "jobs"}


def test_warnings_are_no_failure():
    warning = {"severity": "warning", "message": "warning: unknown inputs"}

    assert read(printed(root("local"), diagnostics=[warning])).warnings == ("warning: unknown inputs",)
    assert read(streamed(root("local"), diagnosticEvent=warning)).warnings == ("warning: unknown inputs",)
