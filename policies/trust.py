"""Who may take a role of AWS."""

from itertools import chain

from policies.identity import IDENTITY
from policies.pack.documents import trust
from policies.pack.resource import Resource
from policies.pack.rule import Parameters, Violations
from policies.pack.types import ROLE

PRINCIPALS_GUIDE = (
    "https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_principal.html"
)
PODS_SERVICE = "pods.eks.amazonaws.com"
POD_TAGS = ("eks-cluster-name", "kubernetes-namespace", "kubernetes-service-account")
"""Session tags by which EKS says whose pods ask for credentials."""

WHO = frozenset({"aws:principalaccount", "aws:principalarn", "aws:principalorgid", "aws:principalorgpaths"})
"""Condition keys that say who takes a role."""


@IDENTITY.rule(
    "trust-names-principals",
    ROLE,
    severity="critical",
    why="A role that everybody may take is everybody's.",
    references=(PRINCIPALS_GUIDE,),
)
def trust_names_principals(role: Resource, _: Parameters) -> Violations:
    """Roles say who may take them."""
    for statement in trust(role):
        if statement.allows and statement.is_for_everybody and not WHO & set(statement.required):
            yield f"Everybody may take role {role.name}: name a service, an account or a role."


@IDENTITY.rule(
    "pod-role-trust",
    ROLE,
    severity="high",
    why="Without it, any association in the account may hand the role to any pod.",
    references=(
        "https://docs.aws.amazon.com/eks/latest/userguide/pod-id-role.html",
        "docs/decisions/0007-identity-and-isolation.md",
    ),
)
def pod_role_trust(role: Resource, _: Parameters) -> Violations:
    """Roles of pods are for one cluster, namespace and service account."""
    for statement in trust(role):
        if statement.allows and PODS_SERVICE in statement.principals:
            missing = [tag for tag in POD_TAGS if f"aws:requesttag/{tag}" not in statement.required]
            if missing:
                names = " and ".join(missing)
                yield (
                    f"Role {role.name} is for pods of any {names}: ask for it in the condition of its "
                    "trust policy."
                )


@IDENTITY.rule(
    "federation-narrow",
    ROLE,
    severity="critical",
    why="Every repository of GitHub could take the role: its provider is one for all.",
    references=("https://docs.aws.amazon.com/IAM/latest/UserGuide/id_roles_providers_create_oidc.html",),
)
def federation_narrow(role: Resource, _: Parameters) -> Violations:
    """Roles for OIDC identities say whose."""
    for statement in trust(role):
        if statement.allows and "sts:AssumeRoleWithWebIdentity" in statement.actions:
            subjects = [statement.required[key] for key in statement.required if key.endswith(":sub")]
            if not subjects or any(map(_is_anybody, chain(*subjects))):
                yield (
                    f"Role {role.name} can be taken by any identity of its provider: ask for :sub in the "
                    "condition, with the owner in it."
                )


def _is_anybody(subject: str) -> bool:
    """Whether a pattern of subjects leaves the first thing open that tells one owner from another."""
    return subject.partition("*")[0].partition("?")[0] in ("", "repo:", "system:serviceaccount:")
