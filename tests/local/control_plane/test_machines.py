from dataclasses import replace

import pytest

from localcloud.control_plane.nodes import (
    InstanceType,
    NodeGroup,
    Taint,
    apply_node_group,
    capped,
    is_ready,
    remove_node_group,
)

GROUP = NodeGroup(
    name="shuffle",
    instance_types=(InstanceType(name="r7g.2xlarge", architecture="arm64", vcpus=8, memory=65536),),
    zones=("us-east-1a", "us-east-1b"),
    count=3,
    labels={"role": "shuffle"},
    taints=(Taint(key="shuffle", value="true", effect="NoSchedule"),),
)


@pytest.fixture
def shuffle(plane):
    apply_node_group(plane, GROUP)
    yield GROUP
    remove_node_group(plane, GROUP.name)


def nodes(api, group="shuffle"):
    found = api.list("/api/v1/nodes", labelSelector=f"eks.amazonaws.com/nodegroup={group}")
    return {node["metadata"]["name"]: node for node in found}


def pod_on(node):
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "here"},
        "spec": {"nodeName": node, "containers": [{"name": "main", "image": "any"}]},
    }


def test_machines_of_both_architectures_are_ready(api):
    found = [*nodes(api, "arm").values(), *nodes(api, "intel").values()]

    assert all(is_ready(node) for node in found)
    assert [node["status"]["nodeInfo"]["architecture"] for node in found] == ["arm64"] * 3 + ["amd64"] * 3


def test_a_group_grows_and_shrinks_by_its_last_machines(plane, api, shuffle):
    first = nodes(api)["shuffle-1"]["metadata"]["uid"]

    apply_node_group(plane, replace(shuffle, count=5))
    assert sorted(nodes(api)) == [f"shuffle-{n}" for n in (1, 2, 3, 4, 5)]
    apply_node_group(plane, replace(shuffle, count=1))

    assert {name: node["metadata"]["uid"] for name, node in nodes(api).items()} == {"shuffle-1": first}


def test_a_change_of_labels_and_taints_reaches_the_machines_that_are_there(plane, api, shuffle):
    apply_node_group(plane, replace(shuffle, labels={"tier": "1"}, taints=()))

    node = nodes(api)["shuffle-1"]
    assert node["metadata"]["labels"]["tier"] == "1"
    assert "role" not in node["metadata"]["labels"]
    assert not node["spec"].get("taints")


def test_pods_of_a_removed_group_go_with_it(plane, api, shuffle, namespace, until):
    pods = f"/api/v1/namespaces/{namespace}/pods"
    api.create(pods, pod_on("shuffle-1"))
    until(api, pods, lambda pod: pod["status"]["phase"] == "Running")

    remove_node_group(plane, shuffle.name)

    assert nodes(api) == {}
    assert api.list(pods) == []


def test_a_capped_group_is_listed_with_what_it_lacks(plane, api, monkeypatch):
    monkeypatch.setenv("MOKA_MACHINES", "2")
    apply_node_group(plane, replace(GROUP, count=450))

    assert sorted(nodes(api)) == ["shuffle-1", "shuffle-2"]
    assert capped(plane) == [
        "Node group shuffle of spark-a has 2 of its 450 machines, as MOKA_MACHINES says."
    ]
    remove_node_group(plane, GROUP.name)
    assert capped(plane) == []
