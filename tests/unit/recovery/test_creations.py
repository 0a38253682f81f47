"""What an `up` would create, as a preview has it."""

from recovery.creations import SECRET, UNKNOWN, creations, frame

STACK = "urn:pulumi:dev::small::pulumi:pulumi:Stack::small-dev"
PROVIDER = "urn:pulumi:dev::small::pulumi:providers:aws::main"
STATE = {"deployment": {"resources": [{"urn": STACK}, {"urn": PROVIDER}]}}


def step(name, op="create", **changes):
    urn = f"urn:pulumi:dev::small::aws:ec2/subnet:Subnet::{name}"
    resource = {
        "urn": urn,
        "custom": True,
        "parent": STACK,
        "provider": f"{PROVIDER}::1",
        "inputs": {},
        **changes,
    }
    return {"op": op, "urn": urn, "newState": resource}


def names(*steps):
    return [operation.name for operation in creations({"steps": list(steps)}, STATE)]


def test_it_is_what_would_be_created_in_aws_and_has_its_place_in_the_state():
    elsewhere = "urn:pulumi:dev::small::moka:aws:Network::absent"

    assert names(
        step("made"),
        step("same", op="same"),
        step("replaced", op="create-replacement"),
        step("component", custom=False),
        step("part-of-what-is-absent", parent=elsewhere),
        step("of-another-provider", provider=f"{elsewhere}::1"),
    ) == ["made"]


def test_what_has_an_input_that_is_not_known_yet_waits_for_what_it_comes_of():
    assert names(step("a", inputs={"vpcId": UNKNOWN}), step("b", inputs={"tags": {"of": UNKNOWN}})) == []


def test_what_has_a_secret_is_not_looked_for():
    assert names(step("a", inputs={"password": {SECRET: "1b47061264138c4ac30d75fd1eb44270"}})) == []


def test_what_it_depends_on_and_the_state_lacks_is_no_dependency():
    absent = "urn:pulumi:dev::small::aws:ec2/vpc:Vpc::net"

    [operation] = creations({"steps": [step("a", dependencies=[absent, PROVIDER])]}, STATE)

    assert operation.resource["dependencies"] == [PROVIDER]


def test_a_lost_state_gets_what_is_in_it_only_where_all_that_it_needs_is_there():
    def inner(name, type, custom, **changes):
        urn = f"urn:pulumi:dev::small::{type}::{name}"
        resource = {"urn": urn, "type": type, "custom": custom, "inputs": {}, "parent": STACK, **changes}
        return {"op": "create", "urn": urn, "newState": resource}

    steps = [
        inner("small-dev", "pulumi:pulumi:Stack", False, parent=None),
        inner("main", "pulumi:providers:aws", True, inputs={"region": "us-east-1"}),
        inner("inside", "pulumi:providers:kubernetes", True, inputs={"kubeconfig": UNKNOWN}),
        inner("platform", "moka:aws:Network", False),
        inner("net", "aws:ec2/vpc:Vpc", True),
    ]
    steps[0]["newState"]["urn"] = STACK

    recorded = [operation.resource for operation in frame({"steps": steps}, {"deployment": None})]

    assert [resource["urn"].rpartition("::")[2] for resource in recorded] == ["small-dev", "main", "platform"]
    assert recorded[1]["id"] and recorded[1]["outputs"] == {"region": "us-east-1"}
    assert "id" not in recorded[0]
