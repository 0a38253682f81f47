"""YuniKorn with our tree of queues beside YuniKorn with one flat queue: pods placed a second."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from statistics import median

import psutil
import yaml

from benchmarks.bare_plane import bare_plane
from localcloud.control_plane import ControlPlane
from localcloud.control_plane.api import Api, Object
from localcloud.control_plane.machines import InstanceType
from localcloud.control_plane.nodes import NodeGroup, node
from localcloud.control_plane.parallel import parallel_map
from localcloud.control_plane.stand_ins import charts
from localcloud.control_plane.stand_ins.releases import Release
from localcloud.errors import Refusal
from moka import catalog
from moka.catalog import merge_values
from moka.components.kubernetes.yunikorn import scheduler_values
from moka.queues import POLICIES, Leaf, Limit, Resources, grow, queues_yaml
from moka.sizes.yunikorn import api_requests_per_second

NODES, PODS, APPLICATIONS = 1_000, 10_000, 200
ORGANIZATIONS, PROJECTS, USERS = 4, 5, 20
ROUNDS = 3
"""Of each kind, in turn: other work of the machine then falls on both."""

MIN_RATIO = 0.9
"""Ratio to the flat queue that is to be reached."""

MACHINE = InstanceType(name="m7g.4xlarge", architecture="arm64", vcpus=16, memory=65536)
ZONES = ("us-east-1a", "us-east-1b", "us-east-1c")
JOBS, FLAT = "jobs", "root.flat"
PODS_PATH = f"/api/v1/namespaces/{JOBS}/pods"
INTERVAL_SECONDS, TIMEOUT_SECONDS = 0.5, 300

LEAVES = [
    Leaf(
        organization=f"organization-{organization}",
        project=f"project-{project}",
        tier=tier,
        guaranteed=Resources.of(cpu="100", memory="200Gi"),
        maximum=Resources.of(cpu="400", memory="800Gi"),
        max_applications=50,
        limits=(Limit(users=("*",), maximum=Resources.of(cpu="300", memory="600Gi")),),
    )
    for organization in range(ORGANIZATIONS)
    for project in range(PROJECTS)
    for tier in POLICIES
]


@dataclass(frozen=True)
class Run:
    """One time that all pods were placed.

    seconds: from the first binding to the last, each when the API server had taken it.
    deciding: seconds from the first decision where a pod goes to the last; bindings follow it.
    cpu_seconds, mebibytes: of YuniKorn from its start to the last binding; memory at its peak.
    """

    seconds: float
    deciding: float
    cpu_seconds: float
    mebibytes: float

    @property
    def rate(self) -> float:
        """Pods placed a second."""
        return PODS / self.seconds

    @property
    def decisions(self) -> float:
        """Decisions a second."""
        return PODS / self.deciding


def table() -> str:
    """Measure; the table."""
    with _plane() as plane:
        bench = _Bench(plane)
        runs: dict[str, list[Run]] = {"flat": [], "tree": []}
        for number in range(ROUNDS):
            for kind in ("flat", "tree") if number % 2 else ("tree", "flat"):
                runs[kind].append(bench.run(kind))
        restart = bench.restart()
    rounds = list(zip(runs["tree"], runs["flat"], strict=True))
    lines = [
        f"{NODES} nodes, {PODS} pods of {APPLICATIONS} applications; {len(LEAVES)} queues in the tree; "
        f"the median of {ROUNDS} rounds.",
        "",
        "| queues | pods a second | decisions a second | CPU of YuniKorn | its memory |",
        "| --- | --- | --- | --- | --- |",
        *(_line(kind, runs[kind]) for kind in ("tree", "flat")),
        "",
        "| tree to flat | ratio | at least | each round |",
        "| --- | --- | --- | --- |",
        _ratio("pods a second", str(MIN_RATIO), [tree.rate / flat.rate for tree, flat in rounds]),
        _ratio(
            "decisions a second", str(MIN_RATIO), [tree.decisions / flat.decisions for tree, flat in rounds]
        ),
        "",
        f"YuniKorn started anew beside {PODS} placed pods: {restart:.1f} s until it had placed one more.",
    ]
    return "\n".join(lines) + "\n"


def _line(kind: str, runs: list[Run]) -> str:
    return (
        f"| {kind} | {median(run.rate for run in runs):.0f} | {median(run.decisions for run in runs):.0f} "
        f"| {median(run.cpu_seconds for run in runs):.1f} s | {max(run.mebibytes for run in runs):.0f} MiB |"
    )


def _ratio(subject: str, limit: str, ratios: list[float]) -> str:
    rounds = ", ".join(f"{ratio:.2f}" for ratio in ratios)
    return f"| {subject} | {median(ratios):.2f} | {limit} | {rounds} |"


@contextmanager
def _plane() -> Iterator[ControlPlane]:
    """A control plane with all nodes, of which nobody plays the pods: what is left to do is to place pods."""
    with bare_plane("scheduling") as plane:
        print(f"scheduling: {NODES} nodes ...", flush=True)
        api = plane.api()
        api.apply_all(named("Namespace", name=name) for name in (JOBS, "yunikorn"))
        api.apply_all([named("ServiceAccount", name="default", namespace=JOBS)])
        parallel_map(lambda number: make_node(api, number), range(1, NODES + 1))
        yield plane


def make_node(api: Api, number: int) -> None:
    """A node that is ready from the start; the API server taints new ones, until it is told otherwise."""
    manifest = node(NodeGroup(name="executor", instance_types=(MACHINE,), zones=ZONES, count=NODES), number)
    manifest["status"]["conditions"] = [{"type": "Ready", "status": "True"}]
    path = f"/api/v1/nodes/{manifest['metadata']['name']}"
    api.apply(path, manifest)
    api.merge(path, {"spec": {"taints": None}})


class _Bench:
    def __init__(self, plane: ControlPlane) -> None:
        self.plane = plane
        self.api: Api = plane.api()
        # As on the largest clusters, so that this bound is not all that is seen.
        limits = {f"kubernetes.{key}": str(api_requests_per_second(10 * NODES)) for key in ("qps", "burst")}
        self.release = Release(
            name="yunikorn",
            namespace="yunikorn",
            chart="yunikorn",
            values=merge_values(
                catalog.read().values["yunikorn"], scheduler_values(NODES), {"yunikornDefaults": limits}
            ),
        )
        self.process = plane.process(self.release.key)

    def run(self, kind: str) -> Run:
        """Place all pods, which are there before YuniKorn is, with queues of this kind."""
        print(f"scheduling, {kind}: {PODS} pods ...", end=" ", flush=True)
        self.process.stop()
        self.api.delete(PODS_PATH, gracePeriodSeconds=0)
        until(lambda: not self.api.list(PODS_PATH, limit="1"))
        self.api.apply_all([configs(kind)])
        parallel_map(lambda number: self.api.create(PODS_PATH, pod(number, kind)), range(PODS))
        charts.apply(self.plane, self.release)
        yunikorn = psutil.Process(json.loads(self.process.pid_file.read_text())["pid"])
        peak = 0
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while self.api.list(PODS_PATH, limit="1", fieldSelector="spec.nodeName="):
            if time.monotonic() > deadline:
                failures = self.process.log.read_text().count("failed to bind pod")
                raise Refusal(
                    f"Not all pods are placed after {TIMEOUT_SECONDS} s, and {failures} bindings failed, "
                    "which are not tried again: measure on a quieter machine."
                )
            peak = max(peak, yunikorn.memory_info().rss)
            time.sleep(INTERVAL_SECONDS)
        times = yunikorn.cpu_times()
        run = Run(
            seconds=self._spread("successfully bound pod"),
            deciding=self._spread("scheduler allocation processed"),
            cpu_seconds=times.user + times.system,
            mebibytes=peak / 2**20,
        )
        print(f"{run.rate:.0f} a second, {run.cpu_seconds:.1f} s of YuniKorn's CPU", flush=True)
        return run

    def _spread(self, message: str) -> float:
        """Seconds from the first to the last time that YuniKorn logged a message.

        Whoever watched the API server instead would have it do more, and be told late and by the hundred.
        """
        times = [
            datetime.fromisoformat(line.partition("\t")[0]).timestamp()
            for line in self.process.log.read_text().splitlines()
            if f"\t{message}\t" in line
        ]
        return max(times) - min(times)

    def restart(self) -> float:
        """Seconds from YuniKorn's start, with all pods placed, until it has placed one more."""
        self.process.stop()
        one_more = pod(PODS, "flat")
        self.api.apply_all([configs("flat")])
        self.api.create(PODS_PATH, one_more)
        started = time.monotonic()
        charts.apply(self.plane, self.release)
        path = f"{PODS_PATH}/{one_more['metadata']['name']}"
        until(lambda: (self.api.get(path) or {})["spec"].get("nodeName"))
        return time.monotonic() - started


