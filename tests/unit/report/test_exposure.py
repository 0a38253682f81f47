import json

import pytest

from report.subjects.exposure import exposure
from tests.support.report_steps import preview, says, step

INGRESS = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"
EGRESS = "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule"
CLUSTER = "aws:eks/cluster:Cluster"
ROUTE = "aws:ec2/route:Route"
UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"


def change(type_, before, after, name="thing", **options):
    """A change of one resource of a stack that is there."""
    stands = step("aws:ec2/vpc:Vpc", "main", {}, {})
    return exposure(preview(stands, step(type_, name, before, after, **options)))


def rule(source="10.0.0.0/8", first=443, last=443, protocol="tcp", group="sg-1", **more):
    return {
        "securityGroupId": group,
        "cidrIpv4": source,
        "fromPort": first,
        "toPort": last,
        "ipProtocol": protocol,
        **more,
    }


def cluster(public=False, networks=None):
    config = {"endpointPublicAccess": public, "endpointPrivateAccess": True}
    return {"name": "a", "vpcConfig": {**config, **({"publicAccessCidrs": networks} if networks else {})}}


BLOCK = dict.fromkeys(
    ("blockPublicAcls", "blockPublicPolicy", "ignorePublicAcls", "restrictPublicBuckets"), True
)


@pytest.mark.parametrize(
    ("type_", "before", "after", "sentence"),
    [
        (INGRESS, None, rule("0.0.0.0/0"), "ecurity group sg-1 on tcp port 443 can be reached from anybody"),
        (INGRESS, rule(), rule("0.0.0.0/0"), "from anybody on the internet"),
        (INGRESS, None, rule("", cidrIpv6="::/0"), "from anybody on the internet"),
        (
            CLUSTER,
            cluster(),
            cluster(public=True),
            "The API server of a on tcp port 443 can be reached from anybody",
        ),
        (CLUSTER, cluster(), {"name": "a", "vpcConfig": {}}, "The API server of a on tcp port 443"),
        (CLUSTER, None, {"name": "a"}, "The API server of a on tcp port 443"),
        (
            "aws:rds/instance:Instance",
            {},
            {"publiclyAccessible": True},
            "Database thing can be reached from anybody",
        ),
        (
            "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock",
            BLOCK,
            {**BLOCK, "blockPublicPolicy": False},
            "blockPublicPolicy is off",
        ),
        (
            "kubernetes:helm.sh/v3:Release",
            {"values": {}},
            {
                "values": {
                    "controller": {
                        "service": {
                            "annotations": {
                                "service.beta.kubernetes.io/aws-load-balancer-scheme": "internet-facing"
                            }
                        }
                    }
                }
            },
            "Load balancer of thing can be reached from anybody",
        ),
    ],
)
def test_what_the_internet_reaches_from_now_on_stops_a_change(type_, before, after, sentence):
    assert sentence in says(change(type_, before, after), "stop").replace("\\", "")


