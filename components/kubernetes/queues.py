"""YuniKorn's queues: `root.<organization>.<project>.tier<n>`, rendered to its `queues.yaml`."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import yaml

TierNumber = Literal[1, 2, 3]


@dataclass(frozen=True, kw_only=True)
class Resources:
    """An amount of cores and memory, as Kubernetes quantities: `16` or `500m`, `128Gi`."""

    cpu: str
    memory: str


@dataclass(frozen=True, kw_only=True)
class Queue:
    """A leaf of the tree.

    tier: 1 is the most critical; what runs there is never preempted.
    guaranteed: what it gets back by preemption when others have it.
    maximum: what it never exceeds.
    """

    organization: str
    project: str
    tier: TierNumber
    guaranteed: Resources
    maximum: Resources

    @property
    def path(self) -> str:
        """As a job names it."""
        return f"root.{self.organization}.{self.project}.tier{self.tier}"


def queues_yaml(queues: Iterable[Queue]) -> str:
    """The text of `queues.yaml`; equal queues give equal text, whatever their order."""
    root: dict[str, Any] = {"name": "root", "submitacl": "*", "queues": []}
    for queue in sorted(queues, key=lambda queue: queue.path):
        project = _child(_child(root, queue.organization), queue.project)
        project["queues"].append(_leaf(queue))
    partition = {
        "name": "default",
        # A job names a queue of this tree, or is refused with a reason.
        "placementrules": [{"name": "provided", "create": False}],
        # Full nodes first, so that empty ones can be given back.
        "nodesortpolicy": {"type": "binpacking"},
        "queues": [root],
    }
    return yaml.safe_dump({"partitions": [partition]}, sort_keys=False)


def _child(parent: dict[str, Any], name: str) -> dict[str, Any]:
    for queue in parent["queues"]:
        if queue["name"] == name:
            found: dict[str, Any] = queue
            return found
    made: dict[str, Any] = {"name": name, "parent": True, "queues": []}
    parent["queues"].append(made)
    return made


def _leaf(queue: Queue) -> dict[str, Any]:
    leaf: dict[str, Any] = {
        "name": f"tier{queue.tier}",
        "resources": {"guaranteed": _amount(queue.guaranteed), "max": _amount(queue.maximum)},
    }
    if queue.tier == 1:
        leaf["properties"] = {"preemption.policy": "disabled"}
    return leaf


def _amount(resources: Resources) -> dict[str, str]:
    # Strings, or large numbers are written as 1e+06.
    return {"vcore": resources.cpu, "memory": resources.memory}