def until(ask: Callable[[], object]) -> None:
    """Ask until the answer is yes."""
    while not ask():
        time.sleep(INTERVAL_SECONDS)


def named(kind: str, **metadata: str) -> Object:
    """An object of the core API that has nothing but its metadata."""
    return {"apiVersion": "v1", "kind": kind, "metadata": metadata}


def configs(kind: str) -> Object:
    """YuniKorn's configuration: our tree of queues, or a flat one."""
    queues = queues_yaml(grow(LEAVES)) if kind == "tree" else _flat()
    return {
        **named("ConfigMap", name="yunikorn-configs", namespace="yunikorn"),
        "data": {"queues.yaml": queues},
    }


def _flat() -> str:
    """One queue without limits; the partition is the tree's own, so that nodes are sorted alike."""
    document = yaml.safe_load(queues_yaml(grow(LEAVES)))
    [partition] = document["partitions"]
    partition["queues"] = [{"name": "root", "submitacl": "*", "queues": [{"name": "flat"}]}]
    return yaml.safe_dump(document, sort_keys=False)


def pod(number: int, kind: str) -> Object:
    """A pod of an executor's kind; applications take turns, and so do queues among applications."""
    application = number % APPLICATIONS
    queue = LEAVES[application % len(LEAVES)].path if kind == "tree" else FLAT
    user = json.dumps({"user": f"user-{application % USERS}"})
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": f"application-{application}-{number}",
            "labels": {
                "yunikorn.apache.org/app-id": f"application-{application}",
                "yunikorn.apache.org/queue": queue,
            },
            "annotations": {"yunikorn.apache.org/user.info": user},
        },
        "spec": {
            "schedulerName": "yunikorn",
            "automountServiceAccountToken": False,
            "containers": [
                {
                    "name": "executor",
                    "image": "any",
                    "resources": {"requests": {"cpu": "1", "memory": "2Gi"}},
                }
            ],
        },
    }
