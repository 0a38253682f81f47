"""What is done about what was cut off, on small states."""

import pytest

from recovery.plan import Finding, findings, judged, makes_something, targets, unfinished, with_findings
from recovery.state import BrokenState, Operation, pending, refuse_broken, resources_of

ROOT = {"urn": "urn:pulumi:dev::small::pulumi:pulumi:Stack::small-dev", "type": "pulumi:pulumi:Stack"}
TAGS = {"moka:resource": "logs", "moka:environment": "dev"}


def resource(type, name, id=None, needs=(), custom=True, **more):
    urn = f"urn:pulumi:dev::small::{type}::{name}"
    return {
        "urn": urn, "type": type, "custom": custom, "parent": ROOT["urn"],
        "dependencies": [need["urn"] for need in needs], "inputs": {"bucket": name},
        **({"id": id, "outputs": {"bucket": name}} if id else {}), **more,
    }  # fmt: skip


def state(*resources, **operations):
    under_way = [{"type": type, "resource": entry} for type, entry in operations.items()]
    deployment = {"manifest": {}, "resources": [ROOT, *resources], "pending_operations": under_way}
    return {"version": 3, "deployment": deployment}


def id_of(entry):
    return entry.get("id", "")


BUCKET = "aws:s3/bucket:Bucket"
LOGS = resource(BUCKET, "logs")
POLICY = resource("aws:s3/bucketPolicy:BucketPolicy", "logs", needs=[LOGS])


def looked_at(before, *ids, operation=None):
    operation = operation or unfinished(before)[0]
    return findings(before, operation, ids, id_of)


def urns(after):
    return [entry["urn"].rpartition("::")[2] for entry in resources_of(after)]


def test_what_exists_unrecorded_is_taken_over_and_marked_until_it_was_looked_at():
    before = state(creating=LOGS)
    found = looked_at(before, "logs-1")

    after = with_findings(before, found)

    [_, taken] = resources_of(after)
    assert (taken["id"], taken["outputs"], pending(after)) == ("logs-1", {}, [])
    assert targets(found) == [LOGS["urn"]]
    # A recovery that is cut off here is gone on with: it says the same.
    again = looked_at(after, "logs-1")
    assert [(f.verdict, f.id, f.operation.urn) for f in again] == [("take over", "logs-1", LOGS["urn"])]


def test_what_is_recorded_already_needs_nothing():
    before = state(resource(BUCKET, "logs", "logs-1"), creating=LOGS)

    [finding] = looked_at(before, "logs-1")

    assert finding.verdict == "forget"
    after = with_findings(before, [finding])
    assert (urns(after), pending(after)) == (["small-dev", "logs"], [])


def test_what_the_next_up_made_again_is_doubled_and_goes_as_what_was_replaced_does():
    before = state(resource(BUCKET, "logs", "logs-2"), creating=LOGS)

    [finding] = looked_at(before, "logs-1", "logs-2")

    assert (finding.verdict, finding.id) == ("doubled", "logs-1")
    [_, kept, surplus] = resources_of(with_findings(before, [finding]))
    assert (kept["id"], kept.get("delete")) == ("logs-2", None)
    assert (surplus["id"], surplus["delete"]) == ("logs-1", True)


@pytest.mark.parametrize("delete, kept", [(False, "logs-new"), (True, "logs-old")])
def test_what_was_to_replace_another_replaces_it_or_is_deleted(delete, kept):
    old = resource(BUCKET, "logs", "logs-old", inputs={"bucket": "another"})
    before = state(old, creating=LOGS)
    [finding] = looked_at(before, "logs-new")
    assert finding.verdict == "replacing"

    after = with_findings(before, [finding.settled(delete)])

    assert {entry["id"]: entry.get("delete", False) for entry in resources_of(after)[1:]} == {
        "logs-old": kept != "logs-old",
        "logs-new": kept != "logs-new",
    }


def test_what_was_deleted_to_make_room_gives_way_and_dependents_stay_behind_it():
    gone = resource(BUCKET, "logs", "logs-1", pendingReplacement=True)
    policy = resource("aws:s3/bucketPolicy:BucketPolicy", "logs", "logs-1", needs=[LOGS])
    before = state(gone, policy, creating=LOGS)

    after = with_findings(before, looked_at(before, "logs-2"))

    refuse_broken(after, "dev", "small")
    assert [entry.get("id") for entry in resources_of(after)] == [None, "logs-2", "logs-1"]


