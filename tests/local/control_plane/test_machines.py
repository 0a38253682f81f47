from dataclasses import replace

import pytest

from localcloud.control_plane import nodes as nodes_module
from localcloud.control_plane.machines import InstanceType
from localcloud.control_plane.nodes import (
    NodeGroup,
    Taint,
    apply_node_group,
    capped_groups,
    missing_machines,
    ready,
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
    members = api.list("/api/v1/nodes", labelSelector=f"eks.amazonaws.com/nodegroup={group}")
    return {node["metadata"]["name"]: node for node in members}


def by_place(machines):
    return {node["metadata"]["annotations"]["localcloud/place"]: node for node in machines.values()}


def pod_on(node):
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "here"},
        "spec": {"nodeName": node, "containers": [{"name": "main", "image": "any"}]},
    }


def test_machines_of_both_architectures_are_ready(api):
    machines = [*nodes(api, "arm").values(), *nodes(api, "intel").values()]

    assert all(ready(node) for node in machines)
    assert [node["status"]["nodeInfo"]["architecture"] for node in machines] == ["arm64"] * 3 + ["amd64"] * 3


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


def test_another_revision_replaces_the_machines_place_by_place(plane, api, shuffle):
    before = nodes(api)

    apply_node_group(plane, replace(shuffle, revision="1.34", release="1.34.2-20261105"))

    after = nodes(api)
    assert before.keys() & after.keys() == set(), "a new machine has a new name"
    for places in (by_place(before), by_place(after)):
        assert places.keys() == {"1", "2", "3"}
    for place, machine in by_place(after).items():
        zone = "topology.kubernetes.io/zone"
        assert machine["metadata"]["labels"][zone] == by_place(before)[place]["metadata"]["labels"][zone]
        assert machine["status"]["nodeInfo"]["kubeletVersion"] == "v1.34.2"


def test_the_new_machine_is_ready_before_the_old_one_goes(plane, api, shuffle, monkeypatch):
    seen = []
    real = nodes_module._remove

    def remove(plane, names):
        if names:
            seen.append((len(names), sum(ready(node) for node in nodes(api).values())))
        real(plane, names)

    monkeypatch.setattr(nodes_module, "_remove", remove)
    apply_node_group(plane, replace(shuffle, revision="2", max_unavailable=2))

    assert seen == [(2, 5), (1, 4)], "three machines serve throughout"


def test_an_upgrade_that_was_cut_off_is_brought_to_its_end(plane, api, shuffle, monkeypatch):
    def cut_off(plane, names):
        if names:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(nodes_module, "_remove", cut_off)
        with pytest.raises(KeyboardInterrupt):
            apply_node_group(plane, replace(shuffle, revision="2"))
    assert len(nodes(api)) == 4

    apply_node_group(plane, replace(shuffle, revision="2"))

    assert by_place(nodes(api)).keys() == {"1", "2", "3"} and len(nodes(api)) == 3
    assert {n["metadata"]["annotations"]["localcloud/revision"] for n in nodes(api).values()} == {"2"}


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
    assert capped_groups(plane) == [
        "Node group shuffle of spark-a has 2 of its 450 machines, because of MOKA_MACHINES."
    ]
    remove_node_group(plane, GROUP.name)
    assert capped_groups(plane) == []


def test_uneven_zones_are_made_even_and_what_ran_on_the_machine_that_ends_dies(plane, api):
    group = replace(GROUP, name="spanning", count=4)
    apply_node_group(plane, group)
    try:
        for name in ("spanning-2", "spanning-4"):
            api.delete(f"/api/v1/nodes/{name}")
        api.create("/api/v1/namespaces/default/pods", pod_on("spanning-3"))

        assert missing_machines(plane, "spanning") == 2
        assert apply_node_group(plane, replace(group, count=2)) == {"spanning-3"}

        zones = [
            node["metadata"]["labels"]["topology.kubernetes.io/zone"]
            for node in nodes(api, "spanning").values()
        ]
        assert sorted(zones) == ["us-east-1a", "us-east-1b"]
        assert api.get("/api/v1/namespaces/default/pods/here") is None
        events = api.list("/api/v1/namespaces/default/events", fieldSelector="reason=ZonesRebalanced")
        assert any("Pod here ends, as its machine goes" in event["message"] for event in events)
    finally:
        remove_node_group(plane, "spanning")


def test_where_old_machines_go_first_there_are_never_more_than_the_desired_ones(
    plane, api, shuffle, monkeypatch
):
    most = 0
    make = nodes_module._await_ready

    def count(*arguments):
        nonlocal most
        make(*arguments)
        most = max(most, len(nodes(api)))

    monkeypatch.setattr(nodes_module, "_await_ready", count)
    apply_node_group(plane, replace(GROUP, revision="2", launches_first=False))

    assert most == 3
    assert {node["metadata"]["annotations"]["localcloud/revision"] for node in nodes(api).values()} == {"2"}


def test_gpus_are_there_once_a_device_plugin_runs_on_the_machine(plane, api):
    kind = InstanceType(name="g6.xlarge", architecture="amd64", vcpus=4, memory=16384, gpus=1)
    apply_node_group(plane, replace(GROUP, name="gpu", count=1, instance_types=(kind,), taints=()))
    try:
        assert "nvidia.com/gpu" not in nodes(api, "gpu")["gpu-1"]["status"]["allocatable"]
        labels = {"app": "device-plugin"}
        container = {"name": "plugin", "image": "nvcr.io/nvidia/k8s-device-plugin:v0.18.0"}
        api.create(
            "/apis/apps/v1/namespaces/kube-system/daemonsets",
            {
                "apiVersion": "apps/v1",
                "kind": "DaemonSet",
                "metadata": {"name": "device-plugin"},
                "spec": {
                    "selector": {"matchLabels": labels},
                    "template": {
                        "metadata": {"labels": labels},
                        "spec": {
                            "nodeSelector": {"kubernetes.io/hostname": "gpu-1"},
                            "containers": [container],
                        },
                    },
                },
            },
        )
        for node in api.follow("/api/v1/nodes", fieldSelector="metadata.name=gpu-1", timeoutSeconds="60"):
            if node["status"]["allocatable"].get("nvidia.com/gpu") == "1":
                break
        assert nodes(api, "gpu")["gpu-1"]["status"]["capacity"]["nvidia.com/gpu"] == "1"
    finally:
        api.delete("/apis/apps/v1/namespaces/kube-system/daemonsets/device-plugin")
        remove_node_group(plane, "gpu")
