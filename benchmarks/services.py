"""Services of drivers by the thousand: what they take of the API server, of watchers, of a real CoreDNS."""

import random
import socket
import struct
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from statistics import median, quantiles

import psutil
import urllib3

from benchmarks.bare_plane import bare_plane, cpu, program, resident, watching
from localcloud import tools
from localcloud.control_plane import ControlPlane
from localcloud.control_plane.api import Api, Object
from localcloud.control_plane.parallel import parallel_map
from localcloud.loopback import free_port
from localcloud.processes import answers
from moka.components.aws.addon_configuration import COREFILE
from stacks.scale import TEN_THOUSAND_NODES

OF_ONE = TEN_THOUSAND_NODES.part(4)
"""The load of a cluster of 2,500 nodes, more than those of docs/scale.md have."""

RUNNING, KEPT = round(OF_ONE.jobs), round(OF_ONE.kept)
RATE = OF_ONE.jobs_a_second
"""Jobs that begin a second, and as many that end, and that go."""

WATCHERS = (1, 168)
"""Replicas of CoreDNS; the last are those of a cluster of 2,500 nodes."""

SECONDS, LISTS = 60, 5

PATHS = ("/api/v1/services", "/apis/discovery.k8s.io/v1/endpointslices")
NAMESPACE = "jobs"
SERVICES = f"/api/v1/namespaces/{NAMESPACE}/services"
SLICES = f"/apis/discovery.k8s.io/v1/namespaces/{NAMESPACE}/endpointslices"
PORTS = {"driver-rpc-port": 7078, "blockmanager": 7079, "spark-ui": 4040, "spark-connect": 15002}
PROTOBUF = "application/vnd.kubernetes.protobuf"


def service(number: int) -> Object:
    """A driver's Service, as Spark and the Spark Operator make it."""
    owner = {"apiVersion": "v1", "kind": "Pod", "name": f"job-{number}-driver", "uid": _uid(number)}
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {
            "name": _name(number),
            "labels": {"spark-app-selector": _selector(number)},
            "annotations": {
                "prometheus.io/path": "/metrics/prometheus/",
                "prometheus.io/port": "4040",
                "prometheus.io/scrape": "true",
            },
            "ownerReferences": [{**owner, "controller": True}],
        },
        "spec": {
            "clusterIP": "None",
            "ports": [{"name": name, "port": port, "targetPort": port} for name, port in PORTS.items()],
            "selector": {
                "moka.dev/organization": "acme",
                "moka.dev/project": "etl",
                "moka.dev/tier": "1",
                "queue": "root.acme.etl.tier1",
                "spark-app-name": f"job-{number}",
                "spark-app-selector": _selector(number),
                "spark-role": "driver",
                "spark-version": "4.1.4",
                "sparkoperator.k8s.io/app-name": f"job-{number}",
                "sparkoperator.k8s.io/launched-by-spark-operator": "true",
                "sparkoperator.k8s.io/submission-id": _uid(number),
            },
        },
    }


def endpoint_slice(number: int, *, runs: bool) -> Object:
    """Its EndpointSlice, as Kubernetes' controller makes it: empty unless the driver runs."""
    pod = {"kind": "Pod", "namespace": NAMESPACE, "name": f"job-{number}-driver", "uid": _uid(number)}
    owner = {"apiVersion": "v1", "kind": "Service", "name": _name(number), "uid": _uid(number)}
    endpoint = {
        "addresses": [address(number)],
        "conditions": {"ready": True, "serving": True, "terminating": False},
        "targetRef": pod,
        "nodeName": f"driver-arm64-{number % 70}",
        "zone": "us-east-1a",
    }
    return {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {
            "name": f"{_name(number)}-{number % 1000:05}",
            "generateName": f"{_name(number)}-",
            "labels": {
                "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
                "kubernetes.io/service-name": _name(number),
                "service.kubernetes.io/headless": "",
                "spark-app-selector": _selector(number),
            },
            "annotations": {"endpoints.kubernetes.io/last-change-trigger-time": "2026-01-01T00:00:00Z"},
            "ownerReferences": [{**owner, "controller": True, "blockOwnerDeletion": True}],
        },
        "addressType": "IPv4",
        "ports": [{"name": name, "port": port, "protocol": "TCP"} for name, port in PORTS.items()],
        "endpoints": [endpoint] if runs else [],
    }


def address(number: int) -> str:
    """Of a driver's pod."""
    return f"100.64.{number // 250 % 250}.{number % 250 + 1}"


def _name(number: int) -> str:
    return f"job-{number}-{number:016x}-driver-svc"


def _selector(number: int) -> str:
    return f"spark-{number:032x}"


def _uid(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012x}"


