"""The service that keeps YuniKorn's queues to what a cluster has at this time."""

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as k8s

from moka.components.kubernetes.rbac import Right, grant
from moka.components.kubernetes.service import Service, ServiceArgs, service_labels, service_metadata
from moka.components.ordering import known_after
from moka.names import QUEUE_CALENDAR, YUNIKORN_CONFIGS

SERVICE = "queue-keeper"

OWN_RIGHTS = (Right("", "configmaps", ("get",), (QUEUE_CALENDAR,)),)

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
    files: of ConfigMap `queue-calendar`, by name: the queues as the settings have them, and what they are
        shares of and when, as `moka.queues.keeper_input.data` writes them.
    """

    image: str
    namespace: pulumi.Input[str]
    files: Mapping[str, str]


class QueueKeeper(Service):
    """Pulumi type `moka:kubernetes:QueueKeeper`: the Service `queue-keeper`.

    Makes, besides what every Service does, ConfigMap `queue-calendar`. That is there after the service, and
    goes before it: without a calendar, it takes back what it keeps.
    """

    def __init__(self, name: str, args: QueueKeeperArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        service = ServiceArgs(service=SERVICE, image=args.image, namespace=args.namespace, rights=OWN_RIGHTS)
        super().__init__(name, service, opts)
        k8s.core.v1.ConfigMap(
            f"{name}-calendar",
            # `namespace` of a Service is known once it runs.
            metadata=k8s.meta.v1.ObjectMetaArgs(
                name=QUEUE_CALENDAR, namespace=self.namespace, labels=service_labels(SERVICE)
            ),
            data=args.files,
            opts=pulumi.ResourceOptions(parent=self),
        )
