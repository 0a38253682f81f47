"""Buckets, volumes, keys and registries: closed, encrypted, logged."""

from collections.abc import Mapping

from policies.pack.corrections import setting, without
from policies.pack.documents import statements
from policies.pack.objects import where
from policies.pack.resource import UNKNOWN, Inputs, Resource, at, sequence, text
from policies.pack.rule import Parameters, Subject, Violations
from policies.pack.types import (
    BUCKET_POLICY,
    DATABASES,
    FILE_SYSTEM,
    KEY,
    REGISTRY_POLICY,
    REPOSITORY,
    REPOSITORY_POLICY,
    REPOSITORY_TEMPLATE,
    STORAGE_CLASS,
    VOLUME,
)

STORAGE = Subject("storage", "Buckets, volumes, keys and registries: closed, encrypted, logged")

KMS_GUIDE = "https://docs.aws.amazon.com/kms/latest/developerguide/rotate-keys.html"
EBS_PROVISIONERS = ("ebs.csi.aws.com", "kubernetes.io/aws-ebs")

POLICY_FIELDS: Mapping[str, str] = {
    BUCKET_POLICY: "policy",
    KEY: "policy",
    "aws:kms/keyPolicy:KeyPolicy": "policy",
    REGISTRY_POLICY: "policy",
    REPOSITORY_POLICY: "policy",
    REPOSITORY_TEMPLATE: "repositoryPolicy",
    "aws:secretsmanager/secretPolicy:SecretPolicy": "policy",
    "aws:sns/topicPolicy:TopicPolicy": "policy",
    "aws:sqs/queuePolicy:QueuePolicy": "policy",
}
"""Type -> where it keeps who may use it."""

NARROWING_KEYS = (
    "aws:principalarn",
    "aws:principalaccount",
    "aws:principalorgid",
    "aws:sourceaccount",
    "aws:sourcearn",
    "aws:sourceorgid",
    "aws:sourcevpc",
    "aws:sourcevpce",
    "kms:calleraccount",
)
"""Condition keys that leave of everybody those of an account, an organization or a network."""


@STORAGE.rule(
    "policy-names-principals",
    *POLICY_FIELDS,
    severity="critical",
    why="`*` is everybody with an account at AWS, and without one.",
    references=(
        "CIS 5.1.2",
        "https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_principal.html",
    ),
)
def policy_names_principals(resource: Resource, _: Parameters) -> Violations:
    """Policies of buckets, keys, registries, queues and secrets name whom they let in."""
    for statement in statements(resource, POLICY_FIELDS[resource.type]):
        narrowing = set(NARROWING_KEYS) & set(statement.required)
        if statement.allows and statement.is_for_everybody and not narrowing:
            yield (
                f"Statement {statement.name} of {where(resource)} lets everybody in: name principals, or "
                "an account or organization in its condition."
            )


@STORAGE.rule(
    "volume-encrypted",
    VOLUME,
    FILE_SYSTEM,
    *DATABASES,
    severity="high",
    why="A snapshot that is shared by mistake is read by whoever gets it.",
    references=("https://docs.aws.amazon.com/securityhub/latest/userguide/ec2-controls.html#ec2-3",),
)
def volume_encrypted(volume: Resource, _: Parameters) -> Violations:
    """Volumes, file systems and databases are encrypted."""
    field = "storageEncrypted" if volume.type in DATABASES else "encrypted"
    if volume.get(field, False) is False:
        yield f"{volume.kind} {volume.name} is not encrypted: set {field} to true."


@STORAGE.rule(
    "storage-class-encrypted",
    STORAGE_CLASS,
    severity="high",
    why="Volumes of pods hold event logs, shuffle data and what masters agreed on.",
    references=("https://github.com/kubernetes-sigs/aws-ebs-csi-driver/blob/master/docs/parameters.md",),
)
def storage_class_encrypted(storage: Resource, _: Parameters) -> Violations:
    """The volumes of pods are encrypted."""
    encrypted = storage.get("parameters.encrypted", "false")
    if storage.get("provisioner") in EBS_PROVISIONERS and encrypted in ("false", False):
        yield f"Volumes of {where(storage)} are not encrypted: set parameters.encrypted to 'true'."


