"""What decides a call, as moto has it: roles with their policies, policies and tags of resources."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from moto.ec2.models import ec2_backends
from moto.eks.models import eks_backends
from moto.iam.exceptions import NotFoundException
from moto.iam.models import iam_backends
from moto.kms.models import kms_backends
from moto.s3.models import FakeKey, s3_backends
from moto.secretsmanager.models import secretsmanager_backends
from moto.sts.models import sts_backends

from aws_rules.iam.evaluation import Policy, Resource, Role
from aws_rules.iam.questions import Call, Members, Question

GLOBAL = "aws"

READS_OF_OBJECTS = frozenset({("s3", "GetObject"), ("s3", "HeadObject")})
"""Calls, as service and operation, that fail where an object is not there."""


@dataclass(frozen=True)
class Session:
    """Who assumed a role: its ARN, the name of the session, and its tags."""

    role: str
    name: str
    tags: Mapping[str, str] = field(default_factory=dict)

    @property
    def account(self) -> str:
        """Account of the role."""
        return self.role.split(":")[4]


def session_of(key: str) -> Session | None:
    """Whose temporary credentials an id of a key is; None for any other key."""
    for account in list(sts_backends.values()):
        for backend in list(account.values()):
            if role := backend.get_assumed_role_from_access_key(key):
                # What moto does not keep of a session: localcloud/moto_server.py.
                return Session(role.role_arn, role.session_name, getattr(role, "tags", {}))
    return None


def caller_of(session: Session) -> Role | None:
    """A session's role with its policies as they are now; None where this AWS does not have the role."""
    role = _role(session.role)
    if role is None:
        return None
    policies = [json.loads(text) for text in role.policies.values()]
    policies += [_managed_policy(session.account, policy.arn) for policy in role.managed_policies.values()]
    boundary_arn = role.permissions_boundary_arn
    return Role(
        arn=role.arn,
        policies=tuple(policies),
        boundary=_boundary(session.account, boundary_arn) if boundary_arn else None,
        tags={**_pairs(role.tags), **session.tags},
        session=session.name,
    )


def completed(service: str, members: Members, account: str, region: str) -> Members:
    """Members of a request with what only AWS knows: path of a role, ARN of a secret, key of an alias.

    A secret's has six characters more than its name:
    https://docs.aws.amazon.com/secretsmanager/latest/userguide/auth-and-access_iam-policies.html
    """
    if service == "iam" and (name := members.get("RoleName")):
        role = _role(f"arn:{GLOBAL}:iam::{account}:role/{name}")
        path = role.path if role else members.get("Path", "/")
        return {**members, "RoleName": f"{path}{name}".lstrip("/")}
    if service == "secretsmanager" and (secret := _secret(account, region, members.get("SecretId") or "")):
        return {**members, "SecretId": secret.arn}
    key_name = members.get("KeyId") or ""
    if service == "kms" and ":alias/" in f":{key_name}":
        alias = "alias/" + key_name.rpartition("alias/")[2]
        key = kms_backends[account][region].get_key_id_from_alias(alias)
        return {**members, "KeyId": key or key_name}
    if service == "kms" and "AliasName" in members and not members.get("TargetKeyId"):
        key = kms_backends[account][region].get_key_id_from_alias(members["AliasName"])
        return {**members, "TargetKeyId": key or "*"}
    return members


def questions_of_missing_objects(call: Call) -> Iterator[Question]:
    """Whether the caller may know that an object is not there: S3 says 403 to others, not 404.

    `s3:prefix` is the object's key there, as ceph/ceph#68577 and kopia/kopia#3072 found.
    Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html, "Permissions"
    """
    if (call.service, call.operation) not in READS_OF_OBJECTS:
        return
    name, key = call.members["Bucket"], call.members["Key"]
    bucket = _bucket(name)
    if bucket and not isinstance(bucket[1].keys.get(key), FakeKey):
        yield Question(
            action="s3:ListBucket",
            resources=(f"arn:{call.partition}:s3:::{name}",),
            context={"aws:RequestedRegion": call.region, "s3:prefix": key},
        )


