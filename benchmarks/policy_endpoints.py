"""Lists of network policies, written anew over and over: what a real API server sends, and what it takes."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, count

import psutil

from benchmarks.bare_plane import bare_plane, cpu, program, watching
from localcloud.control_plane import ControlPlane
from localcloud.control_plane.api import Api, Object
from localcloud.control_plane.parallel import parallel_map
from moka.policy_endpoints import megabytes_a_second
from stacks.scale import TEN_THOUSAND_NODES

GROUP, VERSION, PLURAL = "networking.k8s.aws", "v1alpha1", "policyendpoints"
LISTS = f"/apis/{GROUP}/{VERSION}/{PLURAL}"
PODS, NAMESPACES = round(TEN_THOUSAND_NODES.part(10).pods), 12
"""Of jobs at once in one of the clusters of docs/scale.md, and where they are."""

ENTRIES = 1_000
"""Of an object, as EKS's controller has it (docs/network.md)."""

AGENTS = (1, 100)
"""Nodes, each with an agent that watches."""

ROUNDS = 30
"""Times that all objects are written anew, once a second at the most."""

DEFINITION: Object = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": f"{PLURAL}.{GROUP}"},
    "spec": {
        "group": GROUP,
        "names": {"kind": "PolicyEndpoint", "plural": PLURAL, "singular": "policyendpoint"},
        "scope": "Namespaced",
        "versions": [
            {
                "name": VERSION,
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
                },
            }
        ],
    },
}
"""A stand-in: EKS's own has a schema of each field."""


@dataclass(frozen=True)
class Watched:
    """What a number of agents were sent in a round: MB, of all of them; seconds of CPU of the API server."""

    agents: int
    megabytes: float
    cpu: float

    @property
    def counted(self) -> float:
        """MB that are counted for it, as each object is written once."""
        return megabytes_a_second(PODS, PODS, self.agents)


def table() -> str:
    """Measure; the table."""
    with bare_plane("policy-endpoints") as plane:
        api, server = plane.api(), program(plane.process("kube-apiserver"))
        spaces = [f"jobs-{number}" for number in range(NAMESPACES)]
        names = [
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": n}} for n in (*spaces, "celeborn")
        ]
        api.apply_all([*names, DEFINITION])
        while api.get(LISTS) is None:
            time.sleep(0.1)
        rounds = _rounds(spaces)
        first = next(rounds)
        for item in first:
            api.create(_path(item).rpartition("/")[0], item)
        figures = [_figures(plane, api, server, rounds, number) for number in AGENTS]
    return _lines(figures, len(first))


def _rounds(spaces: list[str]) -> Iterator[list[Object]]:
    """All objects, over and over; each time a pod of each namespace is another one."""
    share = PODS // len(spaces)
    for turn in count():
        pods = {
            space: [_pod(space, at * share + number, turn if number == 0 else 0) for number in range(share)]
            for at, space in enumerate(spaces)
        }
        isolated = [
            _endpoint(space, "spark", {"podSelectorEndpoints": own, "ingress": _addresses(own)})
            for space, own in pods.items()
        ]
        everyone = list(chain.from_iterable(pods.values()))
        shuffle = [
            _endpoint(
                "celeborn", f"celeborn-{first}", {"ingress": _addresses(everyone[first : first + ENTRIES])}
            )
            for first in range(0, len(everyone), ENTRIES)
        ]
        yield [*isolated, *shuffle]


def _pod(space: str, number: int, turn: int) -> dict[str, str]:
    return {
        "hostIP": f"10.64.{number // 5 // 250}.{number // 5 % 250 + 1}",
        "podIP": f"100.64.{number // 250}.{number % 250 + 1}",
        "name": f"reports-daily-{turn:08x}-exec-{number}",
        "namespace": space,
    }


def _addresses(pods: list[dict[str, str]]) -> list[dict[str, str]]:
    return [{"cidr": pod["podIP"]} for pod in pods]


def _endpoint(space: str, name: str, lists: Object) -> Object:
    return {
        "apiVersion": f"{GROUP}/{VERSION}",
        "kind": "PolicyEndpoint",
        "metadata": {"name": name, "namespace": space},
        "spec": {"policyRef": {"name": name, "namespace": space}, "podIsolation": ["Ingress"], **lists},
    }


def _path(item: Object) -> str:
    space, name = item["metadata"]["namespace"], item["metadata"]["name"]
    return f"/apis/{GROUP}/{VERSION}/namespaces/{space}/{PLURAL}/{name}"


def _figures(
    plane: ControlPlane, api: Api, server: psutil.Process, rounds: Iterator[list[Object]], agents: int
) -> Watched:
    print(f"policy_endpoints: {agents} agents ...", flush=True)
    with watching(plane, "json", [LISTS], agents) as counters:
        before = cpu(server)
        for _ in range(ROUNDS):
            began = time.monotonic()
            parallel_map(lambda item: api.merge(_path(item), {"spec": item["spec"]}), next(rounds))
            time.sleep(max(0, began + 1 - time.monotonic()))
        use = cpu(server) - before
    return Watched(agents, counters["bytes"] / ROUNDS / 1e6, use / ROUNDS)


def _lines(figures: list[Watched], objects: int) -> str:
    few, many = figures
    lines = [
        f"{PODS:,} drivers and executors in {NAMESPACES} namespaces, and all of them at Celeborn: {objects} "
        f"objects, each written {ROUNDS} times.",
        "",
        "| nodes with an agent | MB sent a time | as it is counted | CPU of the API server a time |",
        "| --- | --- | --- | --- |",
        *(f"| {row.agents} | {row.megabytes:.2f} | {row.counted:.2f} | {row.cpu:.2f} s |" for row in figures),
        "",
        "| ratio | |",
        "| --- | --- |",
        f"| sent, to what is counted | {many.megabytes / many.counted:.2f} |",
        f"| seconds of CPU for a GB that is sent | "
        f"{(many.cpu - few.cpu) / (many.megabytes - few.megabytes) * 1000:.1f} |",
    ]
    return "\n".join(lines) + "\n"
