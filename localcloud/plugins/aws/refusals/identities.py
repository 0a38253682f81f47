"""Roles and what they meet, as the laptop's AWS has them, in the shape that the rules of IAM take."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any
from urllib.parse import unquote

from aws_rules.iam.evaluation import Policy, Resource, Role
from aws_rules.iam.permissions import ANYTHING, Place, Surroundings
from localcloud.plugins.aws.api import Api, account_api, error_code, not_found
from localcloud.store import accounts

UNUSABLE: Mapping[str, str] = {"Disabled": "is disabled", "PendingDeletion": "is pending deletion"}
"""State of a key -> what KMS says of it (DisabledException, KMSInvalidStateException).

Source: https://docs.aws.amazon.com/kms/latest/developerguide/key-state.html
"""


class Absent(Exception):
    """Something that this AWS does not have, as it is not of the program; says what."""


@dataclass
class Identities:
    """IAM as an account sees it, and what has policies in it and in the other accounts of the cloud.

    missing: boundaries of roles, and keys, that this AWS has not: what they take away was not judged.
    """

    api: Api
    region: str
    missing: set[str] = field(default_factory=set)
    _cache: dict[tuple[str, ...], Any] = field(default_factory=dict)

    @property
    def place(self) -> Place:
        """Where its programs run, without a cluster."""
        return Place(region=self.region, account=self.api.account, partition=self.api.partition)

    def cluster_place(self, cluster: str, **more: str) -> Place:
        """Where the programs of a cluster run."""
        place = self.place
        return Place(place.region, place.account, place.partition, cluster, more)

    def role(
        self, arn: str, *, tags: Mapping[str, str] | None = None, session_policy: Policy | None = None
    ) -> Role:
        """A session of a role. Raises Absent where the role or a policy of it is not here."""
        policies, boundary = self._from_cache(("role", arn), lambda: self._role(arn))
        return Role(
            arn=arn,
            policies=policies,
            boundary=boundary,
            session_policy=session_policy,
            tags=dict(tags or {}),
        )

    def trust(self, arn: str) -> Policy:
        """The trust policy of a role. Raises Absent where it is not here."""
        policy: Policy = self._description(arn)["AssumeRolePolicyDocument"]
        return policy

    def surroundings(self, vpc: str | None = None) -> Surroundings:
        """What decides besides the caller: for programs in a VPC, its endpoints too."""
        return Surroundings(
            resource=self.resource,
            key_of=self.key_of,
            endpoint=self._endpoints(vpc).get if vpc else lambda _: None,
        )

    def resource(self, arn: str) -> Resource:
        """A resource, with its policy if it has one: of a bucket, a key, or a role of this account."""
        service, account = arn.split(":")[2:5:2] if arn.startswith("arn:") else ("", "")
        if service == "s3":
            owner, policy = self._bucket(arn.split(":", 5)[5].partition("/")[0])
            return Resource(arn=arn, account=owner, policy=policy)
        if service == "kms":
            key: Resource = self._from_cache(("key", arn), lambda: self._key(arn, account))
            return key
        if service == "iam" and ":role/" in arn and account == self.api.account:
            return Resource(arn=arn, account=account, policy=self.trust(arn))
        return Resource(arn=arn, account=account or self.api.account)

    def key_of(self, bucket: str) -> Resource | None:
        """The key that encrypts a bucket; None for S3's own, and where there is no such bucket."""
        key: str | None = self._from_cache(("encryption", bucket), lambda: self._encryption(bucket))
        return self.resource(key) if key else None

    def buckets(self) -> list[str]:
        """Names of all buckets of the cloud, those of this account first."""
        names: dict[str, str] = self._owners
        return sorted(names, key=lambda name: (names[name] != self.api.account, name))

    def fitting(self, pattern: str) -> list[str]:
        """ARNs that fit a pattern, of roles, secrets, and users of databases that this account has."""
        arns = (
            arn.replace("/*", pattern[pattern.rfind("/") :])
            for arn in self._from_cache(("named",), self._arns)
        )
        return [arn for arn in arns if fnmatchcase(arn, pattern)]

    def _arns(self) -> list[str]:
        roles = self.api.client("iam").get_paginator("list_roles").paginate()
        # Which users a database has is not AWS's to know.
        users = f"arn:{self.api.partition}:rds-db:{self.region}:{self.api.account}:dbuser:"
        clusters = self.api.client("rds", self.region).describe_db_clusters()["DBClusters"]
        secrets = self.api.client("secretsmanager", self.region).get_paginator("list_secrets").paginate()
        return [
            *(role["Arn"] for page in roles for role in page["Roles"]),
            *(secret["ARN"] for page in secrets for secret in page["SecretList"]),
            *(f"{users}{cluster['DbClusterResourceId']}/*" for cluster in clusters),
        ]

    def key_arn(self, key: str) -> str:
        """ARN of a key that is named by its id, an alias, or the ARN of either."""
        *_, resource = key.split(":", 5)
        if not resource.startswith("alias/"):
            return key if key.startswith("arn:") else self._key_arn(f"key/{key}")
        aliases = self._from_cache(("aliases",), self._aliases)
        return self._key_arn(f"key/{aliases[resource]}" if resource in aliases else resource)

    def _key_arn(self, name: str) -> str:
        return f"arn:{self.api.partition}:kms:{self.region}:{self.api.account}:{name}"

    def _aliases(self) -> dict[str, str]:
        """Alias -> id of its key."""
        pages = self.api.client("kms", self.region).get_paginator("list_aliases").paginate()
        return {
            alias["AliasName"]: alias["TargetKeyId"]
            for page in pages
            for alias in page["Aliases"]
            if alias.get("TargetKeyId")
        }

    def owner(self, bucket: str) -> str | None:
        """Account of a bucket; None where the cloud has none of this name."""
        return self._owners.get(bucket)

    def _from_cache(self, key: tuple[str, ...], load: Callable[[], Any]) -> Any:
        if key not in self._cache:
            self._cache[key] = load()
        return self._cache[key]

    def _api(self, account: str) -> Api:
        if account in ("", self.api.account):
            return self.api
        return account_api(self.api.cloud, self.api.endpoint, account, self.region)

    # --- roles ---

    def _description(self, arn: str) -> dict[str, Any]:
        name, account = arn.rpartition("/")[2], arn.split(":")[4]
        description: dict[str, Any] = self._from_cache(
            ("described", arn),
            lambda: self._answer(account, "get_role", f"role {arn}", RoleName=name)["Role"],
        )
        return description

    def _role(self, arn: str) -> tuple[tuple[Policy, ...], Policy | None]:
        name, account = arn.rpartition("/")[2], arn.split(":")[4]
        boundary = (self._description(arn).get("PermissionsBoundary") or {}).get("PermissionsBoundaryArn")
        ask = self._api(account).client("iam")
        attachments = ask.list_attached_role_policies(RoleName=name)["AttachedPolicies"]
        inline = ask.list_role_policies(RoleName=name)["PolicyNames"]
        return (
            (
                *(self._managed_policy(account, policy["PolicyArn"]) for policy in attachments),
                *(
                    document(ask.get_role_policy(RoleName=name, PolicyName=policy)["PolicyDocument"])
                    for policy in inline
                ),
            ),
            self._boundary(account, boundary) if boundary else None,
        )

    def _boundary(self, account: str, arn: str) -> Policy | None:
        try:
            return self._managed_policy(account, arn)
        except Absent as absent:
            self.missing.add(str(absent))
            return None

    def _managed_policy(self, account: str, arn: str) -> Policy:
        def load() -> Policy:
            self._answer(account, "get_policy", f"policy {arn}", PolicyArn=arn)
            return managed_policy(self._api(account).client("iam"), arn)

        policy: Policy = self._from_cache(("managed", arn), load)
        return policy

    def _answer(self, account: str, operation: str, subject: str, **members: Any) -> Any:
        """An answer of IAM. Raises Absent where it does not have what it is asked for."""
        try:
            return getattr(self._api(account).client("iam"), operation)(**members)
        except Exception as error:
            if not not_found(error):
                raise
            raise Absent(f"{subject}, which this AWS does not have") from None

    # --- buckets, keys, endpoints ---

    @cached_property
    def _owners(self) -> dict[str, str]:
        """Bucket -> its account."""
        return {
            bucket["Name"]: account
            for account in {self.api.account, *accounts(self.api.cloud)}
            for bucket in self._api(account).client("s3").list_buckets()["Buckets"]
        }

    def _bucket(self, name: str) -> tuple[str, Policy | None]:
        owner = self._owners.get(name, "")

        def load() -> Policy | None:
            if not owner:
                return None
            try:
                return document(self._api(owner).client("s3").get_bucket_policy(Bucket=name)["Policy"])
            except Exception as error:
                if error_code(error) != "NoSuchBucketPolicy":
                    raise
                return None

        policy: Policy | None = self._from_cache(("bucket", name), load)
        return owner or self.api.account, policy

    def _encryption(self, name: str) -> str | None:
        owner = self._owners.get(name)
        if owner is None:
            return None
        try:
            answer = self._api(owner).client("s3").get_bucket_encryption(Bucket=name)
        except Exception as error:
            if not_found(error) or "EncryptionConfiguration" in error_code(error):
                return None
            raise
        [rule, *_] = answer["ServerSideEncryptionConfiguration"]["Rules"]
        by_default = rule.get("ApplyServerSideEncryptionByDefault") or {}
        key = by_default.get("KMSMasterKeyID")
        if by_default.get("SSEAlgorithm") != "aws:kms" or not key:
            return None
        return key if key.startswith("arn:") else None

    def _key(self, arn: str, account: str) -> Resource:
        """A key. One of an account that the cloud has not seen lets everybody, and is noted as missing."""
        if account not in {self.api.account, *accounts(self.api.cloud)}:
            self.missing.add(f"key {arn}, which this AWS does not have")
            return Resource(arn=arn, account=account, policy=ANYTHING)
        kms = self._api(account).client("kms", arn.split(":")[3])
        try:
            state = kms.describe_key(KeyId=arn)["KeyMetadata"]["KeyState"]
            policy = document(kms.get_key_policy(KeyId=arn, PolicyName="default")["Policy"])
        except Exception as error:
            if not not_found(error):
                raise
            return Resource(arn=arn, account=account, unusable=f"Key '{arn}' does not exist")
        unusable = UNUSABLE.get(state, "")
        return Resource(arn=arn, account=account, policy=policy, unusable=unusable and f"{arn} {unusable}")

    def _endpoints(self, vpc: str) -> dict[str, Policy]:
        """Service -> policy of its endpoint in a VPC, as far as one has a policy."""

        def load() -> dict[str, Policy]:
            of_vpc = [{"Name": "vpc-id", "Values": [vpc]}]
            answer = self.api.client("ec2", self.region).describe_vpc_endpoints(Filters=of_vpc)
            return {
                endpoint["ServiceName"].partition(f"{self.region}.")[2]: document(endpoint["PolicyDocument"])
                for endpoint in answer["VpcEndpoints"]
                if endpoint.get("PolicyDocument")
            }

        policies: dict[str, Policy] = self._from_cache(("endpoints", vpc), load)
        return policies


def document(policy: Any) -> Policy:
    """A policy document, which some answers have as text and some of these in the form of a URL."""
    if isinstance(policy, str):
        text = unquote(policy) if policy.lstrip().startswith("%7B") else policy
        decoded: Policy = json.loads(text)
        return decoded
    content: Policy = policy
    return content


def managed_policy(iam: Any, arn: str) -> Policy:
    """The default version of a managed policy; those of AWS's own are, in moto, written for one partition."""
    version = iam.get_policy(PolicyArn=arn)["Policy"]["DefaultVersionId"]
    text = iam.get_policy_version(PolicyArn=arn, VersionId=version)["PolicyVersion"]["Document"]
    if ":iam::aws:" not in arn:
        return document(text)
    content = text if isinstance(text, str) else json.dumps(text)
    return document(content.replace("arn:aws:", f"arn:{arn.split(':')[1]}:"))
