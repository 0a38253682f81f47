"""KMS keys and their aliases."""

from typing import Any

from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import ID, Call, Change, Kind, Name, P, Read, Tagging, words


def read_key(subject: Subject) -> dict[str, Any] | None:
    """A key; None when its deletion is scheduled."""
    key = subject.request("describe_key", KeyId=subject.id)["KeyMetadata"]
    if key["KeyState"] == "PendingDeletion":
        return None
    return {
        "arn": key["Arn"],
        "keyId": key["KeyId"],
        "description": key.get("Description"),
        "keyUsage": key.get("KeyUsage"),
        "customerMasterKeySpec": key.get("KeySpec"),
        "isEnabled": key.get("Enabled"),
        "multiRegion": key.get("MultiRegion"),
    }


KEY = Kind(
    service="kms",
    schema="AWS::KMS::Key",
    inputs="description keyUsage customerMasterKeySpec policy bypassPolicyLockoutSafetyCheck "
    "deletionWindowInDays isEnabled enableKeyRotation rotationPeriodInDays multiRegion",
    outputs="arn keyId",
    create=Call("create_key", {"KeySpec": P("customerMasterKeySpec")}, rest=True),
    id="KeyMetadata.KeyId",
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
        Read(
            Call("get_key_policy", {"KeyId": ID, "PolicyName": "default"}),
            properties={"policy": "Policy"},
            all=False,
        ),
        Read(
            Call("get_key_rotation_status", {"KeyId": ID}),
            properties={
                "enableKeyRotation": "KeyRotationEnabled",
                "rotationPeriodInDays": "RotationPeriodInDays",
            },
            all=False,
        ),
    ),
    changes=(
        Change(
            ("description",), Call("update_key_description", {"KeyId": ID, "Description": P("description")})
        ),
        Change(
            ("policy",), Call("put_key_policy", {"KeyId": ID, "PolicyName": "default", "Policy": P("policy")})
        ),
        Change(
            ("enableKeyRotation", "rotationPeriodInDays"),
            lambda subject: (
                subject.call(
                    Call(
                        "enable_key_rotation",
                        {"KeyId": ID, "RotationPeriodInDays": P("rotationPeriodInDays")},
                    )
                )
                if subject.properties.get("enableKeyRotation")
                else subject.request("disable_key_rotation", KeyId=subject.id)
            ),
        ),
        Change(
            ("isEnabled",),
            lambda subject: subject.request(
                "enable_key" if subject.properties["isEnabled"] else "disable_key", KeyId=subject.id
            ),
        ),
    ),
    delete=(Call("schedule_key_deletion", {"KeyId": ID, "PendingWindowInDays": P("deletionWindowInDays")}),),
    tags=Tagging(
        create="Tags",
        pairs=("TagKey", "TagValue"),
        put=Call("tag_resource", {"KeyId": ID, "Tags": P("=tags")}),
        remove=Call("untag_resource", {"KeyId": ID, "TagKeys": P("=keys")}),
        read_call=Call("list_resource_tags", {"KeyId": ID}),
    ),
    schema_names={
        "customerMasterKeySpec": "KeySpec",
        "isEnabled": "Enabled",
        "policy": "KeyPolicy",
        "deletionWindowInDays": "PendingWindowInDays",
    },
)


def read_alias(subject: Subject) -> dict[str, Any] | None:
    """An alias."""
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
    create=Call("create_alias", {"AliasName": P("name"), "TargetKeyId": P("targetKeyId")}),
    id="{name}",
    name=Name(start="alias/", max_length=256),
    arguments=words("namePrefix"),
    reads=(Read(read_alias),),
    changes=(
        Change(("targetKeyId",), Call("update_alias", {"AliasName": ID, "TargetKeyId": P("targetKeyId")})),
    ),
    delete=(Call("delete_alias", {"AliasName": ID}),),
    volatile=words("targetKeyArn"),
    schema_names={"name": "AliasName"},
)

TYPES = {"aws:kms/key:Key": KEY, "aws:kms/alias:Alias": ALIAS}
