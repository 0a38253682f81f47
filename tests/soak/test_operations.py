"""Walks of docs/operations under load: a Kubernetes upgrade, an AMI roll, a chart's upgrade, a lost zone, a
lost cluster, a cluster replaced by another, and a teardown that leaves nothing.

Real are the engine, the API servers, YuniKorn and the Spark Operator. Simulated are machines, and what
drivers do. The control plane's version is a number in EKS's answer: the API server that runs is the laptop's
own, before and after.
"""

import copy
import json
import os
from collections.abc import Iterator
from subprocess import Popen
from typing import Any

import pytest
import yaml

from localcloud import commands
from localcloud.aws_server import AwsServer
from localcloud.cloud import REPOSITORY
from localcloud.control_plane import ControlPlane
from localcloud.control_plane.api import Api, Object, path_of
from localcloud.engine import Engine
from localcloud.plugins.aws.provider import Aws
from localcloud.plugins.provider import Target
from moka.addon_versions import ADDON_VERSIONS
from stacks import settings
from tests.local.aws.examples.example import Console
from tests.support.pulumi_stack import PulumiStack, leftovers, moka, read_until, succeeded

STACK = "local"
FROM, TO = "1.34", "1.35"
NEWER_IMAGE = "1.35.8-20260930"
JOB = yaml.safe_load((REPOSITORY / "examples" / "jobs" / "pi.yaml").read_text())
APPLICATIONS = "/apis/sparkoperator.k8s.io/v1beta2/namespaces/spark-jobs/sparkapplications"
PODS = "/api/v1/namespaces/spark-jobs/pods"
OF_ALL_CLUSTERS = [
    f"spark-a-{name}" for name in ("allocator", "archer", "archer-worker", "history-gate", "metrics-store")
]
"""What is at home, and reads all clusters."""

ZONES = ["us-east-1a", "us-east-1b"]
DRIVERS = {
    "role": "driver",
    "architecture": "amd64",
    "instance_types": ["r6i.2xlarge"],
    "zones": ZONES,
    "minimum": 2,
    "maximum": 4,
}
OLD_TYPES = {"instance_types": DRIVERS["instance_types"]}


class Walk:
    """`local` without a shuffle service, whose clusters a test may change, and jobs on it."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.pulumi = PulumiStack(engine, STACK)
        self.settings = yaml.safe_load(settings.path_of("local").read_text())
        cluster = self.settings["clusters"]["spark-a"]
        del cluster["shuffle"]
        groups = cluster["node_groups"]
        cluster["version"] = FROM
        cluster["node_groups"] = {
            "system": {**groups["system"], "zones": ZONES},
            "executor": {**groups["executor-amd64"], "zones": ZONES, "desired": 4},
            "driver": DRIVERS,
        }

    @property
    def cluster(self) -> dict[str, Any]:
        """Settings of spark-a."""
        cluster: dict[str, Any] = self.settings["clusters"]["spark-a"]
        return cluster

    def write(self) -> None:
        """Write the settings."""
        file = self.engine.project / "stacks" / "local.yaml"
        file.write_text(yaml.safe_dump(self.settings, sort_keys=False))

    def try_run(self, verb: str, *arguments: str) -> tuple[int, str]:
        """Exit status and output."""
        with self.start(verb, *arguments) as process:
            output = process.communicate()[0]
        return process.returncode, output

    def start(self, verb: str, *arguments: str) -> Popen[str]:
        """Begin a command with the settings."""
        self.write()
        return self.pulumi.start(verb, *arguments)

    def up(self) -> None:
        """`pulumi up` with the settings."""
        self.write()
        self.pulumi.up()

    def versions(self, kind: str, name: str, version: str) -> dict[str, str]:
        """Name -> version of EKS's resources of a kind, as the state has EKS's answer."""
        found = [thing["outputs"] for thing in self.pulumi.state() if thing["type"] == f"aws:{kind}"]
        return {thing[name]: thing[version] for thing in found}

    def api(self, cluster: str = "spark-a") -> Api:
        """Its API server."""
        return ControlPlane(self.engine.cloud, f"moka-local-{cluster}").api()

    def submit(self, name: str, cluster: str = "spark-a") -> Object:
        """Submit a job that runs until it is told to end; its driver, once it runs."""
        file = self.engine.project / f"{name}.yaml"
        job = {
            **JOB,
            "name": name,
            "architecture": "amd64",
            "restart": {"policy": "on-failure", "seconds": 1},
        }
        file.write_text(yaml.safe_dump(job))
        target = self.engine.project / "outputs.json"
        target.write_text(json.dumps(self.pulumi.outputs()))
        rendered = moka(
            self.engine, "job", "render", "--target", str(target), "--cluster", cluster, str(file)
        )
        api = self.api(cluster)
        for thing in yaml.safe_load_all(succeeded(rendered).stdout):
            annotations = thing["spec"]["driver"]["template"]["metadata"].setdefault("annotations", {})
            annotations["localcloud/runs-for"] = "100000"
            api.apply(path_of(thing), thing)
        return running(api, name)

    def ends(self, name: str, cluster: str = "spark-a") -> None:
        """Have a job's driver end; wait until its application is over."""
        api = self.api(cluster)
        api.merge(f"{PODS}/{name}-driver", {"metadata": {"annotations": {"localcloud/runs-for": "0"}}})
        for thing in api.follow(APPLICATIONS):
            if thing["metadata"]["name"] == name and state_of(thing) in ("COMPLETED", "FAILED"):
                assert state_of(thing) == "COMPLETED"
                return


