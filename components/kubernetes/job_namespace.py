"""A namespace in which Spark applications run."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import pulumi
import pulumi_kubernetes as k8s

from components.kubernetes.namespace import Namespace, NamespaceArgs

SERVICE_ACCOUNT = "spark"
"""Of drivers and executors, in every job namespace."""


@dataclass(frozen=True, kw_only=True)
class JobNamespaceArgs:
    """What differs between job namespaces.

    name: a change replaces the namespace and all in it.
    labels: of the namespace, besides those of pod security.
    """

    name: str
    labels: Mapping[str, str] = field(default_factory=dict)


class JobNamespace(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:JobNamespace`.

    Makes: a Namespace; in it ServiceAccount `spark`, a Role with what a driver needs, and its RoleBinding.
    Outputs: `name` and `service_account`, known only once a driver has its permissions.
    """

    name: pulumi.Output[str]
    service_account: pulumi.Output[str]

    def __init__(self, name: str, args: JobNamespaceArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("moka:kubernetes:JobNamespace", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)

        namespace = Namespace(name, NamespaceArgs(name=args.name, labels=args.labels), child)
        metadata = k8s.meta.v1.ObjectMetaArgs(name=SERVICE_ACCOUNT, namespace=namespace.name)
        account = k8s.core.v1.ServiceAccount(name, metadata=metadata, opts=child)
        role = k8s.rbac.v1.Role(
            name,
            metadata=metadata,
            rules=[
                # A driver makes its executors, their configuration and claims, and a service for itself.
                k8s.rbac.v1.PolicyRuleArgs(
                    api_groups=[""],
                    resources=["pods", "configmaps", "services", "persistentvolumeclaims"],
                    verbs=[
                        "get",
                        "list",
                        "watch",
                        "create",
                        "update",
                        "patch",
                        "delete",
                        "deletecollection",
                    ],
                )
            ],
            opts=child,
        )
        binding = k8s.rbac.v1.RoleBinding(
            name,
            metadata=metadata,
            role_ref=k8s.rbac.v1.RoleRefArgs(
                api_group="rbac.authorization.k8s.io",
                kind="Role",
                name=role.id.apply(lambda _: SERVICE_ACCOUNT),
            ),
            subjects=[
                k8s.rbac.v1.SubjectArgs(
                    kind="ServiceAccount",
                    name=account.id.apply(lambda _: SERVICE_ACCOUNT),
                    namespace=namespace.name,
                )
            ],
            opts=child,
        )

        self.name = pulumi.Output.all(namespace.name, binding.id).apply(lambda made: str(made[0]))
        self.service_account = binding.id.apply(lambda _: SERVICE_ACCOUNT)
        self.register_outputs({"name": self.name, "service_account": self.service_account})
