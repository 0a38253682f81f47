"""What EKS refuses of access entries and of the policies associated with them."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from localcloud.rules.access.authorization import policy_name
from localcloud.rules.access.policies import POLICIES, SERVICE_LINKED
from localcloud.rules.rule import Rule, Unknown, Verdict, Violation

ACCESS_ENTRIES = Rule(
    name="access-entries",
    authority="EKS",
    decides="which access entries there may be: principals, types, user names, groups, policies",
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


def refused_entry(entry: Mapping[str, Any], account: str, partition: str) -> Iterator[Violation]:
    """What EKS refuses of an access entry.

    entry: as it is asked for, or as it would be after a change; what is not set may be missing.
    account, partition: of the cluster.
    """
    principal, type = entry["principalArn"], entry.get("type") or "STANDARD"
    about = f"access entry of {principal} on cluster {entry['clusterName']}"

    def violation(message: str, remedy: str) -> Violation:
        return Violation(
            rule=ACCESS_ENTRIES,
            resource=about,
            code="InvalidParameterException",
            message=message,
            remedy=remedy,
        )

    match = _PRINCIPAL.fullmatch(principal)
    if match is None or match["partition"] != partition:
        # terraform-aws-eks: seen of principals that do not exist (aws-samples/sample-agentic-platform#11).
        yield violation(
            "The specified principalArn is invalid: invalid principal",
            f"name an IAM role or user as arn:{partition}:iam::<account>:role/<name>, never a session of it",
        )
    elif "role/aws-service-role/" in principal:
        # hashicorp/terraform-provider-aws#36447
        yield violation(
            "The caller is not allowed to modify access entries with a principalArn value of a Service "
            "Linked Role",
            "name a role of your own",
        )
    elif type != "STANDARD" and (match["account"] != account or match["kind"] != "role"):
        yield violation(
            "If the type of the access entry is anything other than STANDARD, the ARN must be in the same "
            "AWS account that your cluster is in",
            f"name a role of account {account}, or leave the type out",
        )
    if type != "STANDARD" and (entry.get("kubernetesGroups") or entry.get("username")):
        yield violation(
            _STANDARD_ONLY, "leave user name and groups out: EKS gives its own to entries of other types"
        )
        return
    for group in entry.get("kubernetesGroups") or ():
        if prefix := _reserved(group):
            # terraform-aws-modules/terraform-aws-eks#2915
            yield violation(
                f"The kubernetes group name {group} is invalid, it cannot start with {prefix}",
                "choose another name for the group, and bind Roles to that, or associate an access policy",
            )
    username = entry.get("username") or ""
    if prefix := _reserved(username):
        # aws-ia/terraform-aws-eks-blueprints#2004
        yield violation(f"The username must not begin with {prefix}", "leave the user name out")
    elif (start := re.search(r"\{\{SessionName(Raw)?\}\}", username)) and ":" not in username[
        : start.start()
    ]:
        yield violation("The username must include a colon before {{SessionName}}", "leave the user name out")


def refused_policy(
    association: Mapping[str, Any], entry: Mapping[str, Any], partition: str
) -> Iterator[Verdict]:
    """What EKS refuses of an access policy that is associated with an access entry."""
    arn = association["policyArn"]
    about = f"access policy {arn} for {entry['principalArn']} on cluster {entry['clusterName']}"

    def violation(code: str, message: str, remedy: str) -> Violation:
        return Violation(rule=ACCESS_ENTRIES, resource=about, code=code, message=message, remedy=remedy)

    match = _POLICY.fullmatch(arn)
    if match is None:
        yield violation(
            "InvalidParameterException",
            "The policyArn parameter format is not valid",
            f"name it as arn:{partition}:eks::aws:cluster-access-policy/<name>: it is no policy of IAM",
        )
    elif match["partition"] != partition:
        yield violation(
            "ResourceNotFoundException",
            "The specified policyArn could not be found",
            f"name it as arn:{partition}:eks::aws:cluster-access-policy/{policy_name(arn)}",
        )
    elif policy_name(arn) in SERVICE_LINKED:
        yield violation(
            "InvalidParameterException",
            "This policy is designated for AWS service-linked roles only and cannot be used with "
            "customer-managed roles",
            "associate another policy",
        )
    elif policy_name(arn) not in POLICIES:
        yield Unknown(
            rule=ACCESS_ENTRIES,
            resource=about,
            lacks=f"what {policy_name(arn)} allows (here it allows nothing)",
        )
    # Entries of EKS Auto Mode's nodes (EC2) take AmazonEKSAutoNodePolicy.
    if (entry.get("type") or "STANDARD") not in ("STANDARD", "EC2"):
        # aws-controllers-k8s/community#2144
        yield violation(
            "InvalidParameterException",
            _STANDARD_ONLY,
            "leave the policy out: EKS grants to entries of other types what they need",
        )


def _reserved(name: str) -> str | None:
    return next((prefix for prefix in RESERVED if name.startswith(prefix)), None)
