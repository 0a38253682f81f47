from dataclasses import replace

import pytest

from localcloud.control_plane.nodes import (
    InstanceType,
    NodeGroup,
    Taint,
    allocatable,
    capacity,
    is_ready,
    node,
    reserved_cpu,
)
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
    said = labels_of(GROUP, 2)

    assert said["kubernetes.io/arch"] == "arm64"
    assert said["node.kubernetes.io/instance-type"] == "m7g.2xlarge"
    assert said["topology.kubernetes.io/zone"] == "us-east-1b"
    assert said["topology.kubernetes.io/region"] == "us-east-1"
    assert said["eks.amazonaws.com/nodegroup"] == "executors"
    assert said["eks.amazonaws.com/capacityType"] == "ON_DEMAND"
    assert said["role"] == "executor"


def test_machines_are_spread_evenly_over_the_zones():
    zones = [labels_of(GROUP, n)["topology.kubernetes.io/zone"] for n in range(1, 7)]

    assert zones == [*ZONES, *ZONES]


def test_on_demand_machines_are_all_of_the_first_type():
    assert {labels_of(GROUP, n)["node.kubernetes.io/instance-type"] for n in range(1, 7)} == {"m7g.2xlarge"}


def test_spot_machines_are_of_every_type_in_every_zone():
    spot = replace(GROUP, capacity_type="SPOT")
    made = [labels_of(spot, n) for n in range(1, 7)]
    pairs = {(m["node.kubernetes.io/instance-type"], m["topology.kubernetes.io/zone"]) for m in made}

    assert pairs == {(kind.name, zone) for kind in (ARM, OTHER_ARM) for zone in ZONES}


def test_kubernetes_own_taints_stay_where_the_group_says_nothing_of_them():
    unreachable = {"key": "node.kubernetes.io/unreachable", "effect": "NoExecute"}
    before = {"spec": {"taints": [unreachable, {"key": "old", "effect": "NoSchedule"}]}}

    assert node(GROUP, 1, before)["spec"]["taints"] == [
        {"key": "spark", "value": "executor", "effect": "NoSchedule"},
        unreachable,
    ]


def test_a_large_machine_has_more_pods_than_a_small_one():
    large = replace(ARM, vcpus=32)

    assert capacity(ARM, 20)["pods"] == "110"
    assert capacity(large, 20)["pods"] == "250"


# Figures of nodeadm's own table of reservations.
@pytest.mark.parametrize(("vcpus", "reserved"), [(1, 60), (2, 70), (4, 80), (8, 90), (96, 310)])
def test_kubelet_keeps_as_much_cpu_as_on_eks(vcpus, reserved):
    assert reserved_cpu(vcpus) == reserved


def test_pods_get_what_kubelet_and_eviction_leave():
    left = allocatable(ARM, disk=20)

    assert left["cpu"] == "7910m"
    assert left["memory"] == f"{32768 - 255 - 11 * 110 - 100}Mi"
    assert left["ephemeral-storage"] == f"{18 * 1024 - 1024}Mi"


def test_a_node_is_ready_once_kubernetes_has_lifted_its_taint():
    condition = {"type": "Ready", "status": "True"}
    tainted = {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}

    assert is_ready({"spec": {}, "status": {"conditions": [condition]}})
    assert not is_ready({"spec": {"taints": [tainted]}, "status": {"conditions": [condition]}})
    assert not is_ready({"spec": {}, "status": {}})


def test_the_number_of_machines_can_be_capped(monkeypatch):
    monkeypatch.setenv("MOKA_MACHINES", "2")

    assert GROUP.machines == 2
    assert replace(GROUP, count=1).machines == 1


def test_a_cap_that_is_no_number_is_refused(monkeypatch):
    monkeypatch.setenv("MOKA_MACHINES", "few")

    with pytest.raises(Refusal, match="MOKA_MACHINES is “few”"):
        _ = GROUP.machines
