import json

import pytest

from report.preview import UnreadablePreview, read
from tests.support.snapshots import recorded

DIGEST, STREAM = recorded("new"), recorded("queues")


def lines(*, without: str = "", **added: object) -> str:
    """The stream, without events of a kind, and with others at its end."""
    kept = [line for line in STREAM.splitlines() if not without or f'"{without}"' not in line]
    return "\n".join([*kept, *[json.dumps({"sequence": 0, "timestamp": 0, **added})]])


def digest(**changes: object) -> str:
    document = {**json.loads(DIGEST), **changes}
    return json.dumps({key: value for key, value in document.items() if value is not ...})


def event(name: str, **members: object) -> dict[str, object]:
    return {name: members}


ERROR = {"severity": "error", "message": "error: no such subnet\n"}
STEPS = json.loads(DIGEST)["steps"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "is empty"),
        (" \n\n", "is empty"),
        ("Previewing update (prod):\n", "is not JSON at line 1"),
        ("[]", "is JSON, and no preview"),
        ("{}", "neither `steps` nor `changeSummary`"),
        ('{"version": 3, "deployment": {"resources": []}}', "neither `steps` nor `changeSummary`"),
        ("3", "is JSON, and no preview"),
        (DIGEST[: len(DIGEST) // 2], "is cut off at line"),
        (DIGEST[:-3], "is cut off at line"),
        (STREAM[: len(STREAM) // 2], "is cut off at line"),
        ("\n".join(STREAM.splitlines()[:-1]), "has no summary"),
        (lines(without="resourcePreEvent"), "has no step"),
        (digest(steps=[]), "has no step"),
        (digest(steps=...), "has no step"),
        (digest(changeSummary=...), "has no summary"),
        (digest(changeSummary=None), "has no summary"),
        (digest(steps=STEPS[:40]), "steps to create: it is cut off"),
        (digest(steps=[{"op": "create"}, *STEPS]), "a step without a URN"),
        (digest(steps=[*STEPS, {"op": "create", "urn": "urn:pulumi:local::moka::a:b:C::d"}]), "neither how"),
        (digest(steps=[*STEPS, {**STEPS[1], "op": "teleport"}]), "operation 'teleport'"),
        (digest(diagnostics=[ERROR]), "failed: no such subnet"),
        (digest(diagnostics=[ERROR, ERROR]), "failed: no such subnet (and 1 more)"),
        (
            digest(diagnostics=[{"severity": "error", "message": "error: preview failed\n"}]),
            "does not say why",
        ),
        (digest(maybeCorrupt=True), "may be corrupt"),
        (lines(diagnosticEvent=ERROR), "failed: no such subnet"),
        (lines(errorEvent={"error": "out of memory"}), "failed: out of memory"),
        (lines(resOpFailedEvent={"metadata": {"urn": "urn:x"}}), "failed: urn:x"),
        (lines(thoughtEvent={}), "event 'thoughtEvent'"),
        (lines(policyEvent={"enforcementLevel": "fatal"}), "level 'fatal'"),
        (lines(summaryEvent={"isPreview": True}), "has 2 previews"),
        (lines(without="summaryEvent", summaryEvent={"isPreview": False}), "is of an `up`"),
        (lines(without="summaryEvent", summaryEvent={"isPreview": True, "maybeCorrupt": True}), "corrupt"),
        (
            lines(without="summaryEvent", summaryEvent={"isPreview": True, "resourceChanges": {"update": 9}}),
            "has 1 of 9 steps to update",
        ),
        (recorded("refused"), 'before hook "batch-a-same-machines" failed'),
    ],
)
def test_what_is_no_whole_preview_is_refused_in_a_sentence(text, sentence):
    with pytest.raises(UnreadablePreview) as error:
        read(text, "p.json")

    message = str(error.value)
    assert sentence in message
    assert "p.json" in message
    assert "\n" not in message
    assert len(message) < 500


def test_both_forms_have_the_same_steps():
    """A stream that says of each resource what a digest says."""
    stream = [
        {
            "sequence": number,
            "timestamp": 0,
            "resourcePreEvent": {
                "metadata": {
                    "op": step["op"],
                    "urn": step["urn"],
                    "old": None,
                    "new": {**step["newState"], "type": step["newState"]["type"]},
                }
            },
        }
        for number, step in enumerate(STEPS)
    ]
    summary = {
        "summaryEvent": {"isPreview": True, "resourceChanges": {"create": len(STEPS)}, "PolicyPacks": {}}
    }
    text = "\n".join(json.dumps(one) for one in [*stream, {"sequence": 1, "timestamp": 0, **summary}])

    assert read(text).steps == read(DIGEST).steps


def test_what_the_engine_does_for_a_replacement_is_one_step():
    urn = "urn:pulumi:prod::moka::aws:s3/bucket:Bucket::logs"
    side = {"type": "aws:s3/bucket:Bucket", "custom": True, "inputs": {}}
    stack = {"op": "same", "urn": "urn:pulumi:prod::moka::pulumi:pulumi:Stack::moka-prod", "newState": {}}
    steps = [
        {"op": op, "urn": urn, "oldState": side, "newState": side, "replaceReasons": ["bucket"]}
        for op in ("create-replacement", "replace", "delete-replaced")
    ]

    preview = read(json.dumps({"steps": [stack, *steps], "changeSummary": {"replace": 1}}))

    assert [(one.op, one.forces) for one in preview.changes] == [("replace", ("bucket",))]


def test_a_preview_that_policies_refuse_is_reported_on():
    violation = {
        "policyName": "no-x",
        "policyPackName": "moka",
        "enforcementLevel": "mandatory",
        "message": "x",
    }
    failed = {"severity": "error", "message": "preview failed\n"}
    text = (
        lines(policyEvent=violation)
        + "\n"
        + json.dumps({"sequence": 1, "timestamp": 0, "diagnosticEvent": failed})
    )

    preview = read(text)

    assert [one.policy for one in preview.violations] == ["no-x"]


def test_an_objects_name_stays_known_where_it_is_made_anew():
    unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
    stack = {"op": "same", "urn": "urn:pulumi:prod::moka::pulumi:pulumi:Stack::moka-prod", "newState": {}}
    kind = "kubernetes:networking.k8s.io/v1:NetworkPolicy"
    policy = {
        "op": "replace",
        "urn": f"urn:pulumi:prod::moka::{kind}::deny",
        "oldState": {"type": kind, "custom": True, "inputs": {"metadata": {"namespace": "jobs"}}},
        "newState": {"type": kind, "custom": True, "inputs": {"metadata": {"namespace": unknown}}},
    }

    preview = read(json.dumps({"steps": [stack, policy], "changeSummary": {"replace": 1}}))

    assert preview.by_urn[policy["urn"]].new.inputs["metadata"] == {"namespace": "jobs"}