def resource_of(service: str, arn: str, account: str) -> Resource:
    """A resource with its policy: of a service, and of a caller's account unless it says another."""
    owner, name = arn.split(":", 5)[4:] if arn.startswith("arn:") else (account, "")
    if service == "s3":
        bucket = _bucket(name.partition("/")[0])
        policy = json.loads(bucket[1].policy) if bucket and bucket[1].policy else None
        return Resource(arn=arn, account=bucket[0] if bucket else account, policy=policy)
    if service in ("iam", "sts") and name.startswith("role/"):
        role = _role(arn)
        trust = json.loads(role.assume_role_policy_document) if role else None
        return Resource(arn=arn, account=owner, policy=trust)
    if service == "kms":
        return Resource(arn=arn, account=owner, policy=_key_policy(arn, owner))
    return Resource(arn=arn, account=owner or account)


def context_of(arn: str) -> Mapping[str, str]:
    """Condition keys that come from a resource: its tags, and the boundary of a role."""
    parts = arn.split(":", 5)
    if len(parts) < 6:
        return {}
    _, _, service, region, account, name = parts
    tags = TAGS[service](account, region, name) if service in TAGS else {}
    context = {f"aws:ResourceTag/{key}": value for key, value in tags.items()}
    role = _role(arn) if service == "iam" else None
    if role and role.permissions_boundary_arn:
        context["iam:PermissionsBoundary"] = role.permissions_boundary_arn
    return context


def _ec2_tags(account: str, region: str, name: str) -> Mapping[str, str]:
    return dict(ec2_backends[account][region].tags.get(name.rpartition("/")[2], {}))


def _kms_tags(account: str, region: str, name: str) -> Mapping[str, str]:
    kind, _, id = name.partition("/")
    return dict(kms_backends[account][region].tagger.get_tag_dict_for_resource(id)) if kind == "key" else {}


def _eks_tags(account: str, region: str, name: str) -> Mapping[str, str]:
    kind, _, rest = name.partition("/")
    clusters = eks_backends[account][region].clusters
    cluster = clusters.get(rest.partition("/")[0])
    return dict(cluster.tags or {}) if cluster and kind == "cluster" else {}


def _iam_tags(account: str, region: str, name: str) -> Mapping[str, str]:
    role = _role(f"arn:{GLOBAL}:iam::{account}:{name}")
    return _pairs(role.tags) if role else {}


TAGS = {"ec2": _ec2_tags, "eks": _eks_tags, "iam": _iam_tags, "kms": _kms_tags}
"""Service -> tags of what an ARN of it names. Others are not asked for tags by any policy of ours."""


def _role(arn: str) -> Any:
    """A role by its ARN, or by its name in an account; None where there is none."""
    account = arn.split(":")[4]
    if not arn.split(":", 5)[5].startswith("role/"):
        return None
    try:
        return iam_backends[account][GLOBAL].get_role(arn.rpartition("/")[2])
    except NotFoundException:
        return None


def _secret(account: str, region: str, name: str) -> Any:
    """A secret by its name or ARN; None where this account has none of it."""
    return secretsmanager_backends[account][region].secrets.get(name)


def _boundary(account: str, arn: str) -> Policy | None:
    """None where this AWS does not have it: `up` has said of the role that this is not decided."""
    return _managed_policy(account, arn) if arn in iam_backends[account][GLOBAL].managed_policies else None


def _managed_policy(account: str, arn: str) -> Policy:
    policy = iam_backends[account][GLOBAL].managed_policies[arn]
    [document] = [
        version.document for version in policy.versions if version.version_id == policy.default_version_id
    ]
    managed_policy: Policy = json.loads(document) if isinstance(document, str) else document
    return managed_policy


def _bucket(name: str) -> tuple[str, Any] | None:
    for account, backends in list(s3_backends.items()):
        if name in backends[GLOBAL].buckets:
            return account, backends[GLOBAL].buckets[name]
    return None


def _key_policy(arn: str, account: str) -> Policy:
    """Policy of a key; what is no key yet, and an alias, leave it to the account's own policies."""
    place, _, id = arn.partition(":key/")
    key = kms_backends[account][place.split(":")[3]].keys.get(id) if id else None
    if key:
        policy: Policy = json.loads(key.policy)
        return policy
    root = {"AWS": f"arn:{GLOBAL}:iam::{account}:root"}
    return {
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Principal": root, "Action": "kms:*", "Resource": "*"}],
    }


def _pairs(tags: Any) -> dict[str, str]:
    tag_list = tags.values() if isinstance(tags, Mapping) else tags or []
    return {tag["Key"]: tag["Value"] for tag in tag_list}
