"""What EKS refuses of access entries and of the policies associated with them."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from typing import Any

from aws_rules.access.authorization import policy_name
from aws_rules.access.policies import POLICIES, SERVICE_LINKED, UNWRITTEN
from aws_rules.rule import Rule, Unknown, Verdict, Violation

ACCESS_ENTRIES = Rule(
    name="access-entries",
    authority="EKS",
    decides="which access entries there may be: principals, types, user names, groups, policies, scopes",
    source="https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateAccessEntry.html",
)

MODES = ("API", "API_AND_CONFIG_MAP")
"""Authentication modes of a cluster that has access entries."""

RESERVED = ("system:", "eks:", "aws:", "amazon:", "iam:")
"""Beginnings of user names and groups that are EKS's own. Documented of user names; of groups, the refusal of
`system:` is on record (terraform-aws-modules/terraform-aws-eks#2915)."""

# A role or user of IAM, not a session of one: that "is a temporary principal for each session and not a
# permanent identity" (the rule's source).
_PRINCIPAL = re.compile(
    r"arn:(?P<partition>[a-z-]+):iam::(?P<account>\d{12}):(?P<kind>role|user|root|federated-user)(/.+)?"
)
_POLICY = re.compile(r"arn:(?P<partition>[a-z-]+):eks::aws:cluster-access-policy/[A-Za-z0-9]+")

Path = tuple[str | int, ...]
"""Where a member is in a request: `("kubernetesGroups", 0)`."""

CUTOFF = 0.9
"""How much alike the name of a policy and one that exists must be for the first to be a slip."""

_STANDARD_ONLY = 'This operation can only be performed on Access Entries with a type of "STANDARD"'


def refused_by_mode(cluster: Mapping[str, Any]) -> Iterator[Violation]:
    """What EKS says to every request about access entries of a cluster that has none.

    cluster: as EKS describes it. Source of the words: eksctl-io/eksctl: pkg/actions/accessentry/getter.go.
    """
    if (cluster.get("accessConfig") or {}).get("authenticationMode") not in MODES:
        yield Violation(
            rule=ACCESS_ENTRIES,
            resource=f"access entries of cluster {cluster['name']}",
            code="InvalidRequestException",
            message="The cluster's authentication mode must be set to one of "
            f"[{', '.join(MODES)}] to perform this operation",
            remedy="set the cluster's authenticationMode to API",
        )


@dataclass(frozen=True, kw_only=True)
class Fault:
    """What is wrong with a request about access entries, in EKS's words. path: of the member."""

    path: Path
    message: str
    remedy: str
    code: str = "InvalidParameterException"


def refused_entry(entry: Mapping[str, Any], account: str, partition: str) -> Iterator[Violation]:
    """What EKS refuses of an access entry.

    entry: as it is asked for, or as it would be after a change; what is not set may be missing.
    account, partition: of the cluster.
    """
    about = f"access entry of {entry['principalArn']} on cluster {entry['clusterName']}"
    yield from _violations(about, faults_of_entry(entry, account, partition))


def faults_of_entry(entry: Mapping[str, Any], account: str, partition: str) -> Iterator[Fault]:
    """What is wrong with an access entry, as far as its members are known; `account` may be empty."""
    type, username = entry.get("type") or "STANDARD", entry.get("username") or ""
    groups = list(entry.get("kubernetesGroups") or ())
    if principal := entry.get("principalArn"):
        yield from _faults_of_principal(principal, type, account, partition)
    if type != "STANDARD" and (groups or username):
        yield Fault(
            path=("username",) if username else ("kubernetesGroups", 0),
            message=_STANDARD_ONLY,
            remedy="leave user name and groups out: EKS gives its own to entries of other types",
        )
        return
    for index, group in enumerate(groups):
        if prefix := _reserved_prefix(group):
            # terraform-aws-modules/terraform-aws-eks#2915
            yield Fault(
                path=("kubernetesGroups", index),
                message=f"The kubernetes group name {group} is invalid, it cannot start with {prefix}",
                remedy="choose another name for the group, and bind Roles to that, or associate a policy",
            )
    if prefix := _reserved_prefix(username):
        # aws-ia/terraform-aws-eks-blueprints#2004
        yield Fault(
            path=("username",),
            message=f"The username must not begin with {prefix}",
            remedy="leave the user name out",
        )
    elif (start := re.search(r"\{\{SessionName(Raw)?\}\}", username)) and ":" not in username[
        : start.start()
    ]:
        yield Fault(
            path=("username",),
            message="The username must include a colon before {{SessionName}}",
            remedy="leave the user name out",
        )


def _faults_of_principal(principal: str, type: str, account: str, partition: str) -> Iterator[Fault]:
    fault = partial(Fault, path=("principalArn",))
    match = _PRINCIPAL.fullmatch(principal)
    if match is None or match["partition"] != partition:
        # terraform-aws-eks: seen of principals that do not exist (aws-samples/sample-agentic-platform#11).
        yield fault(
            message="The specified principalArn is invalid: invalid principal",
            remedy=f"name an IAM role or user as arn:{partition}:iam::<account>:role/<name>, never a session "
            "of it",
        )
    elif "role/aws-service-role/" in principal:
        # hashicorp/terraform-provider-aws#36447
        yield fault(
            message="The caller is not allowed to modify access entries with a principalArn value of a "
            "Service Linked Role",
            remedy="name a role of your own",
        )
    elif type != "STANDARD" and (match["kind"] != "role" or account not in ("", match["account"])):
        yield fault(
            message="If the type of the access entry is anything other than STANDARD, the ARN must be in the "
            "same AWS account that your cluster is in",
            remedy=f"name a role of {account or 'the account of the cluster'}, or leave the type out",
        )


def refused_policy(
    association: Mapping[str, Any], entry: Mapping[str, Any], partition: str
) -> Iterator[Verdict]:
    """What EKS refuses of an access policy that is associated with an access entry."""
    arn = association["policyArn"]
    about = f"access policy {arn} for {entry['principalArn']} on cluster {entry['clusterName']}"
    faults = list(faults_of_policy(association, partition))
    yield from _violations(about, faults)
    if not faults and policy_name(arn) not in POLICIES:
        lacks = f"what {policy_name(arn)} allows (here it allows nothing)"
        yield Unknown(rule=ACCESS_ENTRIES, resource=about, lacks=lacks)
    # Entries of EKS Auto Mode's nodes (EC2) take AmazonEKSAutoNodePolicy.
    if (entry.get("type") or "STANDARD") not in ("STANDARD", "EC2"):
        # aws-controllers-k8s/community#2144
        fault = Fault(
            path=("policyArn",),
            message=_STANDARD_ONLY,
            remedy="leave the policy out: EKS grants to entries of other types what they need",
        )
        yield from _violations(about, [fault])


def faults_of_policy(association: Mapping[str, Any], partition: str) -> Iterator[Fault]:
    """What is wrong with an access policy and its scope, as far as they are known.

    Source of what is said of scopes: https://docs.aws.amazon.com/eks/latest/APIReference/API_AccessScope.html
    """
    if arn := association.get("policyArn"):
        yield from _faults_of_arn(arn, partition)
    scope = association.get("accessScope") or {}
    type, namespaces = scope.get("type"), scope.get("namespaces")
    path = ("accessScope", "namespaces")
    if type == "namespace" and not namespaces:
        message = "The access scope of type namespace needs namespaces"
        yield Fault(path=path, message=message, remedy="list some, or choose the type cluster")
    elif type == "cluster" and namespaces:
        message = "Namespaces cannot be specified with an access scope of type cluster"
        yield Fault(path=path, message=message, remedy="leave them out, or choose the type namespace")


def _faults_of_arn(arn: str, partition: str) -> Iterator[Fault]:
    fault = partial(Fault, path=("policyArn",))
    match = _POLICY.fullmatch(arn)
    right = f"arn:{partition}:eks::aws:cluster-access-policy/"
    if match is None:
        yield fault(
            message="The policyArn parameter format is not valid",
            remedy=f"name it as {right}<name>: it is no policy of IAM",
        )
    elif match["partition"] != partition:
        yield fault(
            code="ResourceNotFoundException",
            message="The specified policyArn could not be found",
            remedy=f"name it as {right}{policy_name(arn)}",
        )
    elif policy_name(arn) in SERVICE_LINKED:
        yield fault(
            message="This policy is designated for AWS service-linked roles only and cannot be used with "
            "customer-managed roles",
            remedy="associate another policy",
        )
    elif policy_name(arn) not in POLICIES and (
        close := get_close_matches(policy_name(arn), [*POLICIES, *UNWRITTEN], 1, CUTOFF)
    ):
        yield fault(
            code="ResourceNotFoundException",
            message="The specified policyArn could not be found",
            remedy=f"did you mean {right}{close[0]}",
        )


def _violations(about: str, faults: Iterable[Fault]) -> Iterator[Violation]:
    for fault in faults:
        yield Violation(
            rule=ACCESS_ENTRIES,
            resource=about,
            code=fault.code,
            message=fault.message,
            remedy=fault.remedy,
        )


def _reserved_prefix(name: str) -> str | None:
    return next((prefix for prefix in RESERVED if name.startswith(prefix)), None)
