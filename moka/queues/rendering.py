"""The tree as YuniKorn reads it, `queues.yaml` of ConfigMap `yunikorn-configs`.

As read in apache/yunikorn-core v1.8.0, pkg/common/configs/configvalidator.go:

- The root takes no resources (checkQueuesStructure), and what else limits it is not applied to it
  (objects/queue.go: applyConf), so nothing is written for it.
- Where a parent has `maxapplications`, its children must have it, too (checkQueueMaxApplications).
- A wildcard comes after all other names of a queue's limits (checkLimit).
- Rule `provided` with `create: false` takes a queue that is there and is a leaf, or nothing, and then the
  job is refused (pkg/scheduler/placement/provided_rule.go, placement.go).
"""

from collections.abc import Iterator
from typing import Any

from moka.queues.block import block
from moka.queues.resources import Resources
from moka.queues.tree import WILDCARD, Limit, Queue, QueueTree

YUNIKORN_NAMES = {"cpu": "vcore", "memory": "memory", "gpu": "nvidia.com/gpu"}
"""YuniKorn's names of resources."""


def queues_yaml(tree: QueueTree) -> str:
    """The text of `queues.yaml`; equal trees give equal text, whatever the order of their queues."""
    return block(document(tree))


def document(tree: QueueTree) -> dict[str, Any]:
    """What `queues.yaml` says."""
    partition = {
        "name": "default",
        # A job names a queue of this tree, or is refused with a reason.
        "placementrules": [{"name": "provided", "create": False}],
        # Full nodes first, so that empty ones can be given back.
        "nodesortpolicy": {"type": "binpacking"},
        "queues": [
            {
                "name": "root",
                "submitacl": "*",
                "queues": [_queue(queue, None) for queue in _sorted(tree.organizations)],
            }
        ],
    }
    return {"partitions": [partition]}


def _sorted(queues: tuple[Queue, ...]) -> list[Queue]:
    return sorted(queues, key=lambda queue: queue.name)


def _queue(queue: Queue, max_applications: int | None) -> dict[str, Any]:
    """A queue, below a parent with so many applications."""
    said: dict[str, Any] = {"name": queue.name}
    if queue.policy is None:
        said["parent"] = True
    resources = {"guaranteed": amounts(queue.guaranteed), "max": amounts(queue.maximum)}
    if named := {kind: amount for kind, amount in resources.items() if amount}:
        said["resources"] = named
    own = max_applications if queue.max_applications is None else queue.max_applications
    if own is not None:
        said["maxapplications"] = own
    if queue.policy is not None:
        said["properties"] = queue.policy.properties()
    if queue.limits:
        said["limits"] = list(_limits(queue.limits))
    if queue.policy is None:
        said["queues"] = [_queue(child, own) for child in _sorted(queue.queues)]
    return said


def _limits(limits: tuple[Limit, ...]) -> Iterator[dict[str, Any]]:
    """Limits of users, then of groups, wildcards last; else as they are ordered: a user counts for one group,
    the first that is named.
    """
    for kind in ("users", "groups"):
        for wild in (False, True):
            for limit in limits:
                names = [name for name in getattr(limit, kind) if (name == WILDCARD) is wild]
                if names:
                    said: dict[str, Any] = {"limit": f"{kind} {', '.join(names)}", kind: names}
                    if limit.max_applications is not None:
                        said["maxapplications"] = limit.max_applications
                    if limit.maximum not in (None, Resources()):
                        said["maxresources"] = amounts(limit.maximum)
                    yield said


def amounts(resources: Resources | None) -> dict[str, str]:
    """Resources by YuniKorn's names. Strings, or large numbers are written as 1e+06."""
    quantities = resources.quantities() if resources else {}
    return {YUNIKORN_NAMES[name]: text for name, text in quantities.items()}
