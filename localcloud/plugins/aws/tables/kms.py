"""KMS keys and their aliases."""

from collections.abc import Iterator, Mapping
from typing import Any

from localcloud.plugins.aws.refusals.permissions import services
from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import ID, Call, Change, Kind, Name, P, Read, Tagging, change, words


def read_key(subject: Subject) -> dict[str, Any] | None:
    """A key; None when its deletion is scheduled."""
    answer = subject.request("describe_key", KeyId=subject.id)
    if answer["KeyMetadata"]["KeyState"] == "PendingDeletion":
        return None
    return subject.extract("describe_key", answer, "KeyMetadata")


def set_rotation(subject: Subject) -> None:
    """Rotate the key, or no longer."""
    if subject.properties.get("enableKeyRotation"):
        subject.call(Call("enable_key_rotation", KEY_ID, takes="rotationPeriodInDays"))
    else:
        subject.request("disable_key_rotation", KeyId=subject.id)


def set_enabled(subject: Subject) -> None:
    """Enable the key, or disable it."""
    subject.request("enable_key" if subject.properties["isEnabled"] else "disable_key", KeyId=subject.id)


def calls_of_key(subject: Subject) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The calls that make a key, and that will delete it."""
    yield CREATE_KEY.operation, subject.members(CREATE_KEY)
    yield DELETE_KEY.operation, subject.members(DELETE_KEY)


KEY_ID = {"KeyId": ID}
CREATE_KEY = Call("create_key", other_inputs=True)
DELETE_KEY = Call("schedule_key_deletion", {**KEY_ID, "PendingWindowInDays": P("deletionWindowInDays")})
KEY_POLICY = {**KEY_ID, "PolicyName": "default"}


KEY = Kind(
    service="kms",
    schema="AWS::KMS::Key",
    inputs="description keyUsage customerMasterKeySpec policy bypassPolicyLockoutSafetyCheck "
    "deletionWindowInDays isEnabled enableKeyRotation rotationPeriodInDays multiRegion",
    outputs="arn keyId",
    create=CREATE_KEY,
    id="KeyMetadata.KeyId",
    names={"customerMasterKeySpec": "KeySpec", "isEnabled": "Enabled"},
    defaults={
        "keyUsage": "ENCRYPT_DECRYPT",
        "customerMasterKeySpec": "SYMMETRIC_DEFAULT",
        "isEnabled": True,
        "bypassPolicyLockoutSafetyCheck": False,
    },
    arguments=words("deletionWindowInDays bypassPolicyLockoutSafetyCheck"),
    computed=words("policy description multiRegion rotationPeriodInDays enableKeyRotation"),
    documents=words("policy"),
    reads=(
        Read(read_key),
        Read(Call("get_key_policy", KEY_POLICY), properties={"policy": "Policy"}, all=False),
        Read(
            Call("get_key_rotation_status", KEY_ID),
            properties={
                "enableKeyRotation": "KeyRotationEnabled",
                "rotationPeriodInDays": "RotationPeriodInDays",
            },
            all=False,
        ),
    ),
    changes=(
        change("description", "update_key_description", KEY_ID),
        change("policy", "put_key_policy", KEY_POLICY),
        Change(("enableKeyRotation", "rotationPeriodInDays"), set_rotation),
        Change(("isEnabled",), set_enabled),
    ),
    delete=(DELETE_KEY,),
    refusals=(services.key_policy,),
    tags=Tagging(
        create="Tags",
        pairs=("TagKey", "TagValue"),
        put=Call("tag_resource", {**KEY_ID, "Tags": P("=tags")}),
        remove=Call("untag_resource", {**KEY_ID, "TagKeys": P("=keys")}),
        read_call=Call("list_resource_tags", KEY_ID),
    ),
    calls=calls_of_key,
    schema_names={
        "customerMasterKeySpec": "KeySpec",
        "isEnabled": "Enabled",
        "policy": "KeyPolicy",
        "deletionWindowInDays": "PendingWindowInDays",
    },
)


def read_alias(subject: Subject) -> dict[str, Any] | None:
    """An alias."""
    subject.api.ask("kms", "list_aliases", {}, subject.region)
    pages = subject.api.client("kms", subject.region).get_paginator("list_aliases").paginate()
    for alias in (alias for page in pages for alias in page["Aliases"]):
        if alias["AliasName"] == subject.id:
            key = subject.request("describe_key", KeyId=alias["TargetKeyId"])["KeyMetadata"]
            return {
                "name": subject.id,
                "arn": alias["AliasArn"],
                "targetKeyId": key["KeyId"],
                "targetKeyArn": key["Arn"],
            }
    return None


ALIAS = Kind(
    service="kms",
    schema="AWS::KMS::Alias",
    inputs="name namePrefix targetKeyId!",
    outputs="arn targetKeyArn",
    create=Call("create_alias", takes="name targetKeyId"),
    id="{name}",
    names={"name": "AliasName"},
    name=Name(start="alias/", max_length=256),
    arguments=words("namePrefix"),
    reads=(Read(read_alias),),
    changes=(change("targetKeyId", "update_alias", {"AliasName": ID}),),
    delete=(Call("delete_alias", {"AliasName": ID}),),
    volatile=words("targetKeyArn"),
    schema_names={"name": "AliasName"},
)

TYPES = {"aws:kms/key:Key": KEY, "aws:kms/alias:Alias": ALIAS}
