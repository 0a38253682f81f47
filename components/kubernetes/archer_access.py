"""What a cluster has for Archer: what it says of itself, and what Archer's workers may do there."""

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as k8s

from moka.components.kubernetes.archer_rights import (
    CLUSTER_RIGHTS,
    NAMESPACE_RIGHTS,
    OPERATOR_RIGHTS,
    SCHEDULER_RIGHTS,
)
from moka.components.kubernetes.rbac import grant_group, grant_group_everywhere
from moka.components.kubernetes.service import service_labels
from moka.components.ordering import known_after
from moka.names import ARCHER, ARCHER_GROUP
from moka.submission.cluster_document import CONFIG_MAP


class ArcherClusterRole(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:ArcherClusterRole`.

    Makes: a ClusterRole and its ClusterRoleBinding `archer` for the group `ARCHER_GROUP`.

    Job namespaces must depend on it, so that they are deleted first: Archer takes its finalizer off there.
    """

    def __init__(self, name: str, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("moka:kubernetes:ArcherClusterRole", name, {}, opts)
        metadata = k8s.meta.v1.ObjectMetaArgs(name=ARCHER, labels=service_labels(ARCHER))
        child = pulumi.ResourceOptions(parent=self)
        grant_group_everywhere(name, metadata, CLUSTER_RIGHTS, child, group=ARCHER_GROUP)
        self.register_outputs({})


@dataclass(frozen=True, kw_only=True)
class ArcherAccessArgs:
    """What differs between clusters.

    namespace: of the Spark Operator.
    document: data of `moka.submission.cluster_document.ClusterDocument`, known once jobs can be submitted.
    """

    namespace: pulumi.Input[str]
    document: pulumi.Input[Mapping[str, str]]


class ArcherAccess(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:ArcherAccess`.

    Makes: ConfigMap `archer` in the operator's namespace, with a Role and its RoleBinding to read it, for the
    group `ARCHER_GROUP`.
    Outputs: `namespace`, known only once Archer may read what the cluster says.
    """

    namespace: pulumi.Output[str]

    def __init__(self, name: str, args: ArcherAccessArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("moka:kubernetes:ArcherAccess", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)
        metadata = k8s.meta.v1.ObjectMetaArgs(
            name=CONFIG_MAP, namespace=args.namespace, labels=service_labels(ARCHER)
        )
        document = k8s.core.v1.ConfigMap(name, metadata=metadata, data=args.document, opts=child)
        binding = grant_group(name, metadata, OPERATOR_RIGHTS, child, group=ARCHER_GROUP)
        self.namespace = known_after(args.namespace, document.id, binding.id)
        self.register_outputs({"namespace": self.namespace})


@dataclass(frozen=True, kw_only=True)
class ArcherQueuesRoleArgs:
    """namespace: of YuniKorn and its queues."""

    namespace: pulumi.Input[str]


class ArcherQueuesRole(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:ArcherQueuesRole`.

    Makes: Role and RoleBinding `archer` in the scheduler's namespace, for the group `ARCHER_GROUP`: to read
    how many applications its queues let run, and so why a job waits.
    """

    def __init__(
        self, name: str, args: ArcherQueuesRoleArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("moka:kubernetes:ArcherQueuesRole", name, {}, opts)
        metadata = k8s.meta.v1.ObjectMetaArgs(
            name=ARCHER, namespace=args.namespace, labels=service_labels(ARCHER)
        )
        child = pulumi.ResourceOptions(parent=self)
        grant_group(name, metadata, SCHEDULER_RIGHTS, child, group=ARCHER_GROUP)
        self.register_outputs({})


@dataclass(frozen=True, kw_only=True)
class ArcherRoleArgs:
    """job_namespace: where Archer has jobs run, once it may."""

    job_namespace: pulumi.Input[str]


class ArcherRole(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:ArcherRole`.

    Makes: Role and RoleBinding `archer` in a job namespace, for the group `ARCHER_GROUP`.
    Outputs: `job_namespace`, known only once Archer may submit there.
    """

    job_namespace: pulumi.Output[str]

    def __init__(self, name: str, args: ArcherRoleArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("moka:kubernetes:ArcherRole", name, {}, opts)
        binding = grant_group(
            f"{name}-{ARCHER}",
            k8s.meta.v1.ObjectMetaArgs(
                name=ARCHER, namespace=args.job_namespace, labels=service_labels(ARCHER)
            ),
            NAMESPACE_RIGHTS,
            pulumi.ResourceOptions(parent=self, deleted_with=opts.deleted_with if opts else None),
            group=ARCHER_GROUP,
        )
        self.job_namespace = known_after(args.job_namespace, binding.id)
        self.register_outputs({"job_namespace": self.job_namespace})