def state_of(application: Object) -> str:
    state: str = (application.get("status") or {}).get("applicationState", {}).get("state", "")
    return state


def running(api: Api, name: str) -> Object:
    """A job's driver, once it runs."""
    for pod in api.follow(PODS):
        if pod["metadata"]["name"] == f"{name}-driver" and pod["status"].get("phase") == "Running":
            return pod
    raise AssertionError(f"{name} does not run")


def nodes(api: Api, group: str) -> list[Object]:
    return api.list("/api/v1/nodes", labelSelector=f"moka.dev/node-group={group}")


def kubelets(api: Api, group: str) -> set[str]:
    return {node["status"]["nodeInfo"]["kubeletVersion"] for node in nodes(api, group)}


def zone_of(node: Object) -> str:
    zone: str = node["metadata"]["labels"]["topology.kubernetes.io/zone"]
    return zone


def drivers(api: Api) -> list[Object]:
    return api.list(PODS, labelSelector="spark-role=driver", fieldSelector="status.phase=Running")


@pytest.fixture(scope="module")
def walk(copied_once: Engine) -> Iterator[Walk]:
    os.environ["MOKA_MACHINES"] = "4"
    walk = Walk(copied_once)
    walk.write()
    assert commands.up(copied_once, STACK, ("--non-interactive",)) == 0
    yield walk
    del os.environ["MOKA_MACHINES"]


def same_driver(walk: Walk, before: Object, cluster: str = "spark-a") -> bool:
    """Whether a driver that ran before is the one that runs now."""
    now = walk.api(cluster).get(f"{PODS}/{before['metadata']['name']}")
    return bool(
        now
        and now["metadata"]["uid"] == before["metadata"]["uid"]
        and now["status"]["phase"] == "Running"
        and "deletionTimestamp" not in now["metadata"]
    )


def urns(walk: Walk) -> set[str]:
    return {resource.urn for resource in walk.engine.resources(STACK)}


def delete_cluster(walk: Walk) -> None:
    """Delete the cluster, and what has to go before it, as a person does in EKS's console."""
    cloud = walk.engine.cloud
    provider = Aws(cloud, AwsServer(cloud).url)
    for kind in ("NodeGroup", "Addon", "Cluster"):
        for resource in walk.engine.resources(STACK):
            if resource.type == f"aws:eks/{kind[0].lower()}{kind[1:]}:{kind}":
                target = Target(resource.urn, resource.id)
                provider.delete(target, resource.inputs, resource.outputs, 0)


def test_an_upgrade_of_kubernetes_ends_no_running_driver(walk):
    api = walk.api()
    driver = walk.submit("long")
    assert kubelets(api, "driver") == kubelets(api, "executor") == {f"v{FROM}.0"}

    walk.cluster["version"] = TO
    status, output = walk.try_run("preview")
    assert status != 0
    assert "would replace the machines of node group spark-a-driver" in output

    walk.cluster["node_groups"]["driver"] = {**DRIVERS, "generation": 2, "retiring": {1: OLD_TYPES}}
    walk.up()

    assert same_driver(walk, driver)
    assert walk.versions("eks/cluster:Cluster", "name", "version") == {"moka-local-spark-a": TO}
    assert walk.versions("eks/addon:Addon", "addonName", "addonVersion") == ADDON_VERSIONS[TO]
    assert kubelets(api, "system") == kubelets(api, "executor") == {f"v{TO}.0"}
    [its_node] = [n for n in nodes(api, "driver") if n["metadata"]["name"] == driver["spec"]["nodeName"]]
    assert its_node["status"]["nodeInfo"]["kubeletVersion"] == f"v{FROM}.0"

    later = walk.submit("later")
    assert "-g2" in later["spec"]["nodeName"]

    walk.cluster["node_groups"]["driver"] = {**DRIVERS, "generation": 2}
    with walk.start("up", "--yes", "--skip-preview") as last:
        read_until(last, "is deleted once what runs on it has ended: driver spark-jobs/long-driver")
        walk.ends("long")
        output = last.communicate()[0]
    assert last.returncode == 0, output
    assert kubelets(api, "driver") == {f"v{TO}.0"}
    assert same_driver(walk, later)
    walk.pulumi.expect_no_changes()