@pytest.mark.parametrize(
    ("type_", "before", "after", "sentence"),
    [
        (INGRESS, None, rule(), "Security group sg-1 on tcp port 443 can be reached from 10.0.0.0/8"),
        (INGRESS, rule(), rule(last=8443), "on tcp ports 443 to 8443"),
        (INGRESS, rule(), rule(protocol="-1"), "Security group sg-1 can be reached from 10.0.0.0/8"),
        (INGRESS, None, rule("", referencedSecurityGroupId="sg-9"), "can be reached from sg-9"),
        (INGRESS, rule(), rule("3.5.0.0/19"), "from `3.5.0.0/19` on the internet"),
        (
            EGRESS,
            None,
            rule("0.0.0.0/0"),
            "0.0.0.0/0 on tcp port 443 can be reached from security group sg-1",
        ),
        (
            CLUSTER,
            cluster(True, ["3.5.0.0/19"]),
            cluster(True, ["3.5.0.0/16"]),
            "can be reached from `3.5.0.0/16` on the internet",
        ),
        (
            ROUTE,
            None,
            {"routeTableId": "rtb-1", "destinationCidrBlock": "0.0.0.0/0", "gatewayId": UNKNOWN},
            "Subnets of route table rtb-1 can be reached from an internet gateway",
        ),
        (
            ROUTE,
            None,
            {"routeTableId": "rtb-1", "destinationCidrBlock": "10.9.0.0/16", "transitGatewayId": "tgw-1"},
            "10.9.0.0/16 can be reached from subnets of route table rtb-1, by a transit gateway",
        ),
        (
            "aws:ec2/subnet:Subnet",
            {},
            {"mapPublicIpOnLaunch": True},
            "Machines with public addresses in subnet thing",
        ),
        (
            "aws:ec2/launchTemplate:LaunchTemplate",
            {"metadataOptions": {"httpTokens": "required", "httpPutResponseHopLimit": 1}},
            {"metadataOptions": {"httpTokens": "required", "httpPutResponseHopLimit": 2}},
            "The instance metadata, and with it the node's role, of machines of thing",
        ),
        (
            "aws:ec2/vpcEndpoint:VpcEndpoint",
            {"serviceName": "com.amazonaws.us-east-1.s3", "policy": '{"Statement": []}'},
            {"serviceName": "com.amazonaws.us-east-1.s3", "policy": ""},
            "All of com.amazonaws.us-east-1.s3, in any account can be reached from endpoint thing",
        ),
        (
            "aws:ec2/routeTableAssociation:RouteTableAssociation",
            {"routeTableId": "a"},
            {"routeTableId": "b"},
            "another",
        ),
    ],
)
def test_other_ways_that_open_are_to_be_looked_at(type_, before, after, sentence):
    section = change(type_, before, after)

    assert sentence in says(section, "look").replace("\\", "")
    assert not says(section, "stop")


@pytest.mark.parametrize(
    ("type_", "before", "after"),
    [
        (INGRESS, rule("0.0.0.0/0"), rule("10.0.0.0/8")),
        (INGRESS, rule(description="a"), rule(description="b")),
        (INGRESS, rule(protocol="6"), rule(protocol="tcp")),
        (CLUSTER, cluster(True, ["3.5.0.0/16"]), cluster(True, ["3.5.0.0/19"])),
        (CLUSTER, cluster(True), cluster()),
    ],
)
def test_what_closes_or_stays_needs_nobodys_look(type_, before, after):
    assert not says(change(type_, before, after), "stop") + says(change(type_, before, after), "look")


def test_a_way_from_the_internet_that_closes_is_noted():
    assert "No longer: security group sg-1" in says(change(INGRESS, rule("0.0.0.0/0"), rule()), "note")


@pytest.mark.parametrize(
    ("type_", "before", "after", "sentence"),
    [
        (
            INGRESS,
            rule(),
            None,
            "No longer: security group sg-1 on tcp port 443 can be reached from 10.0.0.0/8",
        ),
        (INGRESS, rule(last=8443), rule(), "No longer: security group sg-1 on tcp ports 443 to 8443"),
        (
            "aws:ec2/vpcEndpoint:VpcEndpoint",
            {"serviceName": "com.amazonaws.us-east-1.ecr.api", "policy": "{}"},
            None,
            "No longer: com.amazonaws.us-east-1.ecr.api can be reached from the VPC, by an endpoint",
        ),
        (
            CLUSTER,
            cluster(),
            {"name": "a", "vpcConfig": {"endpointPublicAccess": False, "endpointPrivateAccess": False}},
            "No longer: the private endpoint of the API server of a",
        ),
        (
            ROUTE,
            {"routeTableId": "rtb-1", "destinationCidrBlock": "0.0.0.0/0", "natGatewayId": "nat-1"},
            None,
            "No longer: 0.0.0.0/0 can be reached from subnets of route table rtb-1, by a NAT gateway",
        ),
    ],
)
def test_a_way_within_that_closes_is_to_be_looked_at(type_, before, after, sentence):
    assert sentence in says(change(type_, before, after), "look").replace("\\", "")


