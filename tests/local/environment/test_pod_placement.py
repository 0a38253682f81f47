"""Where Kubernetes' scheduler puts the pods of the platform: those of our own always, those of charts where
these are at hand (`MOKA_CHARTS`)."""

import base64
import gzip
import json
import subprocess
from collections import Counter
from collections.abc import Iterator

import pytest
import yaml
from kubernetes import client, config

from localcloud import commands, tools
from localcloud.cloud import Cloud
from localcloud.control_plane import ControlPlane
from localcloud.engine import Engine
from moka import catalog
from stacks import settings
from tests.support.chart_rendering import CHARTS, whole_chart_at_hand

SYSTEM, SHUFFLE = {"system"}, {"shuffle"}
EVERYWHERE = {"system", "driver", "executor", "shuffle"}
WORKERS = {"app.kubernetes.io/name": "celeborn", "app.kubernetes.io/role": "worker"}


@pytest.fixture(scope="module")
def with_charts(tmp_path_factory) -> Iterator[Engine]:
    """`local`, up on a cloud of its own with every chart rendered by Helm and applied."""
    for name in catalog.read().charts:
        whole_chart_at_hand(name)
    engine = Engine(Cloud(tmp_path_factory.mktemp("charts")))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MOKA_CHARTS", str(CHARTS))
        try:
            assert commands.up(engine, "local", ("--non-interactive",)) == 0
            yield engine
        finally:
            commands.stop(engine)


@pytest.fixture(scope="module", params=["our own", "charts"])
def api(request):
    """The cluster of `local`, without charts and with them."""
    engine = request.getfixturevalue("local" if request.param == "our own" else "with_charts")
    [plane] = ControlPlane.all(engine.cloud)
    return config.new_client_from_config(config_file=str(plane.kubeconfig))


@pytest.fixture(scope="module")
def nodes(api):
    """Nodes by name."""
    return {node.metadata.name: node for node in client.CoreV1Api(api).list_node().items}


def test_every_pod_runs_on_a_node_of_its_role(api, nodes):
    of_jobs = settings.load("local").job_namespaces
    every = client.CoreV1Api(api).list_pod_for_all_namespaces().items
    pods = [pod for pod in every if pod.metadata.namespace not in of_jobs]

    assert pods
    for pod in pods:
        name = f"{pod.metadata.namespace}/{pod.metadata.name}"
        assert pod.status.phase in ("Running", "Succeeded"), f"{name}: {pod.status.conditions}"
        role = nodes[pod.spec.node_name].metadata.labels["moka.dev/role"]
        assert role in roles_of(pod), f"{name} is on {pod.spec.node_name}"


def roles_of(pod) -> set[str]:
    """Roles of the nodes that a pod may be on."""
    if pod.metadata.owner_references[0].kind == "DaemonSet":
        return EVERYWHERE
    return SHUFFLE if WORKERS.items() <= (pod.metadata.labels or {}).items() else SYSTEM


def test_no_pod_is_missing(api, nodes):
    apps = client.AppsV1Api(api)

    short = {
        f"{workload.metadata.namespace}/{workload.metadata.name}": (
            workload.status.ready_replicas,
            workload.spec.replicas,
        )
        for workloads in (
            apps.list_deployment_for_all_namespaces(),
            apps.list_stateful_set_for_all_namespaces(),
        )
        for workload in workloads.items
        if workload.status.ready_replicas != workload.spec.replicas
    }
    assert short == {}
    for daemon in apps.list_daemon_set_for_all_namespaces().items:
        assert daemon.status.number_ready == len(nodes), daemon.metadata.name


def test_pods_that_stay_apart_do(api, nodes):
    """Two of a kind on one node, or all in one zone, would go together."""
    for workload in client.AppsV1Api(api).list_stateful_set_for_all_namespaces().items:
        selector = ",".join(f"{key}={value}" for key, value in workload.spec.selector.match_labels.items())
        pods = client.CoreV1Api(api).list_pod_for_all_namespaces(label_selector=selector).items
        where = [nodes[pod.spec.node_name].metadata for pod in pods]
        assert max(Counter(node.name for node in where).values()) == 1, workload.metadata.name
        zones = Counter(node.labels["topology.kubernetes.io/zone"] for node in where)
        assert len(zones) == min(3, workload.spec.replicas), workload.metadata.name


@pytest.fixture
def strictly(with_charts, tmp_path):
    """Have the API server look at manifests to the last field, and change nothing.

    Namespace of what names none, manifests -> kubectl's answer.
    """
    [plane] = ControlPlane.all(with_charts.cloud)
    access = json.loads(plane.kubeconfig.read_text())

    def ask(namespace: str, manifests: str) -> subprocess.CompletedProcess[str]:
        # As an option, kubectl would refuse what names another one.
        access["contexts"][0]["context"]["namespace"] = namespace
        kubeconfig = tmp_path / "kubeconfig"
        kubeconfig.write_text(json.dumps(access))
        return subprocess.run(
            [
                tools.path("kubectl"), "apply", "--kubeconfig", kubeconfig, "--filename", "-",
                "--server-side", "--force-conflicts", "--dry-run=server", "--validate=strict",
            ],
            input=manifests,
            capture_output=True,
            text=True,
            check=False,
        )  # fmt: skip

    return ask


def test_every_object_of_every_chart_is_one_that_kubernetes_knows_to_the_last_field(with_charts, strictly):
    """Helm asks the API server to be lenient: what is misspelt in resources or affinity goes unsaid."""
    [plane] = ControlPlane.all(with_charts.cloud)
    deployed = plane.api().list("/api/v1/secrets", labelSelector="owner=helm,status=deployed")
    assert {secret["metadata"]["labels"]["name"] for secret in deployed} == set(catalog.read().values)

    for secret in deployed:
        release = json.loads(gzip.decompress(base64.b64decode(base64.b64decode(secret["data"]["release"]))))
        texts = [release["manifest"], *(hook["manifest"] for hook in release.get("hooks") or [])]
        apply = strictly(release["namespace"], "\n---\n".join(texts))
        assert apply.returncode == 0, f"{release['name']}: {apply.stderr}"
        assert "serverside-applied (server dry run)" in apply.stdout


def test_a_field_that_kubernetes_does_not_know_would_be_told(strictly):
    container = {"name": "main", "image": "any", "resources": {"request": {"cpu": "1"}}}
    wrong = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "misspelt"},
        "spec": {"containers": [container]},
    }

    apply = strictly("default", yaml.safe_dump(wrong))

    assert apply.returncode != 0
    assert ".resources.request: field not declared in schema" in apply.stderr
