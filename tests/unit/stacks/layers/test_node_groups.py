import dataclasses
import json
from datetime import UTC, datetime
from types import SimpleNamespace

import pulumi_eks as eks
import pytest

from moka.machines.node_roles import ROLES
from stacks import settings
from stacks.layers import cluster, foundation
from stacks.settings.cluster import NodeGroup
from stacks.settings.node_group_plan import bounds_at, node_group_plans, share
from tests.support.sites import make_site

ZONES = ["us-east-1a", "us-east-1b", "us-east-1c"]
GROUP = "eks:index:ManagedNodeGroup"
OLD = {"instance_types": ["r7g.4xlarge"], "ami_release": "1.33.5-20260901"}


def group(**changes):
    usual = {
        "role": "driver",
        "architecture": "arm64",
        "instance_types": ["r8g.4xlarge"],
        "ami_release": "1.34.2-20261105",
        "minimum": 4,
        "maximum": 20,
        "desired": 5,
        "per_zone": False,
    }
    return NodeGroup.model_validate({**usual, **changes})


def names(**changes):
    return [plan.name for plan in node_group_plans("driver", group(**changes), ZONES)]


def test_a_group_is_one_in_eks_over_all_zones():
    [only] = node_group_plans("driver", group(), ZONES)

    assert (only.name, only.zones) == ("driver", tuple(ZONES))
    assert (only.minimum, only.initial, only.maximum) == (4, 5, 20)


@pytest.mark.parametrize(("role", "groups"), [("system", 3), ("driver", 3), ("shuffle", 3), ("executor", 1)])
def test_only_executors_span_zones_where_auto_scaling_moves_machines(role, groups):
    assert len(node_group_plans("some", group(role=role, per_zone=None), ZONES)) == groups


def test_a_group_of_each_zone_has_a_name_that_more_zones_do_not_change():
    assert names(zones=["us-east-1a"], per_zone=None) == ["driver-us-east-1a"]
    assert names(zones=["us-east-1a", "us-east-1b"], per_zone=None)[0] == "driver-us-east-1a"


def test_a_group_that_spanned_zones_retires_as_it_was():
    assert names(generation=2, per_zone=None, retiring={1: {**OLD, "per_zone": False}})[-1] == "driver"


def test_a_group_of_some_zones_is_in_these_alone():
    [only] = node_group_plans("driver", group(zones=["us-east-1b"]), ZONES)

    assert only.zones == ("us-east-1b",)


def test_a_group_a_zone_shares_the_nodes_out():
    parts = node_group_plans("driver", group(per_zone=True), ZONES)

    assert [plan.name for plan in parts] == ["driver-us-east-1a", "driver-us-east-1b", "driver-us-east-1c"]
    assert [plan.zones for plan in parts] == [(zone,) for zone in ZONES]
    assert [plan.minimum for plan in parts] == [2, 1, 1]
    assert [plan.initial for plan in parts] == [2, 2, 1]
    assert [plan.maximum for plan in parts] == [7, 7, 6]


@pytest.mark.parametrize("total", [0, 1, 2, 3, 100])
def test_nothing_is_lost_or_added_when_nodes_are_shared_out(total):
    assert sum(share(total, part, 3) for part in range(3)) == total


def test_a_schedule_is_shared_out_as_the_nodes_are():
    night = {"night": {"cron": "0 20 * * *", "minimum": 7}}
    parts = node_group_plans("driver", group(per_zone=True, schedule=night), ZONES)

    assert [plan.schedule for plan in parts] == [{"night": 3}, {"night": 2}, {"night": 2}]
    assert [plan.schedule_maximum for plan in parts] == [{}, {}, {}]


@pytest.mark.parametrize(
    ("hour", "first_of_three"),
    # The change at noon leaves the maximum of the one before.
    [(7, (2, 4)), (13, (1, 4)), (21, (3, 7)), (5, (3, 7))],
)
def test_bounds_are_those_of_the_last_changes(hour, first_of_three):
    changes = {
        "morning": {"cron": "0 6 * * *", "minimum": 6, "maximum": 12},
        "noon": {"cron": "0 12 * * *", "minimum": 3},
        "evening": {"cron": "0 20 * * *", "minimum": 9, "maximum": 20},
    }
    settled = group(role="executor", per_zone=True, schedule=changes)
    [first, _, _] = node_group_plans("executor", settled, ZONES)

    assert bounds_at(settled, first, datetime(2026, 11, 25, hour, tzinfo=UTC)) == first_of_three


def test_bounds_without_a_schedule_are_those_of_the_group():
    [only] = node_group_plans("driver", group(), ZONES)

    assert bounds_at(group(), only, datetime(2026, 11, 25, tzinfo=UTC)) == (4, 20)


def test_a_scheduled_maximum_is_shared_out_too():
    day = {"day": {"cron": "0 7 * * *", "minimum": 0, "maximum": 4}}
    parts = node_group_plans("executor", group(per_zone=True, schedule=day), ZONES)

    assert [plan.schedule_maximum for plan in parts] == [{"day": 2}, {"day": 1}, {"day": 1}]


def test_a_reservation_is_used_in_its_zone():
    reservations = {"us-east-1b": "cr-0123456789abcdef0"}
    parts = node_group_plans("driver", group(per_zone=True, capacity_reservations=reservations), ZONES)

    assert [plan.capacity_reservation for plan in parts] == [None, "cr-0123456789abcdef0", None]


