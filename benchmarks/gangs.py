"""YuniKorn with a placeholder before each pod beside YuniKorn without, with 1,000 nodes and with 2,500."""

import json
import os
import time
from dataclasses import dataclass
from datetime import datetime
from statistics import median

import psutil

from benchmarks import scheduling
from benchmarks.bare_plane import bare_plane
from benchmarks.scheduling import JOBS, LEAVES, PODS_PATH, configs, make_node, named, pod, until
from localcloud import tools
from localcloud.control_plane import ControlPlane
from localcloud.control_plane.api import Api, Object
from localcloud.control_plane.parallel import parallel_map
from localcloud.control_plane.programs import KWOK
from localcloud.control_plane.stand_ins import charts
from localcloud.control_plane.stand_ins.releases import Release
from localcloud.errors import Refusal
from moka import catalog
from moka.catalog import merge_values
from moka.components.kubernetes.yunikorn import scheduler_values
from moka.sizes.yunikorn import api_requests_per_second

NODES = (1_000, 2_500)
PODS = int(os.environ.get("MOKA_BENCH_PODS", "5000"))
APPLICATIONS = PODS // 50
ROUNDS = 2
"""Of each kind, in turn: other work of the machine then falls on both."""

REQUESTS = api_requests_per_second(2_500, "tier-4xl")
"""Of YuniKorn a second, as in the clusters of docs/scale.md."""

GANG = "executor"
KINDS = ("pods", "gangs")
TIMEOUT_SECONDS = 900


@dataclass(frozen=True)
class Run:
    """One time that all pods were placed.

    placed: pods, and placeholders before them. seconds: from the first binding to the last.
    cpu_seconds, mebibytes: of YuniKorn from its start to the last binding; memory at its peak.
    """

    placed: int
    seconds: float
    cpu_seconds: float
    mebibytes: float

    @property
    def rate(self) -> float:
        """Pods and placeholders placed a second."""
        return self.placed / self.seconds

    @property
    def pods(self) -> float:
        """Pods of jobs a second."""
        return PODS / self.seconds

    @property
    def cpu(self) -> float:
        """CPU seconds for one that was placed."""
        return self.cpu_seconds / self.placed


def table() -> str:
    """Measure; the table."""
    runs: dict[tuple[int, str], list[Run]] = {}
    with bare_plane("gangs") as plane:
        bench = _Bench(plane)
        for nodes in NODES:
            bench.grow(nodes)
            for number in range(ROUNDS):
                for kind in KINDS if number % 2 else reversed(KINDS):
                    runs.setdefault((nodes, kind), []).append(bench.run(kind))
    return _lines(runs)


class _Bench:
    def __init__(self, plane: ControlPlane) -> None:
        self.plane = plane
        self.nodes = 0
        self.api: Api = plane.api()
        self.api.apply_all(named("Namespace", name=name) for name in (JOBS, "yunikorn"))
        self.api.apply_all([named("ServiceAccount", name="default", namespace=JOBS)])
        self.api.apply_all([configs("tree")])
        # Placeholders that YuniKorn ends are deleted by their kubelets; nothing else of pods is played.
        stage = tools.files("kwok") / "stages" / "pod" / "fast" / "pod-delete.yaml"
        flags = {
            "kubeconfig": plane.kubeconfig,
            "config": stage,
            "manage-nodes-with-annotation-selector": "kwok.x-k8s.io/node=fake",
            "node-lease-duration-seconds": "0",
            "cidr": "100.64.0.0/10",
            "v": "WARN",
        }
        command = [str(tools.path("kwok")), *(f"--{flag}={value}" for flag, value in flags.items())]
        plane.process(KWOK.name).start(command)
        limits = {f"kubernetes.{key}": str(REQUESTS) for key in ("qps", "burst")}
        self.release = Release(
            name="yunikorn",
            namespace="yunikorn",
            chart="yunikorn",
            values=merge_values(
                catalog.read().values["yunikorn"],
                scheduler_values(max(NODES)),
                {"yunikornDefaults": limits},
            ),
        )
        self.process = plane.process(self.release.key)

    def grow(self, nodes: int) -> None:
        """Have so many nodes."""
        print(f"gangs: {nodes} nodes ...", flush=True)
        parallel_map(lambda number: make_node(self.api, number), range(self.nodes + 1, nodes + 1))
        self.nodes = nodes

    def run(self, kind: str) -> Run:
        """Place all pods, which are there before YuniKorn is."""
        print(f"gangs, {kind}: {PODS} pods ...", end=" ", flush=True)
        self.process.stop()
        self.api.delete(PODS_PATH, gracePeriodSeconds=0)
        until(lambda: not self.api.list(PODS_PATH, limit="1"))
        parallel_map(lambda number: self.api.create(PODS_PATH, _pod(number, kind)), range(PODS))
        charts.apply(self.plane, self.release)
        yunikorn = psutil.Process(json.loads(self.process.pid_file.read_text())["pid"])
        peak, deadline = 0, time.monotonic() + TIMEOUT_SECONDS
        while self.api.list(PODS_PATH, limit="1", fieldSelector="spec.nodeName="):
            if time.monotonic() > deadline:
                raise Refusal(f"Not all pods are placed after {TIMEOUT_SECONDS} s: see {self.process.log}.")
            peak = max(peak, yunikorn.memory_info().rss)
            time.sleep(scheduling.INTERVAL_SECONDS)
        times, times_of_binding = yunikorn.cpu_times(), self._binding_times()
        pods = [pod for pod in self.api.list(PODS_PATH) if "deletionTimestamp" not in pod["metadata"]]
        if len(pods) != PODS:
            raise Refusal(f"There are {len(pods)} pods in place of {PODS}: see {self.process.log}.")
        run = Run(
            len(times_of_binding),
            max(times_of_binding) - min(times_of_binding),
            times.user + times.system,
            peak / 2**20,
        )
        print(f"{run.rate:.0f} a second, {run.cpu_seconds:.1f} s of YuniKorn's CPU", flush=True)
        return run

    def _binding_times(self) -> list[float]:
        """When each was bound, by YuniKorn's log, and the API server had taken it."""
        return [
            datetime.fromisoformat(line.partition("\t")[0]).timestamp()
            for line in self.process.log.read_text().splitlines()
            if "\tsuccessfully bound pod\t" in line
        ]


