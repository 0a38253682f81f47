"""Which resources hold data, and how they would lose it.

Sources: Pulumi, "protect" and "retainOnDelete" (https://www.pulumi.com/docs/iac/concepts/resources/options/);
the documentation of each type in the AWS provider.
"""

from collections.abc import Mapping
from typing import Any

from previews import State
from previews.values import at, sequence

HOLDS: Mapping[str, str] = {
    "aws:s3/bucket:Bucket": "objects",
    "aws:s3/bucketV2:BucketV2": "objects",
    "aws:kms/key:Key": "the key of all that it encrypted, which nobody can read without it",
    "aws:kms/replicaKey:ReplicaKey": "the key of all that it encrypted, which nobody can read without it",
    "aws:ecr/repository:Repository": "images",
    "aws:cloudwatch/logGroup:LogGroup": "logs",
    "aws:ebs/volume:Volume": "a disk",
    "aws:ebs/snapshot:Snapshot": "a snapshot",
    "aws:efs/fileSystem:FileSystem": "files",
    "aws:fsx/lustreFileSystem:LustreFileSystem": "files",
    "aws:rds/instance:Instance": "a database",
    "aws:rds/cluster:Cluster": "a database",
    "aws:dynamodb/table:Table": "a table",
    "aws:docdb/cluster:Cluster": "a database",
    "aws:elasticache/replicationGroup:ReplicationGroup": "a cache",
    "aws:secretsmanager/secret:Secret": "a secret",
    "aws:ssm/parameter:Parameter": "a parameter",
    "aws:sqs/queue:Queue": "messages",
    "aws:kinesis/stream:Stream": "records",
    "aws:msk/cluster:Cluster": "records",
    "aws:backup/vault:Vault": "backups",
    "aws:eks/cluster:Cluster": "every object in the cluster, and the volumes of its pods",
    "kubernetes:core/v1:PersistentVolumeClaim": "a volume",
    "kubernetes:core/v1:PersistentVolume": "a volume",
    "kubernetes:core/v1:Namespace": "all objects in it, jobs that run there included",
    "kubernetes:core/v1:Secret": "a secret",
}
"""Type -> what is lost with it."""

STATEFUL_SET = "kubernetes:apps/v1:StatefulSet"

SETTINGS: Mapping[str, tuple[str, Any, str]] = {
    "aws:s3/bucket:Bucket": ("forceDestroy", True, "a bucket that is not empty is deleted all the same"),
    "aws:s3/bucketV2:BucketV2": ("forceDestroy", True, "a bucket that is not empty is deleted all the same"),
    "aws:ecr/repository:Repository": ("forceDelete", True, "its images are deleted with it"),
    "aws:rds/instance:Instance": ("skipFinalSnapshot", True, "without a last snapshot"),
    "aws:rds/cluster:Cluster": ("skipFinalSnapshot", True, "without a last snapshot"),
}
"""Type -> a setting, its value, and what that means for the data."""


def held(state: State) -> str | None:
    """What data a resource holds; None for one without."""
    if state.type == STATEFUL_SET:
        claims = sequence(at(state.inputs, "spec.volumeClaimTemplates"))
        return "the volumes of its pods" if claims else None
    return HOLDS.get(state.type)


def unprotected(state: State) -> str | None:
    """What else makes the loss certain; None where nothing does."""
    key, value, meaning = SETTINGS.get(state.type, ("", None, ""))
    return meaning if key and (state.inputs.get(key) or False) is value else None


def keeps_volumes(state: State) -> bool:
    """Whether the volumes of a StatefulSet stay when it goes.

    https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#persistentvolumeclaim-retention
    """
    policy = at(state.inputs, "spec.persistentVolumeClaimRetentionPolicy.whenDeleted")
    return state.type == STATEFUL_SET and policy != "Delete"
