"""Who somebody is to the API server by the ConfigMap `aws-auth`: what it makes of a principal of IAM."""

from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from aws_rules.access.identity import NODES, USERNAMES
from aws_rules.rule import Rule, Violation

AWS_AUTH = Rule(
    name="aws-auth",
    authority="EKS",
    decides="who is let in by the ConfigMap aws-auth in kube-system, with its user name and its groups",
    source="https://docs.aws.amazon.com/eks/latest/userguide/auth-configmap.html",
)

MODES = ("CONFIG_MAP", "API_AND_CONFIG_MAP")
"""Authentication modes of a cluster that goes by the ConfigMap."""

BOOTSTRAPPERS = "system:bootstrappers"
"""Further group of machines that the ConfigMap lets in."""

NAMESPACE, NAME = "kube-system", "aws-auth"

# Of each member, where its ARN is.
_MEMBERS = {"mapRoles": "rolearn", "mapUsers": "userarn"}

CREATOR: Mapping[str, Any] = {"username": "kubernetes-admin", "kubernetesGroups": ["system:masters"]}
"""Whoever made a cluster, "granted system:masters permissions", and it "doesn't appear in any visible
configuration" (the rule's source)."""


def mapped(data: Mapping[str, str], principal: str) -> Mapping[str, Any] | None:
    """What the ConfigMap makes of a principal, in the members of an access entry; None where it lacks it.

    A role with a path is known by its name only, and one that is mapped with its path is not found:
    https://github.com/kubernetes-sigs/aws-iam-authenticator/issues/153
    """
    arn = _without_path(principal)
    for member, key in _MEMBERS.items():
        for mapping in _mappings(data.get(member, "")):
            if str(mapping.get(key, "")).lower() == arn.lower():
                account = principal.split(":")[4]
                username = str(mapping.get("username") or arn).replace("{{AccountID}}", account)
                groups = list(mapping.get("groups") or ())
                return {"principalArn": principal, "username": username, "kubernetesGroups": groups}
    return None


def with_machines(data: Mapping[str, str], role: str) -> dict[str, str]:
    """The data with a role of machines, as EKS adds that of a managed node group.

    https://docs.aws.amazon.com/eks/latest/userguide/create-node-role.html; as it is, with its path:
    https://github.com/aws/containers-roadmap/issues/926
    """
    mappings = list(_mappings(data.get("mapRoles", "")))
    if any(mapping.get("rolearn") == role for mapping in mappings):
        return dict(data)
    machines = {
        "rolearn": role,
        "username": USERNAMES["EC2_LINUX"],
        "groups": [BOOTSTRAPPERS, NODES],
    }
    return {**data, "mapRoles": yaml.safe_dump([*mappings, machines], sort_keys=False)}


def without(data: Mapping[str, str], role: str) -> dict[str, str]:
    """The data without a role, as EKS takes out that of a managed node group."""
    mappings = list(_mappings(data.get("mapRoles", "")))
    other_mappings = [mapping for mapping in mappings if mapping.get("rolearn") != role]
    if other_mappings == mappings:
        return dict(data)
    return {**data, "mapRoles": yaml.safe_dump(other_mappings, sort_keys=False)}


def not_admitted(group: str, role: str) -> Violation:
    """What EKS says of a node group whose role its cluster does not know as one of machines."""
    return Violation(
        rule=AWS_AUTH,
        resource=group,
        code="NodeCreationFailure",
        message="Instances failed to join the kubernetes cluster",
        remedy=f"map {role} (without a path) to {NODES} in {NAME}, or give it an access entry of type "
        "EC2_LINUX",
    )


def _mappings(text: str) -> Iterator[Mapping[str, Any]]:
    """The mappings of a member; none of what is no list of them, as EKS reads it."""
    try:
        mappings = yaml.safe_load(text)
    except yaml.YAMLError:
        return
    for mapping in mappings if isinstance(mappings, list) else ():
        if isinstance(mapping, Mapping):
            yield mapping


def _without_path(principal: str) -> str:
    prefix, separator, rest = principal.partition(":role/")
    return f"{prefix}{separator}{rest.rpartition('/')[2]}" if separator else principal