def test_several_of_one_resource_are_for_people():
    [finding] = looked_at(state(creating=LOGS), "logs-1", "logs-2")

    assert finding.verdict == "several"
    assert "more than once; as logs-1 and logs-2: delete all but one in AWS" in str(finding)


def test_what_was_being_changed_or_deleted_is_marked_until_it_was_looked_at():
    bucket = resource(BUCKET, "logs", "logs-1")
    before = state(bucket, deleting=bucket)
    [operation] = unfinished(before)
    found = [Finding(operation, "look again")]

    after = with_findings(before, found)

    assert targets(found) == [bucket["urn"]]
    assert [o.urn for o in unfinished(after)] == [bucket["urn"]]


def test_components_and_providers_are_made_in_the_state_only():
    component = resource("moka:aws:Network", "main", custom=False)
    provider = resource("pulumi:providers:aws", "main")

    assert [makes_something(Operation("creating", entry)) for entry in (component, provider, LOGS)] == [
        False,
        False,
        True,
    ]
    assert not makes_something(Operation("deleting", LOGS))


@pytest.mark.parametrize(
    "tags, ours",
    [
        (TAGS, True),
        ({}, True),  # the bucket's tags come by a second call
        ({"moka:resource": "logs", "moka:environment": "prod"}, False),
        ({"owner": "somebody"}, False),
    ],
)
def test_what_has_other_tags_is_not_kept_nor_what_stands_on_it(tags, ours):
    mine = {**LOGS, "inputs": {"bucket": "logs", "tags": TAGS}}
    before = state(creating=mine)
    before["deployment"]["pending_operations"].append({"type": "creating", "resource": POLICY})
    found = [f for o in unfinished(before) for f in looked_at(before, "logs", operation=o)]
    refreshed = state(
        {**mine, "id": "logs", "outputs": {"tagsAll": tags}},
        {**POLICY, "id": "logs", "outputs": {"policy": "{}"}},
    )

    outcome = judged(refreshed, found, "dev")

    assert len(outcome.taken) == (2 if ours else 0)
    assert len(outcome.alien) == (0 if ours else 2)
    assert urns(outcome.state) == (["small-dev", "logs", "logs"] if ours else ["small-dev"])


def test_the_group_that_comes_with_a_network_is_taken_over_without_tags():
    group = resource("aws:ec2/defaultSecurityGroup:DefaultSecurityGroup", "logs")
    before = state(creating={**group, "inputs": {"vpcId": "vpc-1", "tags": TAGS}})
    refreshed = state({**group, "id": "sg-1", "inputs": {"tags": TAGS}, "outputs": {"tagsAll": {}}})

    outcome = judged(refreshed, looked_at(before, "sg-1"), "dev")

    assert ([finding.id for finding in outcome.taken], outcome.alien) == (["sg-1"], [])


def test_what_the_refresh_took_out_was_not_made():
    before = state(creating=LOGS)

    outcome = judged(state(), looked_at(before, "logs"), "dev")

    assert [finding.operation.urn for finding in outcome.gone] == [LOGS["urn"]]


@pytest.mark.parametrize(
    "broken, sentence",
    [
        ({**state(), "version": 5}, "has version 5, and 4 is the newest known here: use the pulumi"),
        (state({**LOGS, "urn": "urn:pulumi:prod::small::x::y"}), "is that of another stack, as urn:"),
        (state({**LOGS, "urn": "urn:pulumi:dev::other::x::y"}), "bring back that of dev of project small"),
        (state(LOGS, LOGS), "twice: export it, leave out the one that is not in use"),
        (state({**LOGS, "delete": True}, LOGS, LOGS), "twice: export it"),
        (state(POLICY), f"which needs {LOGS['urn']}, and that is not there: `pulumi state repair"),
        (state(resource(BUCKET, "a", deletedWith="urn:gone")), "which needs urn:gone, and that is not there"),
        (
            state(resource(BUCKET, "a", propertyDependencies={"bucket": ["urn:gone"]})),
            "which needs urn:gone, and that is not there",
        ),
    ],
)  # fmt: skip
def test_a_state_that_nobody_may_build_on_is_refused_in_one_sentence(broken, sentence):
    with pytest.raises(BrokenState) as refused:
        refuse_broken(broken, "dev", "small")

    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)


def test_states_that_hold_together_are_taken():
    for fine in (
        state(),
        state(LOGS, POLICY),
        state(LOGS, {**LOGS, "delete": True}),
        state({**LOGS, "delete": True}, LOGS, POLICY),
        {"version": 3, "deployment": None},
    ):
        refuse_broken(fine, "dev", "small")
