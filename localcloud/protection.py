"""What a stack protects from being deleted: lifted before it goes down here, where nothing is to be kept."""

import json
from typing import Any

from localcloud.engine import Engine
from localcloud.plugins.aws import kept

MARKS = ("protect", "retainOnDelete")
CLUSTER = "aws:eks/cluster:Cluster"


def lift(engine: Engine, stack: str) -> int:
    """Unmark what a stack protects or would leave behind, EKS clusters too; how many resources that is."""
    if not any(resource.lasting for resource in engine.resources(stack)):
        return 0
    state = json.loads(engine.ask("stack", "export", "--stack", stack))
    lasting = [each for each in state["deployment"]["resources"] if any(each.get(mark) for mark in MARKS)]
    for each in lasting:
        for mark in MARKS:
            each.pop(mark, None)
        if each["type"] == CLUSTER:
            _unprotect_cluster(engine, each.get("outputs") or {})
    engine.ask("stack", "import", "--stack", stack, text=json.dumps(state))
    return len(lasting)


def _unprotect_cluster(engine: Engine, outputs: dict[str, Any]) -> None:
    """As `aws eks update-cluster-config --no-deletion-protection` would."""
    _, _, _, region, account, name = str(outputs.get("arn", "")).split(":", 5)
    place = kept.Kept(kept.folder(engine.cloud) / account / region / "eks")
    cluster = ("cluster", name.rpartition("/")[2])
    if known := place.get(*cluster):
        place.put(*cluster, thing={**known, "deletionProtection": False})
