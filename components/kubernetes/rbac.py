"""What a ServiceAccount or a group of people may ask of Kubernetes: a role and its binding."""

from collections.abc import Sequence
from typing import NamedTuple

import pulumi
import pulumi_kubernetes as k8s


class Right(NamedTuple):
    """What a role allows: verbs on resources of an API group; with names, only on those objects.

    resource: one, or several with spaces between.
    """

    group: str
    resource: str
    verbs: Sequence[str]
    names: Sequence[str] | None = None


def grant(
    name: str,
    metadata: k8s.meta.v1.ObjectMetaArgs,
    rights: Sequence[Right],
    opts: pulumi.ResourceOptions,
    *,
    account: pulumi.Input[str],
    account_namespace: pulumi.Input[str],
) -> k8s.rbac.v1.RoleBinding:
    """A Role and its RoleBinding for a ServiceAccount; the binding.

    name: logical name of both. metadata: of both, in the namespace in which the rights are.
    """
    subject = k8s.rbac.v1.SubjectArgs(kind="ServiceAccount", name=account, namespace=account_namespace)
    return _grant(name, metadata, rights, opts, subject)


def grant_group(
    name: str,
    metadata: k8s.meta.v1.ObjectMetaArgs,
    rights: Sequence[Right],
    opts: pulumi.ResourceOptions,
    *,
    group: str,
) -> k8s.rbac.v1.RoleBinding:
    """The same for a group of users."""
    return _grant(name, metadata, rights, opts, _group(group))


def grant_group_everywhere(
    name: str,
    metadata: k8s.meta.v1.ObjectMetaArgs,
    rights: Sequence[Right],
    opts: pulumi.ResourceOptions,
    *,
    group: str,
) -> k8s.rbac.v1.ClusterRoleBinding:
    """A ClusterRole and its ClusterRoleBinding for a group of users; the binding.

    name: logical name of both. metadata: of both.
    """
    return _grant_everywhere(name, metadata, rights, opts, _group(group))


def grant_everywhere(
    name: str,
    metadata: k8s.meta.v1.ObjectMetaArgs,
    rights: Sequence[Right],
    opts: pulumi.ResourceOptions,
    *,
    account: pulumi.Input[str],
    account_namespace: pulumi.Input[str],
) -> k8s.rbac.v1.ClusterRoleBinding:
    """The same for a ServiceAccount."""
    subject = k8s.rbac.v1.SubjectArgs(kind="ServiceAccount", name=account, namespace=account_namespace)
    return _grant_everywhere(name, metadata, rights, opts, subject)


def _grant(
    name: str,
    metadata: k8s.meta.v1.ObjectMetaArgs,
    rights: Sequence[Right],
    opts: pulumi.ResourceOptions,
    subject: k8s.rbac.v1.SubjectArgs,
) -> k8s.rbac.v1.RoleBinding:
    role = k8s.rbac.v1.Role(name, metadata=metadata, rules=_rules(rights), opts=opts)
    return k8s.rbac.v1.RoleBinding(
        name, metadata=metadata, role_ref=_reference(role, metadata), subjects=[subject], opts=opts
    )


def _grant_everywhere(
    name: str,
    metadata: k8s.meta.v1.ObjectMetaArgs,
    rights: Sequence[Right],
    opts: pulumi.ResourceOptions,
    subject: k8s.rbac.v1.SubjectArgs,
) -> k8s.rbac.v1.ClusterRoleBinding:
    role = k8s.rbac.v1.ClusterRole(name, metadata=metadata, rules=_rules(rights), opts=opts)
    return k8s.rbac.v1.ClusterRoleBinding(
        name, metadata=metadata, role_ref=_reference(role, metadata), subjects=[subject], opts=opts
    )


def _group(name: str) -> k8s.rbac.v1.SubjectArgs:
    return k8s.rbac.v1.SubjectArgs(kind="Group", name=name, api_group="rbac.authorization.k8s.io")


def _rules(rights: Sequence[Right]) -> list[k8s.rbac.v1.PolicyRuleArgs]:
    return [
        k8s.rbac.v1.PolicyRuleArgs(
            api_groups=[right.group],
            resources=right.resource.split(),
            resource_names=right.names,
            verbs=list(right.verbs),
        )
        for right in rights
    ]


def _reference(
    role: k8s.rbac.v1.Role | k8s.rbac.v1.ClusterRole, metadata: k8s.meta.v1.ObjectMetaArgs
) -> k8s.rbac.v1.RoleRefArgs:
    """To a role, once it is there."""
    role_name = str(metadata.name)
    return k8s.rbac.v1.RoleRefArgs(
        api_group="rbac.authorization.k8s.io",
        kind=type(role).__name__,
        name=role.id.apply(lambda _: role_name),
    )
