"""Protection from deletion, taken off a stack before it goes down: nothing on the laptop is to be kept."""

import json
from typing import Any

from localcloud.engine import Engine
from localcloud.plugins.aws import store

MARKS = ("protect", "retainOnDelete")
EKS_CLUSTER = "aws:eks/cluster:Cluster"


def unprotect(engine: Engine, stack: str) -> int:
    """Unmark what a stack protects or would leave behind, EKS clusters too; the number of resources."""
    if not any(resource.protected for resource in engine.resources(stack)):
        return 0
    state = json.loads(engine.pulumi("stack", "export", "--stack", stack))
    resources = state["deployment"]["resources"]
    protected = [resource for resource in resources if any(resource.get(mark) for mark in MARKS)]
    for resource in protected:
        for mark in MARKS:
            resource.pop(mark, None)
        if resource["type"] == EKS_CLUSTER:
            _unprotect_cluster(engine, resource.get("outputs") or {})
    engine.pulumi("stack", "import", "--stack", stack, text=json.dumps(state))
    return len(protected)


def _unprotect_cluster(engine: Engine, outputs: dict[str, Any]) -> None:
    """As `aws eks update-cluster-config --no-deletion-protection` would."""
    _, _, _, region, account, name = str(outputs.get("arn", "")).split(":", 5)
    place = store.Store(store.store_folder(engine.cloud) / account / region / "eks")
    cluster = ("cluster", name.rpartition("/")[2])
    if attributes := place.get(*cluster):
        place.put(*cluster, thing={**attributes, "deletionProtection": False})
