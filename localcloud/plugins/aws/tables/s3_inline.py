"""S3: settings that a program writes into its bucket: deprecated, and used by many programs."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from localcloud.errors import Refusal
from localcloud.plugins.aws.api import not_found
from localcloud.plugins.aws.refusals.permissions import services
from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import Change

Value = Any
Members = Mapping[str, Any]


@dataclass(frozen=True)
class Inline:
    """A setting of a bucket by calls of its own.

    noun: as in `put_<noun>` and `get_<noun>`. write: members of the put.
    read: the property, of the get's answer; None where nothing is set.
    delete: the operation, or the value that stands for nothing.
    refusal: raises what AWS would refuse.
    """

    noun: str
    write: Callable[[Value], dict[str, Any]]
    read: Callable[[Members], Value]
    delete: str | Value
    refusal: Callable[[Subject], None] = lambda subject: None

    def put(self, subject: Subject, value: Value) -> None:
        """Set it."""
        subject.request(f"put_{self.noun}", Bucket=subject.id, **self.write(value))

    def live(self, subject: Subject) -> Value:
        """The live setting; None where there is none."""
        try:
            return self.read(subject.request(f"get_{self.noun}", Bucket=subject.id))
        except Exception as error:
            if not not_found(error):
                raise
            return None

    def changed(self, property: str) -> Change:
        """How it changes in place."""

        def step(subject: Subject) -> None:
            value = subject.inputs.get(property)
            if value:
                self.refusal(subject)
                self.put(subject, value)
            elif isinstance(self.delete, str) and self.delete.startswith("delete_"):
                subject.request(self.delete, Bucket=subject.id)
            else:
                self.put(subject, self.delete)

        return Change((property,), step)


def present(members: Members) -> dict[str, Any]:
    """Members that have a value."""
    return {name: value for name, value in members.items() if value not in (None, "", [], {})}


def switch(value: Any) -> bool:
    """A boolean, which may be written as text."""
    return str(value).lower() == "true"


def renamed(value: Members, names: Mapping[str, str]) -> dict[str, Any]:
    """A program's structure under S3's names. Raises Refusal for what it has not."""
    only(value, *names)
    return shown(value, names)


def shown(value: Members, names: Mapping[str, str]) -> dict[str, Any]:
    """A structure under other names, as far as they are named and it has values."""
    return present({new: value.get(old) for old, new in names.items()})


def only(value: Members, *names: str) -> Members:
    """A structure of a program. Raises Refusal where it has others than these."""
    for name in value:
        if name not in names:
            raise Refusal(
                f"aws:s3/bucket:Bucket: there is no {name} beside {', '.join(names)}: leave it out."
            )
    return value


def back(names: Mapping[str, str]) -> dict[str, str]:
    """Names the other way round."""
    return {new: old for old, new in names.items()}


# --- versioning ---

STATUS = {True: "Enabled", False: "Suspended"}


def write_versioning(value: Members) -> dict[str, Any]:
    """As PutBucketVersioning has it."""
    members = {"Status": STATUS[switch(only(value, "enabled", "mfaDelete").get("enabled"))]}
    if switch(value.get("mfaDelete")):
        raise Refusal(
            "aws:s3/bucket:Bucket: S3 takes versioning.mfaDelete only with a code of the root user's device, "
            "which has no place here: leave it out."
        )
    return {"VersioningConfiguration": members}


def read_versioning(answer: Members) -> Value:
    """As the provider has it."""
    status = answer.get("Status")
    if not status:
        return None
    return {"enabled": status == "Enabled", "mfaDelete": answer.get("MFADelete") == "Enabled"}


# --- website ---


def write_website(value: Members) -> dict[str, Any]:
    """As PutBucketWebsite has it."""
    only(value, "indexDocument", "errorDocument", "redirectAllRequestsTo", "routingRules")
    redirect = value.get("redirectAllRequestsTo")
    rules = value.get("routingRules") or []
    return {
        "WebsiteConfiguration": present(
            {
                "IndexDocument": present({"Suffix": value.get("indexDocument")}),
                "ErrorDocument": present({"Key": value.get("errorDocument")}),
                "RedirectAllRequestsTo": _redirect(redirect) if redirect else None,
                "RoutingRules": json.loads(rules)
                if isinstance(rules, str)
                else [json.loads(r) for r in rules],
            }
        )
    }


def _redirect(address: str) -> dict[str, Any]:
    protocol, separator, host = address.rpartition("://")
    return {"HostName": host, "Protocol": protocol} if separator else {"HostName": host}


def read_website(answer: Members) -> Value:
    """As the provider has it."""
    redirect = answer.get("RedirectAllRequestsTo") or {}
    protocol = f"{redirect['Protocol']}://" if redirect.get("Protocol") else ""
    rules = answer.get("RoutingRules")
    return present(
        {
            "indexDocument": (answer.get("IndexDocument") or {}).get("Suffix"),
            "errorDocument": (answer.get("ErrorDocument") or {}).get("Key"),
            "redirectAllRequestsTo": protocol + redirect["HostName"] if redirect else None,
            "routingRules": json.dumps(rules) if rules else None,
        }
    )


# --- encryption, CORS, logging, object lock ---

BY_DEFAULT = {"sseAlgorithm": "SSEAlgorithm", "kmsMasterKeyId": "KMSMasterKeyID"}


def write_encryption(value: Members) -> dict[str, Any]:
    """As PutBucketEncryption has it."""
    rule = only(only(value, "rule")["rule"], "applyServerSideEncryptionByDefault", "bucketKeyEnabled")
    members: dict[str, Any] = {
        "ApplyServerSideEncryptionByDefault": renamed(rule["applyServerSideEncryptionByDefault"], BY_DEFAULT)
    }
    if rule.get("bucketKeyEnabled") is not None:
        members["BucketKeyEnabled"] = switch(rule["bucketKeyEnabled"])
    return {"ServerSideEncryptionConfiguration": {"Rules": [members]}}


def read_encryption(answer: Members) -> Value:
    """As the provider has it."""
    [rule] = answer["ServerSideEncryptionConfiguration"]["Rules"]
    default = shown(rule["ApplyServerSideEncryptionByDefault"], back(BY_DEFAULT))
    return {
        "rule": {
            "applyServerSideEncryptionByDefault": default,
            "bucketKeyEnabled": rule.get("BucketKeyEnabled", False),
        }
    }


CORS = {
    "allowedHeaders": "AllowedHeaders",
    "allowedMethods": "AllowedMethods",
    "allowedOrigins": "AllowedOrigins",
    "exposeHeaders": "ExposeHeaders",
    "maxAgeSeconds": "MaxAgeSeconds",
}
LOGGING = {"targetBucket": "TargetBucket", "targetPrefix": "TargetPrefix"}
RETENTION = {"mode": "Mode", "days": "Days", "years": "Years"}


def write_lock(value: Members) -> dict[str, Any]:
    """As PutObjectLockConfiguration has it."""
    only(value, "objectLockEnabled", "rule")
    retention = only(value.get("rule") or {}, "defaultRetention").get("defaultRetention")
    members: dict[str, Any] = {"ObjectLockEnabled": "Enabled"}
    if retention:
        members["Rule"] = {"DefaultRetention": renamed(retention, RETENTION)}
    return {"ObjectLockConfiguration": members}


def read_lock(answer: Members) -> Value:
    """As the provider has it."""
    lock = answer["ObjectLockConfiguration"]
    retention = (lock.get("Rule") or {}).get("DefaultRetention")
    rule = {"rule": {"defaultRetention": shown(retention, back(RETENTION))}} if retention else {}
    return {"objectLockEnabled": lock["ObjectLockEnabled"], **rule}


def refuse_logging(subject: Subject) -> None:
    """Refuse access logs that S3 could not deliver."""
    logging = subject.properties.get("logging")
    if logging:
        services.access_logs_target(replace(subject, properties={**subject.properties, **logging}))


# --- lifecycle ---

EXPIRATION = {"days": "Days", "date": "Date", "expiredObjectDeleteMarker": "ExpiredObjectDeleteMarker"}
TRANSITION = {"days": "Days", "date": "Date", "storageClass": "StorageClass"}
RULE = (
    "id",
    "enabled",
    "prefix",
    "tags",
    "expiration",
    "transitions",
    "abortIncompleteMultipartUploadDays",
    "noncurrentVersionExpiration",
    "noncurrentVersionTransitions",
)
NONCURRENT = {"days": "NoncurrentDays", "storageClass": "StorageClass"}


def write_lifecycle(rules: list[Members]) -> dict[str, Any]:
    """As PutBucketLifecycleConfiguration has it."""
    return {"LifecycleConfiguration": {"Rules": [_rule(index, rule) for index, rule in enumerate(rules)]}}


def _rule(index: int, rule: Members) -> dict[str, Any]:
    only(rule, *RULE)
    prefix, days = rule.get("prefix") or "", rule.get("abortIncompleteMultipartUploadDays")
    tags = [{"Key": key, "Value": value} for key, value in (rule.get("tags") or {}).items()]
    return {
        # The provider makes one up by the time: internal/service/s3/bucket.go of terraform-provider-aws.
        "ID": rule.get("id") or f"tf-s3-lifecycle-{index}",
        "Status": "Enabled" if switch(rule["enabled"]) else "Disabled",
        "Filter": {"And": {"Prefix": prefix, "Tags": tags}} if tags else {"Prefix": prefix},
        **present(
            {
                "AbortIncompleteMultipartUpload": present({"DaysAfterInitiation": days}),
                "Expiration": renamed(rule.get("expiration") or {}, EXPIRATION),
                "Transitions": [renamed(item, TRANSITION) for item in rule.get("transitions") or ()],
                "NoncurrentVersionExpiration": renamed(
                    rule.get("noncurrentVersionExpiration") or {}, NONCURRENT
                ),
                "NoncurrentVersionTransitions": [
                    renamed(item, NONCURRENT) for item in rule.get("noncurrentVersionTransitions") or ()
                ],
            }
        ),
    }


def read_lifecycle(answer: Members) -> Value:
    """As the provider has it."""
    return [_read_rule(rule) for rule in answer["Rules"]]


def _read_rule(rule: Members) -> dict[str, Any]:
    filter = rule.get("Filter") or {}
    criteria = filter.get("And") or filter
    tags = criteria.get("Tags") or ([filter["Tag"]] if "Tag" in filter else [])
    return {
        "enabled": rule["Status"] == "Enabled",
        **present(
            {
                "id": rule.get("ID"),
                "prefix": criteria.get("Prefix") or rule.get("Prefix"),
                "tags": {tag["Key"]: tag["Value"] for tag in tags},
                "abortIncompleteMultipartUploadDays": (rule.get("AbortIncompleteMultipartUpload") or {}).get(
                    "DaysAfterInitiation"
                ),
                "expiration": _properties(rule.get("Expiration"), EXPIRATION),
                "transitions": [_properties(item, TRANSITION) for item in rule.get("Transitions") or ()],
                "noncurrentVersionExpiration": _properties(
                    rule.get("NoncurrentVersionExpiration"), NONCURRENT
                ),
                "noncurrentVersionTransitions": [
                    _properties(item, NONCURRENT) for item in rule.get("NoncurrentVersionTransitions") or ()
                ],
            }
        ),
    }


def _properties(value: Members | None, names: Mapping[str, str]) -> dict[str, Any]:
    """A part of a rule; the provider has dates without a time."""
    part = shown(value or {}, back(names))
    if "date" in part:
        part["date"] = f"{part['date']:%Y-%m-%d}"
    return {name: item for name, item in part.items() if item is not False}


INLINE = {
    "versioning": Inline("bucket_versioning", write_versioning, read_versioning, {"enabled": False}),
    "website": Inline("bucket_website", write_website, read_website, "delete_bucket_website"),
    "serverSideEncryptionConfiguration": Inline(
        "bucket_encryption", write_encryption, read_encryption, "delete_bucket_encryption"
    ),
    "corsRules": Inline(
        "bucket_cors",
        lambda rules: {"CORSConfiguration": {"CORSRules": [renamed(rule, CORS) for rule in rules]}},
        lambda answer: [shown(rule, back(CORS)) for rule in answer["CORSRules"]],
        "delete_bucket_cors",
    ),
    "lifecycleRules": Inline(
        "bucket_lifecycle_configuration", write_lifecycle, read_lifecycle, "delete_bucket_lifecycle"
    ),
    "logging": Inline(
        "bucket_logging",
        lambda value: {
            "BucketLoggingStatus": {"LoggingEnabled": {"TargetPrefix": "", **renamed(value, LOGGING)}}
            if value
            else {}
        },
        lambda answer: shown(answer.get("LoggingEnabled") or {}, back(LOGGING)),
        {},
        refuse_logging,
    ),
    "objectLockConfiguration": Inline(
        "object_lock_configuration", write_lock, read_lock, {"objectLockEnabled": "Enabled"}
    ),
    "policy": Inline(
        "bucket_policy",
        lambda value: {"Policy": value if isinstance(value, str) else json.dumps(value)},
        lambda answer: answer["Policy"],
        "delete_bucket_policy",
    ),
    "accelerationStatus": Inline(
        "bucket_accelerate_configuration",
        lambda value: {"AccelerateConfiguration": {"Status": value}},
        lambda answer: answer.get("Status"),
        "Suspended",
    ),
}
"""Property of `aws.s3.Bucket` -> the setting behind it."""