def _pod(number: int, kind: str) -> Object:
    """A pod as the other benchmark has it, in an application of its own number; of a gang, if it is one."""
    manifest = pod(number, "tree")
    application = number % APPLICATIONS
    labels, annotations = manifest["metadata"]["labels"], manifest["metadata"]["annotations"]
    labels["yunikorn.apache.org/app-id"] = f"application-{application}"
    labels["yunikorn.apache.org/queue"] = LEAVES[application % len(LEAVES)].path
    if kind == "gangs":
        [container] = manifest["spec"]["containers"]
        group = {
            "name": GANG,
            "minMember": PODS // APPLICATIONS,
            "minResource": container["resources"]["requests"],
        }
        annotations["yunikorn.apache.org/task-group-name"] = GANG
        annotations["yunikorn.apache.org/task-groups"] = json.dumps([group])
    return manifest


def _lines(runs: dict[tuple[int, str], list[Run]]) -> str:
    few, many = NODES
    lines = [
        f"{PODS} pods of {APPLICATIONS} applications, with a placeholder each and without; "
        f"{len(LEAVES)} queues; YuniKorn makes {REQUESTS} requests a second at most; "
        f"the median of {ROUNDS} rounds.",
        "",
        "| nodes | placeholders | placed a second | pods of jobs a second | CPU of YuniKorn | its memory |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for (nodes, kind), of in runs.items():
        placeholders = "with" if kind == "gangs" else "without"
        lines.append(
            f"| {nodes:,} | {placeholders} | {median(run.rate for run in of):.0f} "
            f"| {median(run.pods for run in of):.0f} | {median(run.cpu_seconds for run in of):.1f} s "
            f"| {max(run.mebibytes for run in of):.0f} MiB |"
        )
    lines += [
        "",
        "| ratio | placed a second | pods of jobs a second | CPU of YuniKorn for one placed |",
        "| --- | --- | --- | --- |",
    ]
    pairs = {
        **{
            f"with placeholders to without, {nodes:,} nodes": ((nodes, "gangs"), (nodes, "pods"))
            for nodes in NODES
        },
        f"{many:,} nodes to {few:,}, without placeholders": ((many, "pods"), (few, "pods")),
        f"{many:,} nodes to {few:,}, with placeholders": ((many, "gangs"), (few, "gangs")),
    }
    for subject, (numerator, denominator) in pairs.items():
        ratios = [
            median(map(figure, runs[numerator])) / median(map(figure, runs[denominator]))
            for figure in (lambda run: run.rate, lambda run: run.pods, lambda run: run.cpu)
        ]
        lines.append(f"| {subject} | {' | '.join(f'{ratio:.2f}' for ratio in ratios)} |")
    return "\n".join(lines) + "\n"