def test_the_first_generation_has_the_groups_own_name_and_later_ones_their_number():
    assert names() == ["driver"]
    assert names(generation=2) == ["driver-g2"]
    assert names(generation=3, zones=["us-east-1a"], per_zone=True) == ["driver-us-east-1a-g3"]


def test_a_retiring_generation_is_beside_the_present_one_as_it_was_with_nothing_of_its_own():
    present, old = node_group_plans("driver", group(generation=2, retiring={1: OLD}), ZONES)

    assert (present.name, present.retiring, present.minimum) == ("driver-g2", False, 4)
    assert (old.name, old.retiring) == ("driver", True)
    assert (old.instance_types, old.ami_release) == (("r7g.4xlarge",), "1.33.5-20260901")
    assert (old.minimum, old.initial, old.maximum) == (0, 0, 20)


def test_every_zone_and_generation_of_a_group_has_a_name_of_its_own():
    groups = {"one": group(), "zonal": group(per_zone=True, generation=3, retiring={1: OLD, 2: OLD})}

    plans = [plan for name, plan in groups.items() for plan in node_group_plans(name, plan, ZONES)]

    assert len({plan.name for plan in plans}) == len(plans) == 1 + 3 * 3


def deployed(deploy, groups, tags=None):
    def program():
        base = dict.fromkeys(field.name for field in dataclasses.fields(foundation.Outputs))
        subnets = {zone: f"subnet-{zone[-1]}" for zone in ZONES}
        inputs = dict.fromkeys(field.name for field in dataclasses.fields(cluster.Inputs))
        inputs |= {
            "version": "1.34",
            "node_groups": groups,
            "startup_taints": dict.fromkeys(ROLES, ()),
            "foundation": foundation.Outputs(**{**base, "private_subnets": subnets}),
        }
        resource = eks.Cluster("spark-a")
        eks_cluster = SimpleNamespace(
            eks_cluster=resource,
            deployer=resource,
            node_role_arn="arn:aws:iam::111122223333:role/node",
            kubeconfig=json.dumps({}),
        )
        environment = settings.load("local").model_copy(update={"tags": tags or {}})
        cluster.node_groups(make_site("spark-a", environment), cluster.Inputs(**inputs), eks_cluster)

    return deploy(program)


def test_a_group_is_known_by_its_clusters_name_here_and_by_its_own_in_eks(deploy):
    groups = deployed(deploy, {"driver": group()}).by_name(GROUP)

    assert groups["spark-a-driver"]["nodeGroupName"] == "driver"


def test_nodes_are_in_the_subnets_of_their_zones(deploy):
    groups = deployed(deploy, {"driver": group(per_zone=True)}).by_name(GROUP)

    assert groups["spark-a-driver-us-east-1b"]["subnetIds"] == ["subnet-b"]


def test_nodes_say_which_group_of_the_settings_and_which_generation_they_are(deploy):
    groups = deployed(deploy, {"driver": group(generation=2, labels={"team": "a"})}).by_name(GROUP)

    assert groups["spark-a-driver-g2"]["labels"] == {
        "moka.dev/role": "driver",
        "moka.dev/node-group": "driver",
        "moka.dev/generation": "2",
        "team": "a",
    }


def test_the_new_generation_is_there_before_the_old_one_takes_no_more_pods(deploy):
    tree = deployed(deploy, {"driver": group(generation=2, retiring={1: OLD})}).tree()

    # What is in a component waits for the component.
    old = tree["moka:aws:NodeGroup::spark-a-driver"]
    assert any(urn.endswith(f"{GROUP}::spark-a-driver-g2") for urn in old.dependencies)


def test_machines_have_the_tags_that_a_provider_cannot_give_them(deploy):
    recorder = deployed(deploy, {"driver": group()}, tags={"cost-center": "4711"})

    [template] = recorder.inputs("aws:ec2/launchTemplate:LaunchTemplate")
    for specification in template["tagSpecifications"]:
        assert specification["tags"].items() >= {"cost-center": "4711", "Name": "spark-a-driver"}.items()
    assert {specification["resourceType"] for specification in template["tagSpecifications"]} == {
        "instance",
        "volume",
        "network-interface",
    }


def test_every_setting_of_a_group_reaches_its_machines(deploy):
    disk = {"gib": 1000, "iops": 6000, "mibps": 1000}
    night = {"night": {"cron": "0 20 * * *", "minimum": 9}}
    recorder = deployed(
        deploy,
        {"driver": group(disk=disk, max_pods=40, spot=True, schedule=night, time_zone="Europe/Berlin")},
    )

    [template] = recorder.inputs("aws:ec2/launchTemplate:LaunchTemplate")
    ebs = template["blockDeviceMappings"][0]["ebs"]
    assert (ebs["volumeSize"], ebs["iops"], ebs["throughput"]) == (1000, 6000, 1000)
    [inputs] = recorder.inputs(GROUP)
    assert inputs["capacityType"] == "SPOT"
    assert inputs["releaseVersion"] == "1.34.2-20261105"
    assert inputs["tags"]["k8s.io/cluster-autoscaler/node-template/resources/pods"] == "40"
    [schedule] = recorder.inputs("aws:autoscaling/schedule:Schedule")
    assert (schedule["minSize"], schedule["timeZone"]) == (9, "Europe/Berlin")
