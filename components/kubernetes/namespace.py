"""A namespace, and what its pods may do on a node."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import pulumi
import pulumi_kubernetes as k8s

PodSecurity = Literal["privileged", "baseline", "restricted"]


@dataclass(frozen=True, kw_only=True)
class NamespaceArgs:
    """What differs between namespaces.

    name: a change replaces the namespace and all in it.
    pod_security: level of the Pod Security Standards that is enforced; `privileged` for what mounts a
    node's own folders.
    labels: besides those of pod security.
    """

    name: str
    pod_security: PodSecurity = "baseline"
    labels: Mapping[str, str] = field(default_factory=dict)


class Namespace(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:Namespace`.

    Makes: core.v1.Namespace.
    Outputs: `name`, known only once the namespace exists.
    """

    name: pulumi.Output[str]

    def __init__(self, name: str, args: NamespaceArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("moka:kubernetes:Namespace", name, {}, opts)

        # All that is in it goes with it: never rename it.
        namespace = k8s.core.v1.Namespace(
            name,
            metadata=k8s.meta.v1.ObjectMetaArgs(
                name=args.name,
                labels={
                    "pod-security.kubernetes.io/enforce": args.pod_security,
                    "pod-security.kubernetes.io/warn": args.pod_security,
                    **args.labels,
                },
            ),
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.name = namespace.id.apply(lambda _: args.name)
        self.register_outputs({"name": self.name})