def test_another_image_takes_the_executors_machines_and_no_drivers(walk):
    api = walk.api()
    [driver] = drivers(api)
    before = {node["metadata"]["uid"] for node in nodes(api, "executor")}

    groups = walk.cluster["node_groups"]
    groups["executor"]["ami_release"] = groups["system"]["ami_release"] = NEWER_IMAGE
    walk.up()

    assert same_driver(walk, driver)
    assert before.isdisjoint(node["metadata"]["uid"] for node in nodes(api, "executor"))
    assert kubelets(api, "system") == kubelets(api, "executor") == {"v1.35.8"}

    groups["driver"] = {**DRIVERS, "generation": 2, "ami_release": NEWER_IMAGE}
    status, output = walk.try_run("preview")
    assert status != 0
    assert "count up its generation and list the present one under retiring" in output

    groups["driver"] |= {"generation": 3, "retiring": {2: OLD_TYPES}}
    walk.up()
    assert same_driver(walk, driver)
    assert kubelets(api, "driver") == {"v1.35.0", "v1.35.8"}

    walk.ends("later")
    del groups["driver"]["retiring"]
    walk.up()
    assert kubelets(api, "driver") == {"v1.35.8"}


def test_another_version_of_the_operators_chart_loses_no_application(walk):
    driver = walk.submit("under-the-operator")
    file = walk.engine.project / "moka" / "charts-values" / "charts.yaml"
    text = file.read_text()
    version = yaml.safe_load(text)["charts"]["spark-operator"]["version"]
    file.write_text(text.replace(f"    version: {version}\n", "    version: 2.5.99\n", 1))

    walk.write()
    # What the cluster says to Archer is known once the release is.
    assert walk.pulumi.operations() == {"spark-a-spark-operator": "update", "spark-a-archer": "update"}
    walk.up()

    assert same_driver(walk, driver)
    walk.ends("under-the-operator")


def test_a_job_whose_zone_is_lost_runs_again_in_another(walk):
    api = walk.api()
    driver = walk.submit("zoned")
    zones = {node["metadata"]["name"]: zone_of(node) for node in nodes(api, "driver")}
    lost = zones[driver["spec"]["nodeName"]]
    for node in api.list("/api/v1/nodes"):
        if zone_of(node) == lost:
            api.delete(f"/api/v1/nodes/{node['metadata']['name']}")

    for pod in api.follow(PODS):
        again = pod["metadata"]["uid"] != driver["metadata"]["uid"]
        if again and pod["metadata"]["name"] == "zoned-driver" and pod["status"].get("phase") == "Running":
            break
    assert zones[pod["spec"]["nodeName"]] != lost

    api.merge(f"{PODS}/zoned-driver", {"metadata": {"annotations": {"localcloud/runs-for": "0"}}})
    walk.ends("zoned")


def test_a_cluster_that_is_lost_is_brought_back_by_a_refresh_and_an_up(walk):
    walk.submit("of-the-lost")
    [bucket] = [
        resource.id
        for resource in walk.engine.resources(STACK)
        if resource.type == "aws:s3/bucket:Bucket" and resource.urn.endswith("::main-event-logs")
    ]
    log = {"Bucket": bucket, "Key": "hot/of-a-job-before"}
    s3 = Console(walk.engine.cloud, AwsServer(walk.engine.cloud).url).client("s3")
    s3.put_object(**log, Body=b"{}")
    before = urns(walk)
    delete_cluster(walk)

    refused = walk.pulumi.try_run("refresh", "--yes")
    assert refused.returncode != 0
    assert "PULUMI_K8S_DELETE_UNREACHABLE=true" in refused.stdout
    walk.pulumi.run("refresh", "--yes", PULUMI_K8S_DELETE_UNREACHABLE="true")
    walk.up()

    assert urns(walk) == before
    walk.pulumi.expect_no_changes()
    assert s3.get_object(**log)["Body"].read() == b"{}"
    assert walk.api().list(APPLICATIONS) == []
    walk.submit("after-the-loss")
    walk.ends("after-the-loss")
    assert leftovers(walk.engine, STACK) == []


def test_a_cluster_is_replaced_by_another_while_a_job_runs(walk):
    driver = walk.submit("last-of-a")
    clusters = walk.settings["clusters"]
    clusters["spark-b"] = copy.deepcopy(clusters["spark-a"])
    walk.write()
    changes = walk.pulumi.operations()
    updates = {name: operation for name, operation in changes.items() if operation != "create"}
    assert updates == dict.fromkeys(OF_ALL_CLUSTERS, "update")
    walk.up()

    assert same_driver(walk, driver)
    walk.submit("first-of-b", "spark-b")

    walk.settings["home"] = "spark-b"
    walk.up()
    assert same_driver(walk, driver)

    walk.ends("last-of-a")
    del clusters["spark-a"]
    walk.up()

    walk.ends("first-of-b", "spark-b")
    assert leftovers(walk.engine, STACK, "--cluster", "spark-a") == []


def test_nothing_is_left_of_all_that(walk):
    walk.pulumi.destroy()

    assert leftovers(walk.engine, STACK, "--cluster", "spark-a", "--cluster", "spark-b") == []
