"""Secrets of Secrets Manager, and the versions that they have."""

from typing import Any

from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import ID, Call, Change, Kind, Name, P, Read, Tagging, words

SECRET_ID = {"SecretId": ID}

# --- secrets ---


def read_secret(subject: Subject) -> dict[str, Any] | None:
    """A secret; None when its deletion is scheduled."""
    answer = subject.request("describe_secret", SecretId=subject.id)
    return None if answer.get("DeletedDate") else subject.extract("describe_secret", answer, "")


def delete_secret(subject: Subject) -> None:
    """Schedule a secret's deletion, unless it is; 0 days delete it at once, and its name is free again."""
    if read_secret(subject) is None:
        return
    days = int(subject.properties["recoveryWindowInDays"])
    mode = {"RecoveryWindowInDays": days} if days else {"ForceDeleteWithoutRecovery": True}
    subject.request("delete_secret", SecretId=subject.id, **mode)


SECRET = Kind(
    service="secretsmanager",
    schema="AWS::SecretsManager::Secret",
    inputs="name namePrefix description kmsKeyId policy recoveryWindowInDays forceOverwriteReplicaSecret",
    outputs="arn",
    create=Call("create_secret", takes="name description kmsKeyId"),
    id="ARN",
    name=Name(max_length=512),
    names={"arn": "ARN"},
    defaults={"recoveryWindowInDays": 30, "forceOverwriteReplicaSecret": False},
    arguments=words("namePrefix recoveryWindowInDays forceOverwriteReplicaSecret"),
    computed=words("policy"),
    documents=words("policy"),
    reads=(
        Read(read_secret),
        Read(Call("get_resource_policy", SECRET_ID), properties={"policy": "ResourcePolicy"}, all=False),
    ),
    changes=(
        Change(("description", "kmsKeyId"), Call("update_secret", SECRET_ID, takes="description kmsKeyId")),
        Change(
            ("policy",),
            Call("put_resource_policy", {**SECRET_ID, "ResourcePolicy": P("policy")}),
            Call("delete_resource_policy", SECRET_ID),
        ),
    ),
    delete=(delete_secret,),
    tags=Tagging(
        create="Tags",
        put=Call("tag_resource", {**SECRET_ID, "Tags": P("=tags")}),
        remove=Call("untag_resource", {**SECRET_ID, "TagKeys": P("=keys")}),
    ),
)

# --- versions ---

CURRENT = "AWSCURRENT"
VERSION = {"SecretId": P("secretId"), "VersionId": P("versionId")}


def put_version(subject: Subject) -> str:
    """Put a value into a secret: a version, which is the current one unless stages say otherwise."""
    answer = subject.call(
        Call("put_secret_value", {"SecretId": P("secretId")}, takes="secretString secretBinary versionStages")
    )
    subject.properties["versionId"] = answer["VersionId"]
    return f"{subject.properties['secretId']}|{answer['VersionId']}"


def move_stages(subject: Subject) -> None:
    """Put stages on a version, and take others from it; no secret is without a current version."""
    secret, version = subject.properties["secretId"], subject.properties["versionId"]
    stages_by_version = subject.request("describe_secret", SecretId=secret)["VersionIdsToStages"]
    has, target = set(stages_by_version.get(version, ())), set(subject.inputs.get("versionStages") or ())
    for stage in sorted(target - has):
        holder = next((id for id, stages in stages_by_version.items() if stage in stages), None)
        removal = {"RemoveFromVersionId": holder} if holder else {}
        subject.request(
            "update_secret_version_stage",
            SecretId=secret,
            VersionStage=stage,
            MoveToVersionId=version,
            **removal,
        )
    _take_off(subject, has - target)


def _take_off(subject: Subject, stages: Any) -> None:
    for stage in sorted(set(stages) - {CURRENT}):
        subject.request(
            "update_secret_version_stage",
            SecretId=subject.properties["secretId"],
            VersionStage=stage,
            RemoveFromVersionId=subject.properties["versionId"],
        )


def read_version(subject: Subject) -> dict[str, Any]:
    """A version of a secret, with its value."""
    secret, version = subject.properties["secretId"], subject.properties["versionId"]
    answer = subject.request("get_secret_value", SecretId=secret, VersionId=version)
    return {
        **subject.extract("get_secret_value", answer, ""),
        "secretArn": answer["ARN"],
        "hasSecretStringWo": False,
    }


def delete_version(subject: Subject) -> None:
    """Take the stages off a version, by which it goes; as in the provider, the current one stays."""
    _take_off(subject, read_version(subject).get("versionStages") or ())


SECRET_VERSION = Kind(
    service="secretsmanager",
    # CloudFormation has the value in the secret.
    schema="AWS::SecretsManager::Secret",
    inputs="secretId! secretString secretBinary versionStages",
    outputs="arn secretArn versionId hasSecretStringWo",
    create=put_version,
    id="",
    identity=("secretId", "versionId"),
    separator="|",
    names={"arn": "ARN"},
    computed=words("versionStages"),
    unordered=words("versionStages"),
    reads=(Read(read_version),),
    changes=(Change(("versionStages",), move_stages),),
    delete=(delete_version,),
)

TYPES = {
    "aws:secretsmanager/secret:Secret": SECRET,
    "aws:secretsmanager/secretVersion:SecretVersion": SECRET_VERSION,
}
