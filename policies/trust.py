"""Who may take a role of AWS."""

import re
from itertools import chain

from policies.identity import IDENTITY
from policies.pack.documents import trust
from policies.pack.objects import where
from policies.pack.resource import Resource
from policies.pack.rule import Parameters, Violations
from policies.pack.types import POD_IDENTITY, ROLE

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
    "trust-no-whole-account",
    ROLE,
    severity="high",
    why="Whoever administers that account decides who takes the role.",
    references=(PRINCIPALS_GUIDE,),
    accounts=[],
)
def trust_no_whole_account(role: Resource, parameters: Parameters) -> Violations:
    """Roles are taken by services and roles, and by no account as a whole."""
    for statement in trust(role):
        for principal in (
            statement.principals if statement.allows and not WHO & set(statement.required) else ()
        ):
            account = re.fullmatch(r"(?:arn:aws[\w-]*:iam::)?([0-9]{12})(?::root)?", principal)
            if account and account[1] not in parameters["accounts"]:
                yield f"All of account {account[1]} may take role {role.name}: name the role that does."


@IDENTITY.rule(
    "identity-of-own-account",
    POD_IDENTITY,
    severity="high",
    why="Pods that name no service account have the default one, and would have its rights in AWS.",
    references=("CIS 4.1.5", "https://docs.aws.amazon.com/eks/latest/userguide/pod-id-association.html"),
)
def identity_of_own_account(association: Resource, _: Parameters) -> Violations:
    """A role is for a service account that pods have to name."""
    if association.get("serviceAccount") == "default":
        yield f"{where(association)} is for the service account default: make one of its own."


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
