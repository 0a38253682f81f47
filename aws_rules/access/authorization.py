"""What the access policies of an access entry allow, as EKS's authorizer decides it beside RBAC."""

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any

from aws_rules.access.policies import ANY, POLICIES, SOURCE, Grant
from aws_rules.rule import Rule

ACCESS_POLICIES = Rule(
    name="access-policies",
    authority="EKS",
    decides="what an access entry's policies allow, in the cluster or in namespaces, beside RBAC",
    source=SOURCE,
)


def allowing_policy(associations: Iterable[Mapping[str, Any]], request: Mapping[str, Any]) -> str | None:
    """ARN of a policy that allows a request; None where none does, and RBAC goes on to decide.

    associations: as EKS lists them (`policyArn`, `accessScope`).
    request: the `spec` of a SubjectAccessReview.
    """
    for association in associations:
        arn: str = association["policyArn"]
        grants = POLICIES.get(policy_name(arn), ())
        if _in_scope(association["accessScope"], request) and any(
            _grants(grant, request) for grant in grants
        ):
            return arn
    return None


def reason(principal: str, policy: str) -> str:
    """Why a request is allowed, as `authorization.k8s.io/reason` says it in EKS's audit logs."""
    return (
        f'EKS Access Policy: allowed by ClusterRoleBinding "{principal}+{policy}" of ClusterRole "{policy}" '
        f'to User "{principal}"'
    )


def policy_name(arn: str) -> str:
    """Name of an access policy."""
    return arn.rpartition("/")[2]


def _in_scope(scope: Mapping[str, Any], request: Mapping[str, Any]) -> bool:
    """Whether a request is in the scope of a policy; what is of no namespace is only in the cluster's."""
    if scope["type"] == "cluster":
        return True
    namespace = (request.get("resourceAttributes") or {}).get("namespace") or ""
    # "You can use wildcard characters for a namespace name" (eks/latest/userguide/access-policies.html).
    return bool(namespace) and any(
        fnmatchcase(namespace, pattern) for pattern in scope.get("namespaces") or ()
    )


def _grants(grant: Grant, request: Mapping[str, Any]) -> bool:
    attributes = request.get("resourceAttributes")
    if attributes is None:
        path = request["nonResourceAttributes"]
        return ANY in grant.paths and _has(grant.verbs, path["verb"])
    resource = attributes.get("resource", "")
    if attributes.get("subresource"):
        resource = f"{resource}/{attributes['subresource']}"
    return (
        grant.group in (ANY, attributes.get("group", ""))
        and _has(grant.resources, resource)
        and _has(grant.verbs, attributes.get("verb", ""))
    )


def _has(words: frozenset[str], word: str) -> bool:
    return ANY in words or word in words
