"""What an `up` would create, as a preview has it."""

from recovery.planned import SECRET, UNKNOWN, creations

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
