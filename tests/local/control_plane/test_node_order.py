"""Where the real scheduler puts pods, by the order of nodes that a cluster's profile gives it."""

from dataclasses import replace
from uuid import uuid4

import pytest

from commands.yunikorn_api import SchedulerUnreachable, queue_differences
from localcloud.control_plane.machines import InstanceType
from localcloud.control_plane.nodes import GROUP, NodeGroup, apply_node_group, remove_node_group
from localcloud.control_plane.stand_ins.charts import yunikorn_url
from moka.queues import Leaf, grow, queues_yaml

MACHINE = InstanceType(name="m7g.4xlarge", architecture="arm64", vcpus=16, memory=65536)
TREE = grow([Leaf(organization="acme", project="ordered", tier=1)])
QUEUE = "root.acme.ordered.tier1"
ZONES = ("us-east-1a", "us-east-1b", "us-east-1c")


@pytest.fixture
def group(plane):
    """Three machines that were never used."""
    name = f"ordered-{uuid4().hex[:8]}"
    apply_node_group(plane, NodeGroup(name=name, instance_types=(MACHINE,), zones=ZONES, count=3))
    yield name
    remove_node_group(plane, name)


def in_force(plane, tree):
    """Whether the scheduler has a tree, with its order of nodes, and nothing else."""
    try:
        return not queue_differences(tree, yunikorn_url(plane))
    except SchedulerUnreachable:
        return False


def pod(name, group):
    labels = {"yunikorn.apache.org/app-id": "one", "yunikorn.apache.org/queue": QUEUE}
    container = {"name": "main", "image": "any", "resources": {"requests": {"cpu": "2", "memory": "8Gi"}}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": labels},
        "spec": {
            "schedulerName": "yunikorn",
            "nodeSelector": {GROUP: group},
            "containers": [container],
        },
    }


@pytest.mark.parametrize(("order", "machines"), [("binpacking", 1), ("fair", 3)])
def test_pods_fill_a_machine_or_are_spread_over_all(
    plane, api, group, other_queues, namespace, until, eventually, order, machines
):
    tree = replace(TREE, node_order=order)
    other_queues(queues_yaml(tree))
    other = replace(tree, node_order={"binpacking": "fair", "fair": "binpacking"}[order])
    eventually(lambda: in_force(plane, tree))
    assert [str(difference) for difference in queue_differences(other, yunikorn_url(plane))] == [
        f"root sorts nodes by {order}, but should by {other.node_order}."
    ]
    pods = f"/api/v1/namespaces/{namespace}/pods"

    nodes = set()
    for _ in range(3):
        name = f"pod-{uuid4().hex[:8]}"
        api.create(pods, pod(name, group))
        placed = until(
            api,
            pods,
            lambda live, name=name: (
                live["metadata"]["name"] == name and live["status"].get("phase") == "Running"
            ),
        )
        nodes.add(placed["spec"]["nodeName"])

    assert len(nodes) == machines
