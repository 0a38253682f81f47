"""Two thousand machines with twenty thousand pods of jobs at once: `MOKA_NODES`, `MOKA_PODS`.

All of `local` but Celeborn and Archer runs as it does on the laptop: API server, YuniKorn with the queues of
the settings, two releases of the operator, the remover of finalizers, quotas, admission policies. A job has a
hundred pods, a placeholder before each, and its executors in one zone. Drivers run until they are ended, so
that all pods are there at once.
"""

import json
import os
import time
import urllib.request
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any

import psutil
import pytest
import yaml

from commands.job import job_target_in
from localcloud import commands, tools
from localcloud.control_plane import ControlPlane
from localcloud.control_plane.api import Api, Object
from localcloud.control_plane.nodes import GROUP, ready
from localcloud.control_plane.parallel import parallel_map
from localcloud.control_plane.stand_ins.charts import releases, yunikorn_url
from localcloud.errors import Refusal
from localcloud.loopback import free_port
from localcloud.processes import Process, answers
from localcloud.quantities import quantity
from moka.components.kubernetes.application_quota import APPLICATIONS as APPLICATIONS_QUOTA
from moka.jobs.application import spark_application
from moka.jobs.job import Executor, Job
from moka.jobs.job_target import JobTarget
from moka.names import DRIVER_FINALIZER
from tests.soak.sizes import size
from tests.support.application_load import PLACEHOLDER, RUNS_FOR, UNTIL_ENDED, until
from tests.support.laptop_services import kube_state_metrics_command
from tests.support.pulumi_stack import PulumiStack

