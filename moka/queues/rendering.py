"""The tree as YuniKorn reads it, `queues.yaml` of ConfigMap `yunikorn-configs`.

As read in apache/yunikorn-core v1.8.0, pkg/common/configs/configvalidator.go:

- The root takes no resources (checkQueuesStructure), and other limits are not applied to it
  (objects/queue.go: applyConf), so nothing is written for it.
- Where a parent has `maxapplications`, its children must have it, too (checkQueueMaxApplications).
- A wildcard comes after all other names of a queue's limits (checkLimit).
- Rule `provided` with `create: false` takes an existing leaf queue, or nothing, and then the job is refused
  (pkg/scheduler/placement/provided_rule.go, placement.go).
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
    """The content of `queues.yaml`."""
    partition = {
        "name": "default",
        # A job names a queue of this tree, or is refused with a reason.
        "placementrules": [{"name": "provided", "create": False}],
        "nodesortpolicy": {"type": tree.node_order},
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
    entry: dict[str, Any] = {"name": queue.name}
    if queue.policy is None:
        entry["parent"] = True
    resources = {"guaranteed": _amounts(queue.guaranteed), "max": _amounts(queue.maximum)}
    if stated := {kind: amounts for kind, amounts in resources.items() if amounts}:
        entry["resources"] = stated
    applications = max_applications if queue.max_applications is None else queue.max_applications
    if applications is not None:
        entry["maxapplications"] = applications
    if queue.policy is not None:
        entry["properties"] = queue.policy.properties()
    if queue.limits:
        entry["limits"] = list(_limits(queue.limits))
    if queue.policy is None:
        entry["queues"] = [_queue(child, applications) for child in _sorted(queue.queues)]
    return entry


def _limits(limits: tuple[Limit, ...]) -> Iterator[dict[str, Any]]:
    """Limits of users, then of groups, wildcards last; otherwise in their order: a user counts for one group,
    the first that is listed.
    """
    for kind in ("users", "groups"):
        for wildcard in (False, True):
            for limit in limits:
                names = [name for name in getattr(limit, kind) if (name == WILDCARD) is wildcard]
                if names:
                    entry: dict[str, Any] = {"limit": f"{kind} {', '.join(names)}", kind: names}
                    if limit.max_applications is not None:
                        entry["maxapplications"] = limit.max_applications
                    if limit.maximum not in (None, Resources()):
                        entry["maxresources"] = _amounts(limit.maximum)
                    yield entry


def _amounts(resources: Resources | None) -> dict[str, str]:
    """Resources by YuniKorn's names. Strings, or large numbers are written as 1e+06."""
    quantities = resources.quantities() if resources else {}
    return {YUNIKORN_NAMES[name]: text for name, text in quantities.items()}
