from dataclasses import replace

import pytest

from aws_rules.eks.capacity import max_unavailable
from localcloud.control_plane.machines import InstanceType
from localcloud.control_plane.nodes import NodeGroup, Taint, balanced_places, node, ready
from localcloud.errors import Refusal

ARM = InstanceType(name="m7g.2xlarge", architecture="arm64", vcpus=8, memory=32768)
OTHER_ARM = InstanceType(name="r7g.2xlarge", architecture="arm64", vcpus=8, memory=65536)
ZONES = ("us-east-1a", "us-east-1b", "us-east-1c")
GROUP = NodeGroup(
    name="executors",
    instance_types=(ARM, OTHER_ARM),
    zones=ZONES,
    count=6,
    labels={"role": "executor"},
    taints=(Taint(key="spark", value="executor", effect="NoSchedule"),),
)


def labels_of(group, number):
    return node(group, number)["metadata"]["labels"]


def test_a_node_says_where_and_what_it_is_as_on_eks():
    labels = labels_of(GROUP, 2)

    assert labels["kubernetes.io/arch"] == "arm64"
    assert labels["node.kubernetes.io/instance-type"] == "m7g.2xlarge"
    assert labels["topology.kubernetes.io/zone"] == "us-east-1b"
    assert labels["topology.kubernetes.io/region"] == "us-east-1"
    assert labels["eks.amazonaws.com/nodegroup"] == "executors"
    assert labels["eks.amazonaws.com/capacityType"] == "ON_DEMAND"
    assert labels["role"] == "executor"


def test_machines_are_spread_evenly_over_the_zones():
    zones = [labels_of(GROUP, n)["topology.kubernetes.io/zone"] for n in range(1, 7)]

    assert zones == [*ZONES, *ZONES]


def test_on_demand_machines_are_all_of_the_first_type():
    assert {labels_of(GROUP, n)["node.kubernetes.io/instance-type"] for n in range(1, 7)} == {"m7g.2xlarge"}


def test_spot_machines_are_of_every_type_in_every_zone():
    spot = replace(GROUP, capacity_type="SPOT")
    machines = [labels_of(spot, n) for n in range(1, 7)]
    pairs = {(m["node.kubernetes.io/instance-type"], m["topology.kubernetes.io/zone"]) for m in machines}

    assert pairs == {(kind.name, zone) for kind in (ARM, OTHER_ARM) for zone in ZONES}


def test_kubernetes_own_taints_stay_where_the_group_says_nothing_of_them():
    unreachable = {"key": "node.kubernetes.io/unreachable", "effect": "NoExecute"}
    before = {"spec": {"taints": [unreachable, {"key": "old", "effect": "NoSchedule"}]}}

    assert node(GROUP, 1, before)["spec"]["taints"] == [
        {"key": "spark", "value": "executor", "effect": "NoSchedule"},
        unreachable,
    ]


def test_the_machines_of_a_group_with_one_subnet_are_in_its_zone():
    group = replace(GROUP, zones=("us-east-1b",))

    assert {labels_of(group, n)["topology.kubernetes.io/zone"] for n in range(1, 7)} == {"us-east-1b"}


def test_a_node_says_which_kubelet_its_image_has():
    group = replace(GROUP, release="1.33.5-20261105")

    assert node(group, 1)["status"]["nodeInfo"]["kubeletVersion"] == "v1.33.5"


@pytest.mark.parametrize(
    ("update", "count", "machines"),
    [
        ({}, 10, 1),
        ({"maxUnavailable": 3}, 10, 3),
        ({"maxUnavailablePercentage": 25}, 10, 3),
        ({"maxUnavailablePercentage": 10}, 0, 1),
    ],
)
def test_as_many_machines_are_replaced_at_once_as_eks_would(update, count, machines):
    assert max_unavailable(update, count) == machines


def test_a_node_ready_once_kubernetes_has_lifted_its_taint():
    condition = {"type": "Ready", "status": "True"}
    tainted = {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}

    assert ready({"spec": {}, "status": {"conditions": [condition]}})
    assert not ready({"spec": {"taints": [tainted]}, "status": {"conditions": [condition]}})
    assert not ready({"spec": {}, "status": {}})


def test_the_number_of_machines_can_be_capped(monkeypatch):
    monkeypatch.setenv("MOKA_MACHINES", "2")

    assert GROUP.machines == 2
    assert replace(GROUP, count=1).machines == 1


def test_a_cap_that_is_no_number_is_refused(monkeypatch):
    monkeypatch.setenv("MOKA_MACHINES", "few")

    with pytest.raises(Refusal, match="MOKA_MACHINES is “few”"):
        _ = GROUP.machines


@pytest.mark.parametrize(
    ("had", "count", "places"),
    [
        ([], 4, [1, 2, 3, 4]),
        ([1, 2, 3, 4, 5, 6], 4, [1, 2, 3, 4]),
        # One more in a zone is no reason to move a machine.
        ([1, 3, 4, 5, 6], 5, [1, 3, 4, 5, 6]),
        # Two machines of zone b are gone: one of a fuller zone ends, and one begins there.
        ([1, 3, 4, 6], 4, [1, 2, 3, 4]),
        ([1, 3, 4, 6], 6, [1, 2, 3, 4, 5, 6]),
    ],
)
def test_machines_are_spread_over_three_zones_and_stay_as_far_as_that_can_be(had, count, places):
    assert balanced_places(had, count, 3) == places


def test_machines_of_one_zone_are_never_moved():
    assert balanced_places([1, 7, 9], 3, 1) == [1, 7, 9]


def test_a_machine_says_what_a_device_plugin_will_find_and_shows_no_gpu_before():
    gpu = InstanceType(name="g6.xlarge", architecture="amd64", vcpus=4, memory=16384, gpus=1)
    machine = node(replace(GROUP, instance_types=(gpu,)), 1)

    assert machine["metadata"]["annotations"]["localcloud/gpus"] == "1"
    assert "nvidia.com/gpu" not in machine["status"]["allocatable"]