NODES = size("MOKA_NODES")
ZONES = ("us-east-1a", "us-east-1b", "us-east-1c")
GROUPS_A_ZONE = 2
SYSTEM = 4
OF_A_GROUP = (NODES - SYSTEM - NODES // 50) // (len(ZONES) * GROUPS_A_ZONE)
"""Machines of a group of executors."""

DRIVER = NODES - SYSTEM - OF_A_GROUP * len(ZONES) * GROUPS_A_ZONE

EXECUTORS = int(os.environ.get("MOKA_EXECUTORS", "99"))
"""Of a job: fewer, where there are few machines in its zone."""

JOBS = int(os.environ.get("MOKA_PODS", 10 * NODES)) // (1 + EXECUTORS)
PODS = JOBS * (1 + EXECUTORS)

TEAMS = {"etl": "daily", "ml": "models"}
"""Organization -> its project; each has a release of the operator, and namespaces."""

TIERS = {"etl": (1, 2), "ml": (2, 3)}
NAMESPACES = [f"{team}-{number}" for team in TEAMS for number in (1, 2, 3, 4)]
APPLICATIONS = "/apis/sparkoperator.k8s.io/v1beta2/namespaces/{}/sparkapplications"
PATIENCE = 3_600
"""Seconds."""

LOOK_SECONDS = 15

BEFORE_RUNNING = 8
"""Applications on their way at once: what two cores bear. With all of them, 14 `spark-submit`s at once had
the API server break off connections, and with them bindings of YuniKorn: docs/benchmarks.md."""


def settings(text: str) -> str:
    """`local`, with as many machines, and teams that have their own namespaces and operators."""
    document = yaml.safe_load(text)
    cluster = document["clusters"]["spark-a"]
    cluster["profile"], cluster["control_plane_tier"] = "batch", "tier-2xl"
    cluster["node_groups"] = {
        "system": group("system", SYSTEM, instance_types=["m7g.4xlarge"]),
        "driver": group("driver", DRIVER),
        **{
            f"executor-{zone[-1]}{number}": group(
                "executor", OF_A_GROUP, zones=[zone], max_pods=16, disk={"gib": 200}
            )
            for zone in ZONES
            for number in range(1, GROUPS_A_ZONE + 1)
        },
    }
    # So many would pull from Docker Hub behind one address.
    document["charts"] = {"mirror": "mirror.moka.example"}
    # Nobody asks them here: they would only take what the machine has for the others.
    for name in ("shuffle", "archer", "allocator", "database"):
        document.pop(name, None)
        cluster.pop(name, None)
        document["services"].pop(name, None)
    # Lists of so many pods would be more than nodes can be sent: docs/network.md.
    document["job_namespaces"] = {
        name: {
            "isolated": False,
            "quota": {"applications": JOBS},
            "claims": [{"organization": team_of(name)}],
        }
        for name in NAMESPACES
    }
    document["spark"]["operators"] = {
        f"spark-operator{suffix}": {
            "applications_per_minute": 15,
            "namespaces": [name for name in NAMESPACES if team_of(name) == team],
        }
        for team, suffix in zip(TEAMS, ("", "-2"), strict=True)
    }
    document["queues"] = {
        "capacity": {"cpu": str(12 * NODES), "memory": f"{NODES // 10}Ti"},
        "organizations": {
            team: {
                "weight": 1,
                "projects": {project: {"weight": 1, "tiers": {tier: {"weight": 1} for tier in TIERS[team]}}},
            }
            for team, project in TEAMS.items()
        },
    }
    return yaml.safe_dump(document, sort_keys=False)


def group(role: str, number: int, **more: object) -> dict[str, object]:
    """A node group of one size."""
    fields = {"role": role, "architecture": "arm64", "instance_types": ["r7g.4xlarge"]}
    return {**fields, "minimum": number, "maximum": number, **more}


def team_of(namespace: str) -> str:
    """The team that a namespace is of."""
    return namespace.partition("-")[0]


@dataclass(frozen=True)
class Cluster:
    """`local`, up."""

    plane: ControlPlane
    target: JobTarget

    @property
    def api(self) -> Api:
        """Its API server, as the administrator."""
        return self.plane.api()

    def jobs(self) -> list[Job]:
        """As many as there are, of all namespaces and tiers in turn."""
        return [
            Job(
                name=f"job-{number}",
                namespace=namespace,
                queue=f"{team}.{TEAMS[team]}",
                tier=TIERS[team][number // len(NAMESPACES) % 2],
                architecture="arm64",
                main_file="local:///opt/spark/examples/jars/spark-examples.jar",
                main_class="org.apache.spark.examples.SparkPi",
                executor=Executor(instances=EXECUTORS, memory="1g"),
            )
            for number in range(JOBS)
            for namespace in [NAMESPACES[number % len(NAMESPACES)]]
            for team in [team_of(namespace)]
        ]

    def submit(self, job: Job) -> None:
        """Its driver runs until it is ended."""
        manifest = spark_application(job, self.target)
        manifest["spec"]["driver"]["annotations"][RUNS_FOR] = str(UNTIL_ENDED)
        self.api.create(APPLICATIONS.format(job.namespace), manifest)

    def submit_next(self, jobs: Iterator[Job]) -> bool:
        """Submit as many more as may be on their way at once; whether all run."""
        states = self.states()
        before_running = states.total() - states["RUNNING"]
        for job in islice(jobs, max(0, BEFORE_RUNNING - before_running)):
            self.submit(job)
        return states == {"RUNNING": JOBS}

    def states(self) -> Counter[str]:
        """How many applications are in each state."""
        return Counter(
            ((one.get("status") or {}).get("applicationState") or {}).get("state", "NEW")
            for namespace in NAMESPACES
            for one in self.api.list(APPLICATIONS.format(namespace), resourceVersion="0")
        )

    def pods(self, **query: str) -> Iterator[Object]:
        """Pods of jobs, by pages."""
        for namespace in NAMESPACES:
            query["continue"] = ""
            while True:
                page = self.api.get(f"/api/v1/namespaces/{namespace}/pods", limit="500", **query) or {}
                yield from page["items"]
                if not (token := page["metadata"].get("continue")):
                    break
                query["continue"] = token

    def pods_there(self) -> int:
        """How many pods the namespaces have, placeholders and those that have ended included."""
        pages = [self.api.get(f"/api/v1/namespaces/{name}/pods", limit="1") or {} for name in NAMESPACES]
        return sum(len(page["items"]) + page["metadata"].get("remainingItemCount", 0) for page in pages)

    def counted(self) -> int:
        """Applications that the quotas of the namespaces count."""
        return sum(
            int(quantity(quota["status"]["used"].get(APPLICATIONS_QUOTA, 0)))
            for namespace in NAMESPACES
            for quota in [self.api.get(f"/api/v1/namespaces/{namespace}/resourcequotas/applications")]
        )

    def queues(self) -> dict[str, dict[str, int]]:
        """Leaf queue -> what YuniKorn says is allocated there, of which it is more than nothing."""
        with urllib.request.urlopen(f"{yunikorn_url(self.plane)}/ws/v1/partition/default/queues") as answer:
            root = json.load(answer)
        leaves: dict[str, dict[str, int]] = {}

        def walk(queue: dict[str, Any]) -> None:
            for child in queue.get("children") or []:
                walk(child)
            if not queue.get("children"):
                used = {
                    name: value for name, value in (queue.get("allocatedResource") or {}).items() if value
                }
                leaves[queue["queuename"]] = used

        walk(root)
        return leaves

    @property
    def scheduler(self) -> Process:
        """YuniKorn."""
        [release] = [one for one in releases(self.plane) if one.chart_name == "yunikorn"]
        return self.plane.process(release.key)


@pytest.fixture(scope="module")
def cluster(copied_once):
    path = copied_once.project / "stacks" / "local.yaml"
    path.write_text(settings(path.read_text()))
    tools.build(["kube-state-metrics"])
    with pytest.MonkeyPatch.context() as patch:
        # Memory is what there is least of: an API server with all these pods has gigabytes that it uses.
        patch.delenv("GOGC")
        assert commands.up(copied_once, "local", ("--non-interactive",)) == 0
    [plane] = ControlPlane.all(copied_once.cloud)
    outputs = PulumiStack(copied_once, "local").run("stack", "output", "--json")
    return Cluster(plane, job_target_in(outputs))


def test_all_pods_of_jobs_run_where_they_belong_and_all_end(cluster, tmp_path, progress):
    jobs, api, began = cluster.jobs(), cluster.api, time.monotonic()
    assert len(api.list("/api/v1/nodes")) == NODES

    def said() -> str:
        seconds = time.monotonic() - began
        return (
            f"{seconds:.0f} s: {dict(cluster.states())}, {cluster.pods_there()} pods, {usage(cluster.plane)}"
        )

    def patiently(ask: Callable[[], object], what: str) -> None:
        def look() -> object:
            time.sleep(LOOK_SECONDS)
            progress(said())
            return ask()

        until(look, what, PATIENCE, said)
        progress(f"{time.monotonic() - began:.0f} s: {what}")

    waiting = iter(jobs)
    patiently(lambda: cluster.submit_next(waiting), "all drivers run")
    patiently(lambda: cluster.pods_there() == PODS, "all are there")
    patiently(lambda: all_run(cluster), "all run")

    pods = list(cluster.pods())
    assert len(pods) == PODS
    assert cluster.counted() == JOBS
    assert misplaced(cluster, pods) == []
    assert overfull(cluster, pods) == []
    assert sum(used["vcore"] for used in cluster.queues().values()) == 1000 * cores(pods)
    assert unfit_pods_are_refused(cluster) == []
    with kube_state_metrics(cluster, tmp_path) as page:
        patiently(lambda: told_by(page()) == (PODS, JOBS), "kube-state-metrics has them")
    del pods

    end(cluster, jobs)
    patiently(lambda: cluster.states() == {"COMPLETED": JOBS}, "all jobs have ended")
    patiently(lambda: not unreleased(cluster), "no driver is held by its finalizer")
    parallel_map(lambda job: api.delete(f"{APPLICATIONS.format(job.namespace)}/{job.name}"), jobs)
    patiently(lambda: not left(cluster), "nothing is left")
    patiently(lambda: not cluster.counted() and not any(cluster.queues().values()), "nothing is counted")

    assert "failed to bind pod" not in cluster.scheduler.log.read_text()
    assert [node["metadata"]["name"] for node in api.list("/api/v1/nodes") if not ready(node)] == []
    assert ended_programs(cluster.plane) == []


def all_run(cluster):
    """Whether all pods of jobs run, and no placeholder is there."""
    seen = Counter(
        (pod["status"].get("phase"), PLACEHOLDER in pod["metadata"]["annotations"]) for pod in cluster.pods()
    )
    return seen == {("Running", False): PODS}


def misplaced(cluster, pods):
    """A line for each pod that is not on a node of its role, or not in the one zone of its job."""
    nodes = {node["metadata"]["name"]: node for node in cluster.api.list("/api/v1/nodes")}
    zones = defaultdict(set)
    lines = []
    for pod in pods:
        labels = nodes[pod["spec"]["nodeName"]]["metadata"]["labels"]
        role, zone = pod["metadata"]["labels"]["spark-role"], labels["topology.kubernetes.io/zone"]
        expected = f"executor-{zone[-1]}" if role == "executor" else "driver"
        if not labels[GROUP].rpartition("spark-a-")[2].startswith(expected):
            lines.append(f"{pod['metadata']['name']} is on {pod['spec']['nodeName']}")
        if role == "executor":
            zones[pod["metadata"]["labels"]["spark-app-selector"]].add(zone)
    return lines + [f"{name} is in {sorted(own)}" for name, own in zones.items() if len(own) > 1]


def overfull(cluster, pods):
    """A line for each node with more pods, or more of cores and memory requested, than it has."""
    used: dict[str, Counter[str]] = defaultdict(Counter)
    for pod in pods:
        used[pod["spec"]["nodeName"]].update(
            {"pods": 1, "cpu": requested(pod, "cpu"), "memory": requested(pod, "memory")}
        )
    return [
        f"{name} has {what} {used[name][what]} of {most}"
        for node in cluster.api.list("/api/v1/nodes")
        for name in [node["metadata"]["name"]]
        for what, most in node["status"]["allocatable"].items()
        if what in used[name] and used[name][what] > quantity(most)
    ]


def cores(pods):
    """That pods request in all."""
    return sum(requested(pod, "cpu") for pod in pods)


def requested(pod: Mapping[str, Any], what: str) -> float:
    """That a pod requests of something: containers, and sidecars, which run as long."""
    spec = pod["spec"]
    sidecars = [one for one in spec.get("initContainers", []) if one.get("restartPolicy") == "Always"]
    return sum(
        quantity(one["resources"]["requests"].get(what, "0")) for one in [*spec["containers"], *sidecars]
    )


def unfit_pods_are_refused(cluster):
    """Names of pods that a job namespace takes, though its rules refuse them."""
    account = cluster.api.as_account("etl-1", "spark")
    queue = {"yunikorn.apache.org/queue": "root.ml.models.tier2"}
    container = {"name": "main", "image": "example.invalid/any"}
    spec = {"schedulerName": "yunikorn", "containers": [container]}
    own = {"yunikorn.apache.org/queue": "root.etl.daily.tier2"}
    pods = {
        "of-another-queue": ({"labels": queue}, spec),
        "of-another-scheduler": ({"labels": own}, {**spec, "schedulerName": "default-scheduler"}),
        "on-a-node-of-its-own-choice": ({"labels": own}, {**spec, "nodeName": "any"}),
        "larger-than-any": (
            {"labels": own},
            {
                **spec,
                "containers": [
                    {**container, "resources": {"requests": {"cpu": "129"}, "limits": {"cpu": "129"}}}
                ],
            },
        ),
    }
    taken = []
    for name, (metadata, about) in pods.items():
        manifest = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, **metadata}, "spec": about}
        try:
            account.create("/api/v1/namespaces/etl-1/pods", manifest, dryRun="All")
            taken.append(name)
        except Refusal as refusal:
            assert "forbidden" in str(refusal).lower(), refusal
    return taken