def test_a_rule_that_is_made_anew_in_a_group_that_is_not_known_yet_opens_nothing():
    section = change(INGRESS, rule(), rule(group=UNKNOWN), op="replace", forces=("securityGroupId",))

    assert not section


def test_two_rules_for_one_are_no_change():
    stands = step("aws:ec2/vpc:Vpc", "main", {}, {})
    whole = step(INGRESS, "whole", rule("10.0.0.0/8"), rule("10.0.0.0/8"))
    part = step(INGRESS, "part", None, rule("10.1.0.0/16"))

    assert not exposure(preview(stands, whole, part))


POLICY = "kubernetes:networking.k8s.io/v1:NetworkPolicy"


def policy(selector=None, kinds=("Ingress",), **rules):
    return {
        "metadata": {"name": "p", "namespace": "jobs"},
        "spec": {"podSelector": selector or {}, "policyTypes": list(kinds), **rules},
    }


FROM_SPARK = {"from": [{"podSelector": {"matchLabels": {"app": "spark"}}}], "ports": [{"port": 7078}]}
FROM_ANYWHERE = {"from": [{"ipBlock": {"cidr": "0.0.0.0/0"}}]}


def test_pods_that_no_policy_isolates_any_more_are_told():
    section = change(POLICY, policy(kinds=["Ingress", "Egress"]), None)

    assert "No network policy isolates all pods of namespace `jobs` any more (egress and ingress)" in says(
        section, "look"
    )


def test_pods_that_another_policy_isolates_stay_isolated():
    deny = step(POLICY, "deny", policy(), policy())
    gone = step(POLICY, "spark", policy({"matchLabels": {"a": "b"}}), None)

    assert not says(exposure(preview(deny, gone)), "look")


@pytest.mark.parametrize(
    ("after", "sentence"),
    [
        (policy(ingress=[FROM_ANYWHERE]), "In namespace `jobs`, all pods are reached from the internet"),
        (policy(ingress=[FROM_SPARK]), "on `TCP 7078`"),
        (policy(ingress=[{}]), "all pods are reached from anything"),
    ],
)
def test_what_a_policy_lets_in_from_now_on_is_told(after, sentence):
    assert sentence in says(change(POLICY, policy(), after), "look")


def test_a_first_policy_only_takes_away():
    assert not says(change(POLICY, None, policy(ingress=[FROM_ANYWHERE])), "look")


def test_a_policy_that_lets_in_less_needs_nobodys_look():
    assert not says(
        change(POLICY, policy(ingress=[FROM_ANYWHERE, FROM_SPARK]), policy(ingress=[FROM_SPARK])), "look"
    )


def test_the_ways_of_a_new_stack_are_noted_but_for_those_from_the_internet():
    section = exposure(
        preview(step(INGRESS, "inside", None, rule()), step(INGRESS, "outside", None, rule("0.0.0.0/0")))
    )

    assert "1 way of a new stack" in says(section, "note")
    assert "anybody on the internet" in says(section, "stop")


def test_ids_are_told_by_logical_names():
    group = step(
        "aws:ec2/securityGroup:SecurityGroup", "endpoints", {}, {}, old_id="sg-0a1b", new_id="sg-0a1b"
    )
    section = exposure(preview(group, step(INGRESS, "r", None, rule(group="sg-0a1b"))))

    assert "Security group endpoints on tcp port 443" in says(section, "look")


def test_a_policy_of_an_endpoint_that_is_an_object_is_read_as_its_text():
    kind, statement = "aws:ec2/vpcEndpoint:VpcEndpoint", {"Statement": [{"Effect": "Deny"}]}

    assert not change(kind, {"policy": json.dumps(statement)}, {"policy": statement})
