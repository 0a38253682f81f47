"""What is kept for a shorter time, or less well: data that a change makes expire; and for a longer one."""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from previews import Preview
from previews.values import at, known, mapping, number, sequence, text
from report.model import Finding
from report.words import change, code, resource

FOR_EVER = 10**9

DAYS = "days of"
"""Begins what is counted in days."""

Reader = Callable[[Mapping[str, Any]], Mapping[str, int]]
"""Inputs -> what is kept -> for how long, in days, or how many; what is not there is kept for ever."""


def _log_group(inputs: Mapping[str, Any]) -> Mapping[str, int]:
    # 0 is for ever: https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_LogGroup.html
    return {f"{DAYS} logs": number(inputs.get("retentionInDays")) or FOR_EVER}


def _bucket_rules(inputs: Mapping[str, Any]) -> Mapping[str, int]:
    amounts: dict[str, int] = {}
    for rule in map(mapping, sequence(inputs.get("rules"))):
        prefix = text(at(rule, "filter.prefix")) or text(rule.get("prefix")) or "everything"
        for key, field, noun in (
            ("expiration", "days", f"{DAYS} {prefix}"),
            ("noncurrentVersionExpiration", "noncurrentDays", f"{DAYS} old versions of {prefix}"),
        ):
            days = number(at(rule, f"{key}.{field}"))
            if rule.get("status") != "Disabled" and days:
                amounts[noun] = min(days, amounts.get(noun, FOR_EVER))
    return amounts


def _images(inputs: Mapping[str, Any]) -> Mapping[str, int]:
    policy = inputs.get("policy")
    if not isinstance(policy, str) or not known(policy):
        return {}
    try:
        rules = json.loads(policy).get("rules", [])
    except (ValueError, AttributeError):
        return {}
    amounts: dict[str, int] = {}
    for selection in (mapping(mapping(rule).get("selection")) for rule in sequence(rules)):
        amount = number(selection.get("countNumber"))
        days = selection.get("countType") == "sinceImagePushed"
        noun = f"{DAYS if days else 'images that are'} {selection.get('tagStatus', 'any')}"
        if amount:
            amounts[noun] = min(amount, amounts.get(noun, FOR_EVER))
    return amounts


def _versions(inputs: Mapping[str, Any]) -> Mapping[str, int]:
    status = text(at(inputs, "versioningConfiguration.status"))
    return {"old versions": FOR_EVER if status == "Enabled" else 1}


def _volumes(inputs: Mapping[str, Any]) -> Mapping[str, int]:
    policy = mapping(at(inputs, "spec.persistentVolumeClaimRetentionPolicy"))
    replicas = number(at(inputs, "spec.replicas"))
    return {
        "replicas": 1 if replicas is None else replicas,
        **{
            f"volumes once it is {cause}": 0 if policy.get(key) == "Delete" else FOR_EVER
            for key, cause in (("whenDeleted", "deleted"), ("whenScaled", "smaller"))
        },
    }


def _deletion(inputs: Mapping[str, Any]) -> Mapping[str, int]:
    protected = inputs.get("deletionProtection")
    return {"protection from deletion": int(bool(protected))}


READERS: Mapping[str, Reader] = {
    "aws:cloudwatch/logGroup:LogGroup": _log_group,
    "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration": _bucket_rules,
    "aws:s3/bucketVersioning:BucketVersioning": _versions,
    "aws:ecr/lifecyclePolicy:LifecyclePolicy": _images,
    "aws:eks/cluster:Cluster": _deletion,
    "aws:rds/instance:Instance": _deletion,
    "aws:rds/cluster:Cluster": _deletion,
    "aws:dynamodb/table:Table": lambda inputs: {
        "protection": int(bool(inputs.get("deletionProtectionEnabled")))
    },
    "kubernetes:apps/v1:StatefulSet": _volumes,
}


def keeping(preview: Preview) -> Iterator[Finding]:
    """What a change of settings keeps for a shorter time than before, or a longer one."""
    for step in preview.changes_of(*READERS):
        if step.op not in ("update", "replace") or step.old is None or step.new is None:
            continue
        reader = READERS[step.type]
        before, after = reader(step.old.inputs), reader(step.new.inputs)
        for noun in {**after, **before}:
            old_amount, amount = before.get(noun, FOR_EVER), after.get(noun, FOR_EVER)
            amounts = change(_amount(old_amount), _amount(amount))
            sentence = f"{resource(step)} keeps {code(noun)} {amounts}"
            if amount < old_amount:
                yield Finding(weight="look", says=f"{sentence}: the rest goes.")
            elif amount > old_amount and noun.startswith(DAYS):
                yield Finding(weight="look", says=f"{sentence}: it is paid for that long.")


def _amount(amount: int) -> str:
    return "all" if amount == FOR_EVER else f"{amount:,}"