@contextmanager
def kube_state_metrics(cluster, folder):
    """The real one, as its chart runs it with our values: what asks for its page."""
    port, process = free_port(), cluster.plane.process("kube-state-metrics")
    command = kube_state_metrics_command(cluster.plane.kubeconfig, folder, "127.0.0.1", port, free_port())
    url = f"http://127.0.0.1:{port}"
    process.start(command, {}, lambda: answers(f"{url}/healthz"))

    def page() -> str:
        with urllib.request.urlopen(f"{url}/metrics") as answer:
            return answer.read().decode()

    yield page
    process.stop()


def told_by(page: str) -> tuple[int, int]:
    """Pods of jobs on a node, and applications that run, by the page of kube-state-metrics."""
    lines = [line for line in page.splitlines() if any(f'namespace="{name}"' in line for name in NAMESPACES)]
    pods = [line for line in lines if line.startswith("kube_pod_info{") and 'node=""' not in line]
    states = [line for line in lines if line.startswith("moka_spark_application_state_info{")]
    return len(pods), sum('state="RUNNING"' in line for line in states)


def end(cluster, jobs):
    """End all drivers."""
    change = {"metadata": {"annotations": {RUNS_FOR: "0"}}}
    parallel_map(
        lambda job: cluster.api.merge(f"/api/v1/namespaces/{job.namespace}/pods/{job.name}-driver", change),
        jobs,
    )