@STORAGE.rule(
    "volumes-wait-for-pods",
    STORAGE_CLASS,
    severity="medium",
    why="A volume that is made at once may be in a zone in which its pod has no node.",
    references=("https://kubernetes.io/docs/concepts/storage/storage-classes/#volume-binding-mode",),
)
def volumes_wait_for_pods(storage: Resource, _: Parameters) -> Violations:
    """Volumes are made where their pods are."""
    immediate = storage.get("volumeBindingMode", "Immediate") == "Immediate"
    if storage.get("provisioner") in EBS_PROVISIONERS and immediate:
        yield (
            f"Volumes of {where(storage)} are made before their pods are placed: set volumeBindingMode to "
            "WaitForFirstConsumer."
        )


@STORAGE.rule(
    "key-enabled",
    KEY,
    severity="critical",
    why="Nothing that a disabled key encrypted can be read, and nothing that names it written.",
    references=("https://docs.aws.amazon.com/kms/latest/developerguide/enabling-keys.html",),
)
def key_enabled(key: Resource, _: Parameters) -> Violations:
    """Keys are in use."""
    if key.get("isEnabled", True) is False:
        yield f"Key {key.name} is disabled: take isEnabled out."


@STORAGE.rule(
    "key-rotates",
    KEY,
    severity="medium",
    why="Material that never changes is worth more to whoever gets it, every year.",
    references=(
        KMS_GUIDE,
        "https://docs.aws.amazon.com/securityhub/latest/userguide/kms-controls.html#kms-4",
    ),
    correction=setting(enableKeyRotation=True),
)
def key_rotates(key: Resource, _: Parameters) -> Violations:
    """Keys change their material every year."""
    symmetric = key.get("customerMasterKeySpec", "SYMMETRIC_DEFAULT") == "SYMMETRIC_DEFAULT"
    if symmetric and key.get("enableKeyRotation", False) is False:
        yield f"Key {key.name} does not rotate: set enableKeyRotation to true."


def _with_immutable_tags(inputs: Inputs, parameters: Parameters) -> Inputs:
    inputs = without("imageTagMutabilityExclusionFilters")(inputs, parameters)
    return setting(imageTagMutability="IMMUTABLE")(inputs, parameters)


@STORAGE.rule(
    "repository-tags-immutable",
    REPOSITORY,
    REPOSITORY_TEMPLATE,
    severity="high",
    why="A tag that moves runs code that nobody reviewed, on the next node that pulls it.",
    references=("https://docs.aws.amazon.com/AmazonECR/latest/userguide/image-tag-mutability.html",),
    correction=_with_immutable_tags,
)
def repository_tags_immutable(repository: Resource, _: Parameters) -> Violations:
    """Tags of images do not move."""
    if repository.get("imageTagMutability", "MUTABLE") != "IMMUTABLE":
        yield f"Tags in {repository.name} can be moved: set imageTagMutability to IMMUTABLE."


@STORAGE.rule(
    "repository-scanned",
    REPOSITORY,
    severity="medium",
    why="Known holes in an image are found on the day it is pushed, not after.",
    references=("CIS 5.1.1", "https://docs.aws.amazon.com/AmazonECR/latest/userguide/image-scanning.html"),
    correction=setting(imageScanningConfiguration={"scanOnPush": True}),
)
def repository_scanned(repository: Resource, _: Parameters) -> Violations:
    """Images are scanned as they are pushed."""
    if repository.get("imageScanningConfiguration.scanOnPush", False) is False:
        yield (
            f"Images of {repository.name} are not scanned: set imageScanningConfiguration.scanOnPush to true."
        )


@STORAGE.rule(
    "repository-encrypted",
    REPOSITORY,
    REPOSITORY_TEMPLATE,
    severity="low",
    why="With a key of ours, a pull needs its permission too, and access ends with it.",
    references=("https://docs.aws.amazon.com/AmazonECR/latest/userguide/encryption-at-rest.html",),
)
def repository_encrypted(repository: Resource, _: Parameters) -> Violations:
    """Images are encrypted with a key of ours."""
    configurations = repository.get("encryptionConfigurations", [])
    if configurations is UNKNOWN:
        return
    if not any(_by_key(configuration) for configuration in sequence(configurations)):
        yield (
            f"Images of {repository.name} are encrypted with AWS's keys: set encryptionType to KMS, and a "
            "kmsKey."
        )


def _by_key(configuration: object) -> bool:
    kind, key = at(configuration, "encryptionType", "AES256"), at(configuration, "kmsKey", "")
    return (kind is UNKNOWN or text(kind).startswith("KMS")) and (key is UNKNOWN or bool(text(key)))
