"""What a ServiceAccount or a group of people may ask of Kubernetes: a Role and its RoleBinding."""

from collections.abc import Sequence
from typing import NamedTuple

import pulumi
import pulumi_kubernetes as k8s


class Right(NamedTuple):
    """What a Role allows: verbs on a resource of an API group; with names, only on those objects."""

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
    subject = k8s.rbac.v1.SubjectArgs(kind="Group", name=group, api_group="rbac.authorization.k8s.io")
    return _grant(name, metadata, rights, opts, subject)


def _grant(
    name: str,
    metadata: k8s.meta.v1.ObjectMetaArgs,
    rights: Sequence[Right],
    opts: pulumi.ResourceOptions,
    subject: k8s.rbac.v1.SubjectArgs,
) -> k8s.rbac.v1.RoleBinding:
    role_name = str(metadata.name)
    role = k8s.rbac.v1.Role(
        name,
        metadata=metadata,
        rules=[
            k8s.rbac.v1.PolicyRuleArgs(
                api_groups=[right.group],
                resources=[right.resource],
                resource_names=right.names,
                verbs=list(right.verbs),
            )
            for right in rights
        ],
        opts=opts,
    )
    return k8s.rbac.v1.RoleBinding(
        name,
        metadata=metadata,
        role_ref=k8s.rbac.v1.RoleRefArgs(
            api_group="rbac.authorization.k8s.io",
            kind="Role",
            name=role.id.apply(lambda _: role_name),
        ),
        subjects=[subject],
        opts=opts,
    )