def unreleased(cluster):
    """Drivers that still have their finalizer."""
    return [
        pod["metadata"]["name"]
        for pod in cluster.pods(labelSelector="spark-role=driver")
        if DRIVER_FINALIZER in pod["metadata"].get("finalizers", [])
    ]


def left(cluster):
    """What jobs have left in their namespaces."""
    kinds = ("api/v1:pods", "api/v1:services", "api/v1:configmaps", "apis/discovery.k8s.io/v1:endpointslices")
    return [
        thing["metadata"]["name"]
        for kind in kinds
        for root, _, name in [kind.partition(":")]
        for namespace in NAMESPACES
        for thing in cluster.api.list(f"/{root}/namespaces/{namespace}/{name}")
        if thing["metadata"]["name"] != "kube-root-ca.crt"
    ]


def usage(plane: ControlPlane) -> str:
    """CPU seconds and MiB of the programs that have used most."""
    programs = {}
    for note in plane.folder.glob("*.pid"):
        try:
            process = psutil.Process(json.loads(note.read_text())["pid"])
            times = process.cpu_times()
            seconds = times.user + times.system + times.children_user + times.children_system
            programs[note.stem] = seconds, process.memory_info().rss / 2**20
        except psutil.NoSuchProcess:
            continue
    most = sorted(programs.items(), key=lambda one: -one[1][0])[:9]
    return ", ".join(f"{name} {seconds:.0f} s {size:.0f} MiB" for name, (seconds, size) in most)


def ended_programs(plane: ControlPlane) -> list[str]:
    """Programs of the cluster that do not run any more."""
    return [note.stem for note in plane.folder.glob("*.pid") if not plane.process(note.stem).alive()]
