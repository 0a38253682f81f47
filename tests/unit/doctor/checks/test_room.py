import json

from doctor import report
from doctor.checks.room import room
from tests.support.aws_stubs import client, lines


def test_ranges_are_told_by_the_nodes_and_pods_that_they_have_addresses_for(place):
    # A zone has a quarter of a /16 for pods: 1,020 addresses of their interfaces, and 959 prefixes. Its nodes
    # take 85: 5 with 7 for 110 pods, 12 with 4 for 58, one with 2 for 24; of these, 2 and 2 come in updates.
    assert lines(room, place()) == [
        "ok main Its ranges have addresses for 3,060 nodes and 46,032 pods: 11.2 times what all node groups "
        "take at their maximum.",
        "ok main/spark-a It can have 40 nodes, which take 2,800 addresses for pods.",
    ]


def test_generations_that_retire_take_room_beside_the_present_one(place):
    def with_old(written):
        group = written["clusters"]["spark-a"]["node_groups"]["driver"]
        group |= {"generation": 2, "retiring": {1: {"instance_types": group["instance_types"]}}}

    [vpc, cluster] = lines(room, place(with_old))

    assert "9.6 times" in vpc
    assert cluster == "ok main/spark-a It can have 44 nodes, which take 3,248 addresses for pods."


def test_nodes_and_pods_of_one_subnet_share_its_addresses(place):
    def together(written):
        written["foundations"]["main"]["network"]["pod_cidrs"] = []

    [vpc, _] = lines(room, place(together))

    assert vpc == (
        "ok main Its ranges have addresses for 12,273 nodes and their pods together: 2.9 times what all node "
        "groups take at their maximum."
    )


def test_of_an_existing_vpc_its_subnets_count_as_if_they_were_empty(place):
    ec2 = client("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.8.0.0/16")["Vpc"]["VpcId"]

    def subnets(third):
        return {
            zone: ec2.create_subnet(VpcId=vpc, CidrBlock=f"10.8.{number}.0/20", AvailabilityZone=zone)[
                "Subnet"
            ]["SubnetId"]
            for zone, number in (("us-east-1a", third), ("us-east-1b", third + 16))
        }

    private, pods = subnets(0), subnets(64)
    ec2.create_subnet_cidr_reservation(
        SubnetId=pods["us-east-1a"], Cidr="10.8.72.0/21", ReservationType="prefix"
    )

    def existing(written):
        foundation = written["foundations"]["main"]
        foundation.pop("network")
        foundation["existing_network"] = {"vpc": vpc, "private_subnets": private, "pod_subnets": pods}

    [found, _] = lines(room, place(existing))

    assert found.startswith("ok main Its ranges have addresses for 8,182 nodes and 6,139 pods:")


def test_scripts_have_the_numbers_apart(place):
    [_, cluster] = json.loads(report.as_json("trial", list(room(place()))))["findings"]

    assert cluster["numbers"] == {"nodes": 40, "pods": 2800}
