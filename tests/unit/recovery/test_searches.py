"""How what a create had made is found, held against a whole environment as it was deployed."""

import gzip
import json

import pytest

from localcloud.cloud import REPOSITORY
from recovery.searches import MAKES_NOTHING, SEARCHES, id_of, ids, object_id, question, tag_values

STATE = REPOSITORY / "tests/local/data/local-state.json.gz"
OF_AWS = [
    resource
    for resource in json.loads(gzip.decompress(STATE.read_bytes()))["deployment"]["resources"]
    if resource["type"].startswith("aws:")
]

OWN_FORM = {
    "aws:ec2/route:Route": r"{routeTableId}_{destinationCidrBlock}",
    "aws:ec2/routeTableAssociation:RouteTableAssociation": "{subnetId}/{routeTableId}",
}
"""Types whose id to import is another one than in the state."""

SUBNET = {**tag_values("main-a", "prod.shared"), "vpcId": "vpc-1"}


@pytest.mark.parametrize("type", sorted({resource["type"] for resource in OF_AWS}))
def test_whatever_the_program_makes_can_be_found(type):
    assert type in SEARCHES.keys() | MAKES_NOTHING
    search = SEARCHES[type]
    for resource in OF_AWS:
        if resource["type"] == type and not search.operation:
            inputs = resource["inputs"]
            form = OWN_FORM.get(type)
            assert id_of(search, inputs) == (form.format_map(inputs) if form else resource["id"])


def test_what_has_no_name_is_asked_for_by_its_tags():
    asked = question(SEARCHES["aws:ec2/subnet:Subnet"], SUBNET)

    assert (asked.service, asked.operation) == ("ec2", "describe_subnets")
    assert asked.members == {
        "Filters": [
            {"Name": "tag:moka:resource", "Values": ["main-a"]},
            {"Name": "tag:moka:environment", "Values": ["prod"]},
        ]
    }


def test_an_answer_counts_where_its_tags_are_those_of_the_resource_and_its_environment():
    def tagged(id, environment):
        tags = {"moka:resource": "main-a", "moka:environment": environment}
        return {"SubnetId": id, "Tags": [{"Key": key, "Value": value} for key, value in tags.items()]}

    answer = {"Subnets": [tagged("subnet-1", "prod"), tagged("subnet-2", "dev"), {"SubnetId": "subnet-3"}]}

    assert ids(SEARCHES["aws:ec2/subnet:Subnet"], SUBNET, answer) == ["subnet-1"]
    assert ids(SEARCHES["aws:ec2/subnet:Subnet"], SUBNET, {}) == []


def test_a_range_of_a_network_is_found_by_its_addresses():
    blocks = [
        {"CidrBlock": cidr, "AssociationId": id, "CidrBlockState": {"State": state}}
        for cidr, id, state in (
            ("10.0.0.0/16", "vpc-cidr-assoc-1", "associated"),
            ("100.64.0.0/16", "vpc-cidr-assoc-2", "disassociated"),
            ("100.64.0.0/16", "vpc-cidr-assoc-3", "associated"),
        )
    ]
    search = SEARCHES["aws:ec2/vpcIpv4CidrBlockAssociation:VpcIpv4CidrBlockAssociation"]
    inputs = {"vpcId": "vpc-1", "cidrBlock": "100.64.0.0/16"}

    assert ids(search, inputs, {"Vpcs": [{"CidrBlockAssociationSet": blocks}]}) == ["vpc-cidr-assoc-3"]


def test_an_id_that_a_form_needs_and_nobody_knows_yet_is_no_id():
    with pytest.raises(KeyError, match="subnetId"):
        ids(SEARCHES["aws:ec2/routeTableAssociation:RouteTableAssociation"], {"routeTableId": "rtb-1"}, None)


def test_objects_in_kubernetes_are_known_by_namespace_and_name():
    assert object_id({"metadata": {"namespace": "spark", "name": "web"}}) == "spark/web"
    assert object_id({"metadata": {"name": "spark"}}) == "spark"
    assert object_id({"namespace": "spark", "name": "operator", "chart": "x"}) == "spark/operator"


def test_a_reservation_is_found_by_its_subnet_and_its_range():
    shown = [
        {"Cidr": cidr, "SubnetCidrReservationId": id}
        for cidr, id in (("10.0.0.0/26", "scr-1"), ("10.0.0.64/26", "scr-2"))
    ]
    search = SEARCHES["aws:ec2/subnetCidrReservation:SubnetCidrReservation"]
    inputs = {"subnetId": "subnet-1", "cidrBlock": "10.0.0.64/26"}

    assert question(search, inputs).members == {"SubnetId": "subnet-1"}
    assert ids(search, inputs, {"SubnetIpv4CidrReservations": shown}) == ["subnet-1:scr-2"]
