"""Machines that leave, on a real API server; Celeborn's REST API and Auto Scaling are played."""

import json
from types import SimpleNamespace

import pytest
import yaml

from commands import machines_api
from commands.celeborn_api import Celeborn
from commands.machines_api import Nodes
from commands.shrink import Departure
from localcloud.control_plane.machines import InstanceType
from localcloud.control_plane.nodes import NodeGroup, apply_node_group, remove_node, remove_node_group
from moka.components.aws.node_group_guard import waited_for
from moka.machines.departure import LEAVING_ANNOTATION
from moka.names import CELEBORN_NAMESPACE
from tests.support.celeborn_server import CelebornServer

KIND = InstanceType(name="m7g.4xlarge", architecture="arm64", vcpus=16, memory=65536)
GROUP = NodeGroup(name="leaving", instance_types=(KIND,), zones=("us-east-1a", "us-east-1b"), count=3)


@pytest.fixture
def group(plane, api, monkeypatch):
    """Three machines, and a kubeconfig of their cluster."""
    monkeypatch.setattr("kubernetes.config.kube_config.KUBE_CONFIG_DEFAULT_LOCATION", str(plane.kubeconfig))
    apply_node_group(plane, GROUP)
    yield GROUP
    remove_node_group(plane, GROUP.name)


@pytest.fixture
def celeborn_namespace(api, until):
    """Celeborn's namespace, for pods of workers."""
    api.apply_all([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": CELEBORN_NAMESPACE}}])
    accounts = f"/api/v1/namespaces/{CELEBORN_NAMESPACE}/serviceaccounts"
    until(api, accounts, lambda account: account["metadata"]["name"] == "default")
    return CELEBORN_NAMESPACE


def make_pod(api, until, namespace, name, node, owned=True, **labels):
    """A pod that runs on a node."""
    owner = api.get(f"/api/v1/namespaces/{namespace}")["metadata"]
    reference = {
        "apiVersion": "v1",
        "kind": "Namespace",
        "name": namespace,
        "uid": owner["uid"],
        "controller": True,
    }
    pods = f"/api/v1/namespaces/{namespace}/pods"
    api.create(
        pods,
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": name,
                "labels": {key.replace("_", "-"): value for key, value in labels.items()},
                "ownerReferences": [reference] if owned else [],
            },
            "spec": {"nodeName": node, "containers": [{"name": "main", "image": "any"}]},
        },
    )
    until(api, pods, lambda pod: pod["metadata"]["name"] == name and pod["status"].get("phase") == "Running")


@pytest.fixture
def leave(plane, monkeypatch):
    """Have machines leave, and between two looks do something; what was said of them."""

    def run(*names, celeborn=None, meanwhile=lambda said: None):
        said, nodes = [], Nodes()
        monkeypatch.setattr("commands.shrink.sleep", lambda _: meanwhile(said))
        requests = celeborn and SimpleNamespace(
            masters=lambda: [celeborn.leader],
            request=lambda pod, port, path, body=None: celeborn.answer(pod, port, path, body)[1],
        )
        Departure(
            nodes=nodes,
            celeborn=lambda: Celeborn(requests),
            sizes=SimpleNamespace(make_room=lambda group, number: None, close=lambda group: None),
            end=lambda node: remove_node(plane, node.name),
            say=lambda machine, state, waits: said.append((machine, state, *waits)),
            left=[node for node in nodes.of_groups([GROUP.name]) if node.name in names],
        ).run()
        return said

    return run


def machines(api):
    members = api.list("/api/v1/nodes", labelSelector=f"eks.amazonaws.com/nodegroup={GROUP.name}")
    return {node["metadata"]["name"]: node for node in members}


def test_executors_are_evicted_drivers_are_waited_for_and_an_empty_machine_ends(
    api, group, namespace, until, leave
):
    make_pod(api, until, namespace, "driver", "leaving-1", owned=False, spark_role="driver")
    make_pod(api, until, namespace, "executor", "leaving-1", spark_role="executor")
    make_pod(api, until, namespace, "elsewhere", "leaving-3", spark_role="executor")
    pods = f"/api/v1/namespaces/{namespace}/pods"
    alone = ("leaving-1", "waits", f"driver {namespace}/driver to finish")

    def meanwhile(said):
        # It goes on running while its executor is gone.
        if alone in said:
            assert "leaving-1" in machines(api)
            api.merge(f"{pods}/driver/status", {"status": {"phase": "Succeeded"}})

    said = leave("leaving-1", "leaving-2", meanwhile=meanwhile)

    assert ("leaving-2", "ends") in said
    first = next(line for line in said if line[0] == "leaving-1")
    assert set(first[2:]) == {
        f"driver {namespace}/driver to finish",
        f"{namespace}/executor to stop",
    }
    assert said[-2:] == [alone, ("leaving-1", "ends")]
    assert list(machines(api)) == ["leaving-3"]
    assert api.get(f"{pods}/elsewhere")["status"]["phase"] == "Running"


