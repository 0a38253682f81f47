"""The service that keeps YuniKorn's queues to what a cluster has at this time."""

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as k8s

from moka.components.kubernetes.archer_rights import AMOUNTS_RIGHTS
from moka.components.kubernetes.rbac import Right, grant, grant_group
from moka.components.kubernetes.service import Service, ServiceArgs, service_labels, service_metadata
from moka.components.ordering import known_after
from moka.names import ARCHER, ARCHER_GROUP, QUEUE_AMOUNTS, QUEUE_CALENDAR, YUNIKORN_CONFIGS

SERVICE = "queue-keeper"

OWN_RIGHTS = (Right("", "configmaps", ("get",), (QUEUE_CALENDAR, QUEUE_AMOUNTS)),)

SCHEDULER_RIGHTS = (Right("", "configmaps", ("get", "patch"), (YUNIKORN_CONFIGS,)),)


@dataclass(frozen=True, kw_only=True)
class QueueKeeperRoleArgs:
    """Where the queues are.

    scheduler_namespace: of YuniKorn.
    namespace: of the service.
    """

    scheduler_namespace: pulumi.Input[str]
    namespace: pulumi.Input[str]


class QueueKeeperRole(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:QueueKeeperRole`.

    Makes: Role and RoleBinding `queue-keeper` in the scheduler's namespace, for the service's ServiceAccount.
    Outputs: `namespace` of the service, known only once it may write the queues.
    """

    namespace: pulumi.Output[str]

    def __init__(
        self, name: str, args: QueueKeeperRoleArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("moka:kubernetes:QueueKeeperRole", name, {}, opts)
        binding = grant(
            f"{name}-scheduler",
            service_metadata(SERVICE, args.scheduler_namespace),
            SCHEDULER_RIGHTS,
            pulumi.ResourceOptions(parent=self),
            account=SERVICE,
            account_namespace=args.namespace,
        )
        self.namespace = known_after(args.namespace, binding.id)
        self.register_outputs({"namespace": self.namespace})


@dataclass(frozen=True, kw_only=True)
class QueueKeeperArgs:
    """What differs between clusters.

    image: reference of the service's image, for every architecture of the system nodes.
    namespace: of the service, known once it may write the queues.
    files: of ConfigMap `queue-calendar`, by name: the queues as the settings have them, what they are shares
        of and when, and what plans may do, as `moka.allocation.cluster_settings` writes them.
    archer: whether Archer brings amounts of plans.
    """

    image: str
    namespace: pulumi.Input[str]
    files: Mapping[str, str]
    archer: bool = False


class QueueKeeper(Service):
    """Pulumi type `moka:kubernetes:QueueKeeper`: the Service `queue-keeper`.

    Makes, besides what every Service does, ConfigMap `queue-calendar`. That is there after the service, and
    goes before it: without a calendar, it takes back what it keeps. Where Archer brings amounts of plans, it
    makes ConfigMap `queue-amounts`, with nothing in it, and Role and RoleBinding `archer` for it.
    """

    def __init__(self, name: str, args: QueueKeeperArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        service = ServiceArgs(service=SERVICE, image=args.image, namespace=args.namespace, rights=OWN_RIGHTS)
        super().__init__(name, service, opts)
        child = pulumi.ResourceOptions(parent=self)
        # `namespace` of a Service is known once it runs.
        metadata = k8s.meta.v1.ObjectMetaArgs(
            name=QUEUE_CALENDAR, namespace=self.namespace, labels=service_labels(SERVICE)
        )
        k8s.core.v1.ConfigMap(f"{name}-calendar", metadata=metadata, data=args.files, opts=child)
        if args.archer:
            self._amounts(f"{name}-amounts", args.namespace, child)

    def _amounts(self, name: str, namespace: pulumi.Input[str], child: pulumi.ResourceOptions) -> None:
        """What Archer's workers write into: its data are none of the program's, which never looks at them.

        Made here, as RBAC cannot say which ConfigMap somebody may create
        (https://kubernetes.io/docs/reference/access-authn-authz/rbac/, "Referring to resources").
        """
        metadata = k8s.meta.v1.ObjectMetaArgs(
            name=QUEUE_AMOUNTS, namespace=namespace, labels=service_labels(SERVICE)
        )
        k8s.core.v1.ConfigMap(name, metadata=metadata, opts=child)
        account = k8s.meta.v1.ObjectMetaArgs(name=ARCHER, namespace=namespace, labels=service_labels(ARCHER))
        grant_group(f"{name}-{ARCHER}", account, AMOUNTS_RIGHTS, child, group=ARCHER_GROUP)
