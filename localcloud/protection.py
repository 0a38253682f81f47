"""Protection from deletion, taken off a stack before it goes down: nothing on the laptop is to be kept."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from localcloud import store
from localcloud.aws_server import AwsServer
from localcloud.engine import Engine
from localcloud.plugins.aws.api import account_api

MARKS = ("protect", "retainOnDelete")
EKS_CLUSTER = "aws:eks/cluster:Cluster"
DATABASE_CLUSTER = "aws:rds/cluster:Cluster"


def unprotect(engine: Engine, stack: str) -> int:
    """Unmark what a stack protects or would leave behind, clusters in AWS too; the number of resources.

    Buckets and repositories go with all that is in them.
    """
    if not any(resource.protected for resource in engine.resources(stack)):
        return 0
    state = json.loads(engine.pulumi("stack", "export", "--stack", stack))
    resources = state["deployment"]["resources"]
    protected_resources = [resource for resource in resources if any(resource.get(mark) for mark in MARKS)]
    for resource in protected_resources:
        for mark in MARKS:
            resource.pop(mark, None)
        if unprotect_in_aws := OF_AWS.get(resource["type"]):
            unprotect_in_aws(engine, resource.get("outputs") or {})
        if force := FORCE.get(resource["type"]):
            for properties in ("inputs", "outputs"):
                resource[properties] = {**(resource.get(properties) or {}), force: True}
    engine.pulumi("stack", "import", "--stack", stack, text=json.dumps(state))
    return len(protected_resources)


def _unprotect_cluster(engine: Engine, outputs: dict[str, Any]) -> None:
    """As `aws eks update-cluster-config --no-deletion-protection` would."""
    _, _, _, region, account, name = str(outputs.get("arn", "")).split(":", 5)
    place = store.Store(store.store_folder(engine.cloud) / account / region / "eks")
    cluster = ("cluster", name.rpartition("/")[2])
    if attributes := place.get(*cluster):
        place.put(*cluster, thing={**attributes, "deletionProtection": False})


def _unprotect_database(engine: Engine, outputs: dict[str, Any]) -> None:
    """As `aws rds modify-db-cluster --no-deletion-protection` would."""
    _, _, _, region, account, _, name = str(outputs.get("arn", "")).split(":", 6)
    client = account_api(engine.cloud, AwsServer(engine.cloud).url, account, region).client("rds")
    client.modify_db_cluster(DBClusterIdentifier=name, DeletionProtection=False, ApplyImmediately=True)


FORCE = {"aws:s3/bucket:Bucket": "forceDestroy", "aws:ecr/repository:Repository": "forceDelete"}
"""Type -> the property with which one is deleted that is not empty."""

OF_AWS: Mapping[str, Callable[[Engine, dict[str, Any]], None]] = {
    EKS_CLUSTER: _unprotect_cluster,
    DATABASE_CLUSTER: _unprotect_database,
}
"""Type -> how AWS's own protection of it is taken off."""