class Jobs:
    """The Services of jobs, of which the last ones run, and the others have ended and are kept."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self.gone = self.begun = 0

    @property
    def running(self) -> range:
        """Jobs whose drivers run."""
        return range(self.begun - RUNNING, self.begun)

    def fill(self) -> None:
        """Have as many as such a cluster has."""

        def fill(number: int) -> None:
            self._begin(number)
            if number >= KEPT:
                self._run(number)

        parallel_map(fill, range(RUNNING + KEPT))
        self.begun = RUNNING + KEPT

    def turn(self) -> None:
        """One begins and runs, one ends, and one goes."""
        self._begin(self.begun)
        self._run(self.begun)
        self._put(self.begun - RUNNING, runs=False)
        self._api.delete(f"{SERVICES}/{_name(self.gone)}")
        self._api.delete(_slice_path(self.gone))
        self.begun += 1
        self.gone += 1

    def for_seconds(self, seconds: float) -> None:
        """Come and go, at the rate of such a cluster."""
        began, turns = time.monotonic(), 0
        while (now := time.monotonic() - began) < seconds:
            if now * RATE < turns:
                time.sleep(min(turns / RATE, seconds) - now)
                continue
            self.turn()
            turns += 1

    def _begin(self, number: int) -> None:
        self._api.create(SERVICES, service(number), fieldManager="fabric8")
        self._api.create(SLICES, endpoint_slice(number, runs=False), fieldManager="kube-controller-manager")

    def _run(self, number: int) -> None:
        self._put(number, runs=True)

    def _put(self, number: int, *, runs: bool) -> None:
        self._api.merge(_slice_path(number), {"endpoints": endpoint_slice(number, runs=runs)["endpoints"]})


def _slice_path(number: int) -> str:
    return f"{SLICES}/{endpoint_slice(number, runs=False)['metadata']['name']}"


@dataclass(frozen=True)
class Listed:
    """A list as who begins to watch takes it. milliseconds: the median."""

    milliseconds: float
    mebibytes: float


@dataclass(frozen=True)
class Watched:
    """What a number of watchers were sent for a while.

    events, mebibytes: a second, of all of them. cpu: cores of the API server.
    """

    watchers: int
    events: float
    mebibytes: float
    cpu: float


@dataclass(frozen=True)
class Dns:
    """A CoreDNS: its MiB, seconds until it is ready, cores while Services come and go, ms of answers."""

    empty: float
    full: float
    ready: float
    cpu: float
    p50: float
    p99: float


def table() -> str:
    """Measure; the table."""
    tools.build(["coredns"])
    with bare_plane("services") as plane:
        api, server = plane.api(), program(plane.process("kube-apiserver"))
        api.apply_all([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}])
        with coredns(plane) as (process, _, _):
            empty_dns = resident(process)
        empty = resident(server)
        jobs = Jobs(api)
        print(f"services: {RUNNING + KEPT} ...", flush=True)
        jobs.fill()
        full = resident(server)
        lists = {
            (path, accept): _list_figures(plane, path, accept)
            for path in PATHS
            for accept in (PROTOBUF, "application/json")
        }
        figures = [_watch_figures(plane, server, jobs, number) for number in WATCHERS]
        peak = resident(server)
        dns = _dns(plane, jobs, empty_dns)
    return _lines(lists, figures, dns, (empty, full, peak))


def _list_figures(plane: ControlPlane, path: str, accept: str) -> Listed:
    pool = urllib3.PoolManager(ca_certs=str(plane.credentials.authority))
    headers = {"Authorization": f"Bearer {plane.token_file.read_text().strip()}", "Accept": accept}
    seconds, size = [], 0
    for _ in range(LISTS):
        began = time.perf_counter()
        answer = pool.request("GET", f"{plane.endpoint}{path}?resourceVersion=0", headers=headers)
        seconds.append(time.perf_counter() - began)
        size = len(answer.data)
    return Listed(1000 * median(seconds), size / 2**20)


def _watch_figures(plane: ControlPlane, server: psutil.Process, jobs: Jobs, number: int) -> Watched:
    print(f"services: {number} watchers, for {SECONDS} s ...", flush=True)
    with watching(plane, "protobuf", PATHS, number) as counters:
        before = cpu(server)
        jobs.for_seconds(SECONDS)
        use = cpu(server) - before
    return Watched(number, counters["events"] / SECONDS, counters["bytes"] / SECONDS / 2**20, use / SECONDS)


def _dns(plane: ControlPlane, jobs: Jobs, empty: float) -> Dns:
    print(f"services: CoreDNS, for {SECONDS} s ...", flush=True)
    with coredns(plane) as (process, port, ready):
        before = cpu(process)
        jobs.for_seconds(SECONDS)
        watching = (cpu(process) - before) / SECONDS
        times = []
        # Each once: it would have the answer ready.
        for number in random.Random(0).sample(jobs.running, RUNNING):
            began = time.perf_counter()
            addresses = resolve(f"{_name(number)}.{NAMESPACE}.svc.cluster.local", port)
            times.append(1000 * (time.perf_counter() - began))
            assert addresses == [address(number)], f"driver {number} is at {addresses}"
        full = resident(process)
    return Dns(empty, full, ready, watching, median(times), quantiles(times, n=100)[98])


@contextmanager
def coredns(plane: ControlPlane) -> Iterator[tuple[psutil.Process, int, float]]:
    """A CoreDNS with the Corefile of a cluster: its process, its port, and the seconds until it was ready."""
    port, ready = free_port(), f"127.0.0.1:{free_port()}"
    text = COREFILE
    for old, new in (
        (".:53 {\n", f".:{port} {{\n    bind 127.0.0.1\n"),
        ("health {\n        lameduck 30s\n", f"health 127.0.0.1:{free_port()} {{\n"),
        ("    ready\n", f"    ready {ready}\n"),
        ("    prometheus :9153\n", f"    prometheus 127.0.0.1:{free_port()}\n"),
        ("        pods insecure\n", f"        kubeconfig {plane.kubeconfig}\n        pods insecure\n"),
    ):
        assert text.count(old) == 1, f"the Corefile has {old.strip()} {text.count(old)} times"
        text = text.replace(old, new)
    corefile = plane.folder / "Corefile"
    corefile.write_text(text)
    process = plane.process("coredns")
    began = time.monotonic()
    with ExitStack() as stack:
        stack.callback(process.stop)
        command = [str(tools.path("coredns")), f"-conf={corefile}"]
        process.start(command, {}, lambda: answers(f"http://{ready}/ready"))
        yield program(process), port, time.monotonic() - began


def resolve(name: str, port: int) -> list[str]:
    """The IPv4 addresses of a name, by UDP (RFC 1035)."""
    labels = b"".join(bytes([len(label)]) + label.encode() for label in name.split("."))
    question = labels + b"\0" + struct.pack("!HH", 1, 1)
    header = struct.pack("!HHHHHH", random.randrange(2**16), 0x0100, 1, 0, 0, 0)
    with socket.socket(type=socket.SOCK_DGRAM) as client:
        client.settimeout(5)
        client.sendto(header + question, ("127.0.0.1", port))
        answer = client.recv(4096)
    count, rest, addresses = struct.unpack("!H", answer[6:8])[0], answer[12 + len(question) :], []
    for _ in range(count):
        # A name is a reference here, or as the question has it.
        rest = rest[2:] if rest[0] & 0xC0 else rest[len(labels) + 1 :]
        kind, _, _, length = struct.unpack("!HHIH", rest[:10])
        if kind == 1:
            addresses.append(socket.inet_ntoa(rest[10 : 10 + length]))
        rest = rest[10 + length :]
    return addresses


def _lines(
    lists: dict[tuple[str, str], Listed],
    figures: list[Watched],
    dns: Dns,
    memory: tuple[float, float, float],
) -> str:
    empty, full, peak = memory
    lines = [
        f"{RUNNING + KEPT:,} Services of drivers, {RUNNING} of which run, and as many EndpointSlices; "
        f"{RATE * 60:.0f} a minute begin, end and go, for {SECONDS} s each; the API server has "
        f"{empty:.0f} MiB without them, {full:.0f} with them, {peak:.0f} with {figures[-1].watchers} "
        "replicas that watch.",
        "",
        "| list of all | protobuf | | JSON | |",
        "| --- | --- | --- | --- | --- |",
    ]
    for path in PATHS:
        cells = [
            f"{list_answer.milliseconds:.0f} ms | {list_answer.mebibytes:.1f} MiB"
            for accept in (PROTOBUF, "application/json")
            for list_answer in [lists[path, accept]]
        ]
        lines.append(f"| {path.rpartition('/')[2]} | {' | '.join(cells)} |")
    lines += [
        "",
        "| replicas that watch both | events a second | MiB a second | cores of the API server |",
        "| --- | --- | --- | --- |",
        *(f"| {row.watchers} | {row.events:,.0f} | {row.mebibytes:.2f} | {row.cpu:.2f} |" for row in figures),
        "",
        "| a real CoreDNS | |",
        "| --- | --- |",
        f"| memory without Services, with all | {dns.empty:.0f}, {dns.full:.0f} MiB |",
        f"| ready after its start | {dns.ready:.1f} s |",
        f"| cores while Services come and go | {dns.cpu:.3f} |",
        f"| a driver's address, asked for the first time, p50, p99 | {dns.p50:.2f} ms, {dns.p99:.2f} ms |",
    ]
    return "\n".join(lines) + "\n"