def test_what_a_budget_keeps_or_nobody_would_make_again_is_waited_for(api, group, namespace, until, leave):
    make_pod(api, until, namespace, "kept", "leaving-1", app="kept")
    make_pod(api, until, namespace, "by-hand", "leaving-2", owned=False)
    budgets = f"/apis/policy/v1/namespaces/{namespace}/poddisruptionbudgets"
    budget = {"selector": {"matchLabels": {"app": "kept"}}, "minAvailable": 1}
    api.create(
        budgets,
        {
            "apiVersion": "policy/v1",
            "kind": "PodDisruptionBudget",
            "metadata": {"name": "kept"},
            "spec": budget,
        },
    )
    until(api, budgets, lambda one: one.get("status", {}).get("expectedPods"))
    pods = f"/api/v1/namespaces/{namespace}/pods"

    def meanwhile(said):
        api.delete(f"{budgets}/kept")
        api.merge(f"{pods}/by-hand/status", {"status": {"phase": "Succeeded"}})

    said = leave("leaving-1", "leaving-2", meanwhile=meanwhile)

    assert said[:2] == [
        ("leaving-1", "waits", f"{namespace}/kept, which its disruption budget keeps for now"),
        ("leaving-2", "waits", f"{namespace}/by-hand to finish, which nothing would make again"),
    ]
    assert list(machines(api)) == ["leaving-3"]


def test_a_worker_gives_up_its_data_before_its_machine_ends(api, group, celeborn_namespace, until, leave):
    role = {"app.kubernetes.io/role": "worker"}
    make_pod(api, until, celeborn_namespace, "celeborn-worker-3", "leaving-1", **role)
    celeborn = CelebornServer(polls=3)
    pods = f"/api/v1/namespaces/{celeborn_namespace}/pods"
    states = []

    def meanwhile(said):
        if pod := api.get(f"{pods}/celeborn-worker-3"):
            states.append((celeborn.state("celeborn-worker-3"), "deletionTimestamp" in pod["metadata"]))

    said = leave("leaving-1", celeborn=celeborn, meanwhile=meanwhile)

    assert celeborn.events == [("DECOMMISSIONTHENIDLE", ["celeborn-worker-3"])]
    assert said[0] == ("leaving-1", "waits", "celeborn-worker-3 to have no more data that a job needs")
    assert said[-1] == ("leaving-1", "ends")
    assert ("InDecommissionThenIdle", False) in states
    assert ("InDecommissionThenIdle", True) not in states, "it is not stopped while it has data"


def test_so_many_workers_stay_that_jobs_can_write_two_copies(api, group, celeborn_namespace, until, leave):
    role = {"app.kubernetes.io/role": "worker"}
    make_pod(api, until, celeborn_namespace, "celeborn-worker-0", "leaving-1", **role)
    celeborn = CelebornServer(workers=["celeborn-worker-0", "celeborn-worker-1"])

    def meanwhile(said):
        assert not celeborn.events or len(celeborn.workers) == 3
        celeborn.workers = [f"celeborn-worker-{n}" for n in range(3)]

    said = leave("leaving-1", celeborn=celeborn, meanwhile=meanwhile)

    assert said[0][2].startswith(
        "celeborn-worker-0: this leaves celeborn-worker-1 to take data, and jobs need"
    )
    assert celeborn.events == [("DECOMMISSIONTHENIDLE", ["celeborn-worker-0"])]
    assert said[-1] == ("leaving-1", "ends")


def test_an_interrupted_run_left_marks_and_who_uncordons_a_machine_has_it_back(
    api, group, namespace, until, leave
):
    make_pod(api, until, namespace, "driver", "leaving-1", owned=False, spark_role="driver")

    def interrupt(said):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        leave("leaving-1", meanwhile=interrupt)
    [again] = [node for node in machines_api.Nodes().of_groups([GROUP.name]) if node.leaving]
    assert again.name == "leaving-1"

    def uncordon(said):
        api.merge("/api/v1/nodes/leaving-1", {"spec": {"unschedulable": None}})

    said = leave("leaving-1", meanwhile=uncordon)

    assert said[-1] == ("leaving-1", "was uncordoned by hand, and stays")
    assert "leaving-1" in machines(api)


def test_a_generation_that_is_to_be_deleted_is_waited_for_until_nothing_of_jobs_is_on_it(
    plane, api, group, namespace, celeborn_namespace, until
):
    kubeconfig = json.dumps(yaml.safe_load(plane.kubeconfig.read_text()))
    worker = {"app.kubernetes.io/name": "celeborn", "app.kubernetes.io/role": "worker"}
    make_pod(api, until, namespace, "a", "leaving-1", spark_role="executor")
    make_pod(api, until, namespace, "b", "leaving-2", owned=False, spark_role="driver")
    make_pod(api, until, namespace, "page", "leaving-2")
    make_pod(api, until, namespace, "elsewhere", "arm-1", spark_role="executor")
    make_pod(api, until, celeborn_namespace, "celeborn-worker-9", "leaving-3", **worker)

    assert waited_for(kubeconfig, GROUP.name) == [
        f"driver {namespace}/b",
        f"executor {namespace}/a",
        "worker celeborn/celeborn-worker-9",
    ]
    pods = f"/api/v1/namespaces/{namespace}/pods"
    for name in ("a", "b"):
        api.merge(f"{pods}/{name}/status", {"status": {"phase": "Succeeded"}})
    api.delete("/api/v1/namespaces/celeborn/pods/celeborn-worker-9", gracePeriodSeconds=0)
    assert waited_for(kubeconfig, GROUP.name) == []


def test_a_node_that_is_cordoned_stays_so_whatever_is_deployed(plane, api, group):
    api.merge("/api/v1/nodes/leaving-2", {"spec": {"unschedulable": True}})

    apply_node_group(plane, GROUP)

    node = machines(api)["leaving-2"]
    assert node["spec"]["unschedulable"] is True
    assert LEAVING_ANNOTATION not in node["metadata"]["annotations"]
