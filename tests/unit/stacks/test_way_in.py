"""An environment comes up where `up` reaches its API servers, and nowhere else: one change each."""

import pytest

from tests.support.deployment import Refused, few_groups, gone, put

LAYERS = ("foundation", "cluster", "ingress")


def without_a_way_in(settings):
    """Settings that name no network of the deployer."""
    few_groups(settings)
    put("deployer_network", None)(settings)


SABOTAGES = {
    "no rule for the deployer": (
        {"inputs": {"SecurityGroupIngressRule::spark-a-api-*": gone}},
        r"dial tcp 10\.0\.0\.\d+:443: i/o timeout: security group .*no rule lets tcp 443 in from 10.250.16",
    ),
    "no route to the deployer": (
        {"inputs": {"Route::main-private-us-east-1a-10.250.0.0-16": gone}},
        r"route table .*main-private-us-east-1a.*\(NO_ROUTE_TO_DESTINATION\)",
    ),
    "a rule for another port": (
        {"inputs": {"SecurityGroupIngressRule::spark-a-api-*": {"fromPort": 6443, "toPort": 6443}}},
        r"\(ENI_SG_RULES_MISMATCH\): add an inbound rule for tcp 443",
    ),
    "no attachment": (
        {"inputs": {"VpcAttachment::main": gone}},
        r"CreateRoute: The transitGateway ID .* does not exist \(InvalidTransitGatewayID.NotFound\)",
    ),
    "an attachment in one zone": (
        {"inputs": {"VpcAttachment::main": lambda inputs: {**inputs, "subnetIds": inputs["subnetIds"][:1]}}},
        r"\(TGW_ROUTE_AZ_RESTRICTION\)",
    ),
    "nobody is let in": (
        {"settings": without_a_way_in},
        r"lets in itself only, and the endpoint is private",
    ),
}


@pytest.mark.parametrize("name", SABOTAGES)
def test_one_change_takes_the_way_in_and_is_refused_as_a_client_would_see_it(up, name):
    change, reason = SABOTAGES[name]

    with pytest.raises(Refused, match=reason) as refused:
        up("local", layers=LAYERS, **{"settings": few_groups, **change})

    assert len(refused.value.reasons) <= 3
