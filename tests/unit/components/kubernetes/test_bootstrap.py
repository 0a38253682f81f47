import pytest

from moka.components.kubernetes.bootstrap import (
    Bootstrap,
    BootstrapArgs,
    BootstrapDaemonSet,
    BootstrapFolder,
)

FUSE = {
    "image": "registry.example/fuse:1",
    "ready": ["mountpoint", "-q", "/mnt/fuse/data"],
    "roles": ["executor", "driver"],
    "env": {"MOUNT": "/mnt/fuse/data"},
    "cpu": "50m",
    "memory": "128Mi",
}


@pytest.fixture
def recorder(deploy):
    """What is made of two DaemonSets: one that mounts on its node, and one without rights on it."""
    folder = BootstrapFolder(path="/mnt/fuse", mount="/mnt/fuse", propagation="Bidirectional")
    args = BootstrapArgs(
        daemon_sets={
            "fuse": BootstrapDaemonSet(**FUSE, privileged=True, folders=[folder]),
            "agent": BootstrapDaemonSet(**{**FUSE, "image": "registry.example/agent:1"}),
        },
        namespace="bootstrap",
        curl_image="quay.io/curl/curl:8.17.0",
        pause_image="registry.k8s.io/pause:3.10",
    )
    return deploy(lambda: Bootstrap("spark-a-bootstrap", args))


@pytest.fixture
def pods(recorder):
    daemon_sets = recorder.by_name("kubernetes:apps/v1:DaemonSet")
    return {
        name: daemon_sets[f"spark-a-bootstrap-{name}"]["spec"]["template"]["spec"]
        for name in ("fuse", "agent")
    }


def test_a_node_is_opened_only_after_what_it_waits_for_has_started(pods):
    """The kubelet starts the next init container once a sidecar's startup probe has succeeded."""
    sidecar, opener = pods["fuse"]["initContainers"]

    assert sidecar["restartPolicy"] == "Always"
    assert sidecar["startupProbe"]["exec"]["command"] == ["mountpoint", "-q", "/mnt/fuse/data"]
    assert opener.get("restartPolicy") is None
    assert {"name": "TAINT", "value": "startup-taint.cluster-autoscaler.kubernetes.io/fuse"} in opener["env"]


def test_it_runs_on_nodes_of_its_roles_whatever_their_taints(pods):
    [term] = pods["fuse"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"][
        "nodeSelectorTerms"
    ]
    assert term["matchExpressions"] == [
        {"key": "moka.dev/role", "operator": "In", "values": ["driver", "executor"]}
    ]
    assert pods["fuse"]["tolerations"] == [{"operator": "Exists"}]


def test_what_it_mounts_on_its_node_others_see(pods):
    [mount] = pods["fuse"]["initContainers"][0]["volumeMounts"]

    assert (mount["mountPath"], mount["mountPropagation"]) == ("/mnt/fuse", "Bidirectional")
    assert pods["fuse"]["volumes"][0]["hostPath"] == {"path": "/mnt/fuse", "type": "DirectoryOrCreate"}


def test_only_what_opens_the_node_has_a_token(pods):
    for pod in pods.values():
        sidecar, opener = pod["initContainers"]
        holders = [
            container["name"]
            for container in (sidecar, opener, *pod["containers"])
            if any(mount["name"] == "account" for mount in container.get("volumeMounts") or ())
        ]
        assert pod["automountServiceAccountToken"] is False
        assert holders == ["open-node"]


def test_it_has_rights_on_its_node_only_where_it_is_to(pods):
    assert pods["fuse"]["initContainers"][0]["securityContext"] == {"privileged": True}
    assert pods["agent"]["initContainers"][0]["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert pods["fuse"]["initContainers"][1]["securityContext"]["runAsNonRoot"] is True


def test_the_right_to_change_nodes_is_not_there_before_what_bounds_it(recorder):
    [role] = [request for path, request in recorder.tree().items() if "v1:ClusterRole::" in path]

    assert any("ValidatingAdmissionPolicyBinding::" in urn for urn in role.dependencies)
