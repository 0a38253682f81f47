"""What objects take in etcd: those of a real job, and thousands of copies of them."""

import base64
import itertools
import json
import ssl
import time
import urllib.request
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any

from benchmarks.bench import CLOUD
from localcloud.control_plane import ControlPlane
from localcloud.control_plane.programs import ETCD
from stacks.scale import STORED, TEN_THOUSAND_NODES
from tests.support.application_load import UNTIL_ENDED, Case, Watch, load_cluster, until

COPIES, BATCH = 2_000, 100
"""Copies of each kind, and how many of them a transaction makes."""

EXECUTORS = TEN_THOUSAND_NODES.executors
JOB = Case(
    name="job-0", project="etl", tier=1, architecture="arm64", executors=EXECUTORS, runs_for=UNTIL_ENDED
)

KINDS = {
    "driver pod": "/registry/pods/{project}/{job}-driver",
    "executor pod": "/registry/pods/{project}/{job}-",
    "placeholder pod": "/registry/pods/{project}/tg-",
    "SparkApplication": "/registry/sparkoperator.k8s.io/sparkapplications/{project}/{job}",
    "Service of a driver": "/registry/services/specs/{project}/",
    "its EndpointSlice": "/registry/endpointslices/{project}/",
    "its Endpoints": "/registry/services/endpoints/{project}/",
    "ConfigMap of a driver": "/registry/configmaps/{project}/spark-",
    "ConfigMap of its executors": "/registry/configmaps/{project}/{job}-",
    "event": "/registry/events/{project}/",
}
"""Kind -> how its keys begin; the first that fits is it."""

PATIENCE_SECONDS, LOOK_SECONDS = 300, 0.2


@dataclass(frozen=True)
class Stored:
    """A value in etcd, as it is longest. versions: how often it was written."""

    value: bytes
    versions: int


@dataclass(frozen=True)
class Etcd:
    """The etcd of a control plane, by its gateway for JSON."""

    plane: ControlPlane

    def post(self, path: str, body: Any) -> Any:
        """An answer of its API."""
        context = ssl.create_default_context(cafile=self.plane.credentials.authority)
        context.load_cert_chain(*self.plane.credentials.serving)
        url = f"https://127.0.0.1:{self.plane.ports[ETCD.name]}/v3/{path}"
        with urllib.request.urlopen(url, json.dumps(body).encode(), context=context) as answer:
            return json.load(answer)

    def values(self, prefix: str) -> dict[str, Stored]:
        """Key -> value, of all keys that begin so."""
        end = prefix[:-1] + chr(ord(prefix[-1]) + 1)
        answer = self.post("kv/range", {"key": _encoding(prefix), "range_end": _encoding(end)})
        return {
            base64.b64decode(item["key"]).decode(): Stored(
                base64.b64decode(item["value"]), int(item["version"])
            )
            for item in answer.get("kvs", [])
        }

    def put(self, pairs: Sequence[tuple[str, bytes]]) -> None:
        """Write values, in transactions."""
        for first in range(0, len(pairs), BATCH):
            puts = [
                {"requestPut": {"key": _encoding(key), "value": base64.b64encode(value).decode()}}
                for key, value in pairs[first : first + BATCH]
            ]
            self.post("kv/txn", {"success": puts})

    def bytes_in_use(self) -> int:
        """Of its database, without free pages."""
        return int(self.post("maintenance/status", {})["dbSizeInUse"])


def table() -> str:
    """Measure; the table."""
    with load_cluster(CLOUD, machines=2, per_minute=30, finished_pods=1_000) as cluster:
        etcd = Etcd(cluster.plane)
        watch = Watch(cluster.api).start()
        print(f"etcd: a job with {EXECUTORS} executors ...", flush=True)
        cluster.submit([JOB])
        longest_values: dict[str, Stored] = {}
        _look(etcd, longest_values, lambda: watch.runs(JOB))
        cluster.end_drivers([JOB])
        _look(etcd, longest_values, lambda: watch.all_over([JOB]))
        kinds = _by_kind(longest_values)
        print(f"etcd: {COPIES} copies of each kind ...", flush=True)
        # What runs would write as well.
        for program in cluster.plane.folder.glob("*.pid"):
            if program.stem != ETCD.name:
                cluster.plane.process(program.stem).stop(timeout=1)
        sizes = {kind: _size(etcd, values) for kind, values in kinds.items()}
    return _lines(kinds, sizes)


def _look(etcd: Etcd, values: dict[str, Stored], over: Callable[[], object]) -> None:
    """Note each value as it is longest, until it is over."""

    def look() -> bool:
        ended = over()
        for key, stored in etcd.values("/registry/").items():
            before = values.get(key)
            longest = max(stored.value, before.value if before else b"", key=len)
            values[key] = Stored(longest, stored.versions)
        time.sleep(LOOK_SECONDS)
        return bool(ended)

    until(look, "the job is as far", PATIENCE_SECONDS)


def _by_kind(values: dict[str, Stored]) -> dict[str, list[Stored]]:
    kinds: dict[str, list[Stored]] = defaultdict(list)
    for key, stored in values.items():
        fitting = (
            kind
            for kind, start in KINDS.items()
            if key.startswith(start.format(project=JOB.project, job=JOB.name))
        )
        if kind := next(fitting, None):
            kinds[kind].append(stored)
    return {kind: kinds[kind] for kind in KINDS}


def _size(etcd: Etcd, values: Sequence[Stored]) -> float:
    """Bytes that a copy takes, of thousands, which repeat the values by turns."""
    prefix = f"/copies/{len(values[0].value)}/{values[0].value[-8:].hex()}/of-a-key-of-the-usual-length/"
    before = etcd.bytes_in_use()
    turns = itertools.islice(itertools.cycle(values), COPIES)
    etcd.put([(f"{prefix}{number:06}", stored.value) for number, stored in enumerate(turns)])
    # Its database has all of it once the transaction that gathers writes is through.
    time.sleep(1)
    return (etcd.bytes_in_use() - before) / COPIES


def _lines(kinds: dict[str, list[Stored]], sizes: dict[str, float]) -> str:
    pods = sum(len(values) for kind, values in kinds.items() if kind.endswith(" pod"))
    events = len(kinds["event"]) / pods
    lines = [
        f"a job with {EXECUTORS} executors, {COPIES:,} copies of each kind; in bytes; "
        f"{events:.1f} events of a pod, without the kubelet's.",
        "",
        "| object | there were | written | value | each takes in etcd | in `stacks/scale.py` |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for kind, values in kinds.items():
        writes = mean(stored.versions for stored in values)
        size = mean(len(stored.value) for stored in values)
        record = f"{STORED[kind]:,}" if kind in STORED else ""
        lines.append(
            f"| {kind} | {len(values)} | {writes:.1f} times | {size:,.0f} | {sizes[kind]:,.0f} | {record} |"
        )
    return "\n".join(lines) + "\n"


def _encoding(text: str) -> str:
    return base64.b64encode(text.encode()).decode()
