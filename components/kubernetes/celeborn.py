"""Celeborn: keeps the shuffle data of jobs that ask for it, apart from their executors."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import pulumi
import pulumi_kubernetes as k8s

from moka.catalog import Catalog
from moka.celeborn import configuration as conf
from moka.celeborn.configuration import Quota, WorkerSet
from moka.components.kubernetes import celeborn_members as members
from moka.components.kubernetes.celeborn_disks import (
    NodeFolder,
    Volumes,
    master_disks,
    worker_disks,
    worker_folders,
)
from moka.components.kubernetes.celeborn_members import NOT_EVICTED, Group
from moka.components.kubernetes.celeborn_network import network_policy
from moka.components.kubernetes.rbac import Right, grant
from moka.components.kubernetes.rollouts import with_time_for
from moka.components.ordering import after, known_after
from moka.names import ZONE_LABEL
from moka.sizes.celeborn import MasterSize, WorkerSize

__all__ = ["Celeborn", "CelebornArgs", "MasterSize", "NodeFolder", "Quota", "Volumes", "WorkerSize"]

MASTERS = 3
"""They vote, so an odd number; each on a node of its own."""

STOP_MARGIN_SECONDS = 120
"""Time that a pod has beyond what Celeborn takes to stop."""


@dataclass(frozen=True, kw_only=True)
class CelebornArgs:
    """What differs between clusters.

    storage_class: of the masters' volumes, on which they keep what they agreed on.
    disks: where workers keep data; a change of kind or size replaces the workers.
    worker: what each worker gets; one a node, on nodes with role shuffle.
    master: what each master gets.
    workers: how many. A surplus one waits until its data is no longer needed, then it is removed.
    zones: of their nodes. In several, workers know theirs, and a job can have its copies in two. A change of
        the zones replaces the workers.
    masters: an odd number, each on a node of its own; a change needs care, they vote.
    master_zones: in how many zones there are nodes for masters. They keep to their zone: so do their volumes.
    drain_hours: that a worker which is removed waits for its data to be no longer needed, at most.
    quotas: by tenant; the others have none. A change reaches Celeborn in a few minutes, without a restart.
    job_namespaces: whose drivers and executors may connect.
    catalog: pins, values and mirror of charts and images.
    namespace: in which it is; it exists.
    """

    catalog: Catalog
    namespace: pulumi.Input[str]
    storage_class: pulumi.Input[str]
    disks: Volumes | NodeFolder
    worker: WorkerSize
    master: MasterSize
    workers: int = 3
    zones: Sequence[str] = ()
    masters: int = MASTERS
    master_zones: int = 3
    drain_hours: int = 6
    quotas: Mapping[str, Quota] = field(default_factory=dict)
    job_namespaces: Sequence[str] = ()


class Celeborn(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:Celeborn`.

    Makes: ConfigMap `celeborn`; NetworkPolicy `celeborn` for all pods of the namespace; for `celeborn-master`
    and `celeborn-worker` each a headless Service and a PodDisruptionBudget that lets one go at a time;
    StatefulSet `celeborn-master`; StatefulSet `celeborn-worker`, or `celeborn-worker-<zone>` for each of
    several zones; ServiceAccount `celeborn-worker`, with which a worker may ask how many there are to be.
    Outputs: `namespace`, and `endpoints` of the masters as clients name them, known only once masters and
    workers are ready.
    """

    namespace: pulumi.Output[str]
    endpoints: pulumi.Output[str]

    def __init__(self, name: str, args: CelebornArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("moka:kubernetes:Celeborn", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)
        namespace = pulumi.Output.from_input(args.namespace)
        sets = conf.worker_sets(args.workers, args.zones)
        files = namespace.apply(
            lambda namespace: conf.files(
                namespace,
                args.masters,
                worker_folders(args.disks),
                args.disks.gib,
                args.disks.reserve,
                args.drain_hours,
                rack_aware=len(sets) > 1,
            )
        )
        configuration = k8s.core.v1.ConfigMap(
            name,
            metadata=k8s.meta.v1.ObjectMetaArgs(name="celeborn", namespace=namespace),
            data=files.apply(lambda files: {**files, conf.DYNAMIC_FILE: conf.dynamic(args.quotas)}),
            opts=child,
        )

        network_policy(name, namespace, args.job_namespaces, child)

        group = partial(
            Group,
            namespace=namespace,
            image=args.catalog.image("celeborn"),
            files=files,
        )
        masters = group(
            role="master",
            node_role="system",
            size=args.master,
            ports={"rpc": conf.MASTER_PORT, "http": conf.MASTER_HTTP_PORT, "ratis": conf.RATIS_PORT},
            disks=master_disks(args.storage_class),
            grace_seconds=conf.HANDOVER_SECONDS + STOP_MARGIN_SECONDS,
        )
        service = members.service(f"{name}-master", masters, child)
        members.disruption_budget(f"{name}-master", masters, child)
        master_set = members.stateful_set(
            f"{name}-master",
            masters,
            set_name=masters.name,
            replicas=args.masters,
            zone=None,
            spread=[zones_apart(masters.labels, min(args.masters, args.master_zones))],
            service_account=None,
            opts=after(
                with_time_for(child, args.masters, grace_seconds=masters.grace_seconds),
                service,
                configuration,
            ),
        )

        workers = group(
            role="worker",
            node_role="shuffle",
            size=args.worker,
            ports={**conf.WORKER_PORTS, "http": conf.WORKER_HTTP_PORT},
            disks=worker_disks(args.disks),
            grace_seconds=worker_grace_seconds(args.drain_hours),
            drains=True,
            annotations=NOT_EVICTED,
        )
        service = members.service(f"{name}-worker", workers, child)
        members.disruption_budget(f"{name}-worker", workers, child)
        account = self._account(f"{name}-worker", workers, sets)
        # An update waits as long as it takes: the engine's own limit, ten minutes, is that of one worker.
        timeouts = pulumi.CustomTimeouts(update=f"{update_hours(args.workers, args.drain_hours)}h")
        # Masters first, and then zone after zone: a copy of what one zone does not serve is in another.
        stateful_sets = [master_set]
        for worker_set in sets:
            stateful_sets.append(
                members.stateful_set(
                    # Carries the zone: one more leaves the others, and what they store, as they are.
                    f"{name}-worker" if worker_set.zone is None else f"{name}-worker-{worker_set.zone}",
                    workers,
                    set_name=worker_set.name,
                    replicas=worker_set.count,
                    zone=worker_set.zone,
                    spread=[],
                    service_account=account,
                    opts=pulumi.ResourceOptions.merge(
                        after(child, service, configuration, stateful_sets[-1]),
                        pulumi.ResourceOptions(custom_timeouts=timeouts),
                    ),
                )
            )

        self.namespace = known_after(namespace, *[stateful_set.id for stateful_set in stateful_sets])
        self.endpoints = self.namespace.apply(lambda namespace: conf.endpoints(namespace, args.masters))
        self.register_outputs({"namespace": self.namespace, "endpoints": self.endpoints})

    def _account(self, name: str, workers: Group, sets: Sequence[WorkerSet]) -> pulumi.Output[str]:
        """Service account of the workers: they may only ask how many of them there are to be."""
        child = pulumi.ResourceOptions(parent=self)
        metadata = k8s.meta.v1.ObjectMetaArgs(name=workers.name, namespace=workers.namespace)
        account = k8s.core.v1.ServiceAccount(
            name, metadata=metadata, automount_service_account_token=False, opts=child
        )
        scale = Right("apps", "statefulsets/scale", ("get",), [worker_set.name for worker_set in sets])
        bound = known_after(workers.name, account.id)
        binding = grant(name, metadata, [scale], child, account=bound, account_namespace=workers.namespace)
        return known_after(workers.name, binding.id)


def zones_apart(labels: dict[str, str], zones: int) -> k8s.core.v1.TopologySpreadConstraintArgs:
    """Pods with these labels are spread evenly, over so many zones at least; else one waits."""
    return k8s.core.v1.TopologySpreadConstraintArgs(
        max_skew=1,
        min_domains=zones,
        topology_key=ZONE_LABEL,
        when_unsatisfiable="DoNotSchedule",
        label_selector=k8s.meta.v1.LabelSelectorArgs(match_labels=labels),
    )


def worker_grace_seconds(drain_hours: int) -> int:
    """Seconds that a worker's pod has to stop: more than a restart, and more than its wait when it leaves."""
    return max(conf.RESTART_SECONDS, drain_hours * 3600) + STOP_MARGIN_SECONDS


def update_hours(workers: int, drain_hours: int) -> int:
    """Hours that a change of the workers may take, one restarted after the other or some removed."""
    restarts = workers * (conf.RESTART_SECONDS + STOP_MARGIN_SECONDS + conf.HEARTBEAT_TIMEOUT_SECONDS) / 3600
    return drain_hours + math.ceil(restarts)
