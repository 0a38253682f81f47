"""The `JobTarget` of a cluster, from the settings and the outputs of other layers."""

from collections.abc import Mapping, Sequence
from typing import Any

from moka.jobs.job_target import Celeborn, CelebornDefault, EventLogUploader, JobTarget, Metastore, OwnNodes
from moka.machines.machine_capacity import NodeGroupShape, largest_gpu_machines, largest_machines
from moka.machines.zone_capacity import ZoneCapacity, zone_capacities
from moka.names import DRIVER_FINALIZER, SPARK_ACCOUNT, priority_class
from moka.queues.bounds import maxima
from moka.queues.tiers import POLICIES
from stacks.settings import Environment
from stacks.settings.cluster import NodeGroup
from stacks.settings.metastore import Metastore as MetastoreSettings
from stacks.settings.node_group_plan import NodeGroupPlan, node_group_plans, share
from stacks.settings.spark import executor_bounds, queue_patterns


def job_target(
    settings: Environment,
    cluster: str,
    event_logs_bucket: str,
    data: Mapping[str, Mapping[str, str]],
    celeborn: Mapping[str, Any] | None,
) -> JobTarget:
    """What jobs have to know of a cluster.

    data: namespace -> its buckets, `staging_bucket` and `code_bucket`, among others.
    celeborn: outputs of layer shuffle; None where the cluster has no Celeborn.
    """
    nodes = _nodes(settings, cluster, None)
    region = settings.foundation_of(cluster).region
    return JobTarget(
        cluster=cluster,
        environment=settings.environment,
        region=region,
        queues=maxima(settings.queue_tree(cluster)),
        namespaces=list(settings.job_namespaces),
        priority_classes={tier: priority_class(tier) for tier in POLICIES},
        machines=nodes.machines,
        gpu_machines=nodes.gpu_machines,
        staging={name: f"s3a://{buckets['staging_bucket']}/{name}/" for name, buckets in data.items()},
        code={name: f"s3a://{buckets['code_bucket']}/{name}/" for name, buckets in data.items()},
        readable={
            name: [folder for use in space.uses for folder in settings.uses[use].folders]
            for name, space in settings.job_namespaces.items()
        },
        bucket_regions={use.bucket: use.region_of(region) for use in settings.uses.values()},
        images={str(version): image for version, image in settings.spark.images.items()},
        ui_domain=settings.ui_domain(cluster),
        history_url=settings.history_url,
        ui_scheme=settings.ui_scheme,
        service_account=SPARK_ACCOUNT,
        host_paths={name: space.host_paths for name, space in settings.job_namespaces.items()},
        claims=queue_patterns(settings.job_namespaces),
        most_executors=executor_bounds(settings.job_namespaces),
        packages=settings.spark.packages,
        repositories=settings.spark.repositories,
        metastores={
            name: _metastore(settings, cluster, settings.metastores[space.metastore])
            for name, space in settings.job_namespaces.items()
            if space.metastore
        },
        executor_zones=nodes.executor_zones,
        own_nodes={name: _nodes(settings, cluster, name) for name in settings.clusters[cluster].own_nodes},
        executor_zone=settings.clusters[cluster].executor_zone,
        celeborn=None if celeborn is None else Celeborn(**celeborn),
        celeborn_zones=settings.role_zones(cluster, "shuffle") if celeborn else (),
        without_celeborn=settings.without_celeborn,
        celeborn_default=_celeborn_default(settings),
        finalizer=DRIVER_FINALIZER if settings.services.driver_finalizer else None,
        event_log_uploader=_event_log_uploader(settings, event_logs_bucket),
    )


def _metastore(settings: Environment, cluster: str, metastore: MetastoreSettings) -> Metastore:
    glue, foundation = metastore.glue, settings.foundation_of(cluster)
    return Metastore(
        warehouse=metastore.warehouse,
        thrift=metastore.thrift.addresses if metastore.thrift else (),
        glue_account=(glue.account or foundation.account) if glue else "",
        glue_region=(glue.region or foundation.region) if glue else "",
    )


def _nodes(settings: Environment, cluster: str, namespace: str | None) -> OwnNodes:
    """The nodes of a namespace; None: those that all others share."""
    groups = {
        name: group
        for name, group in settings.clusters[cluster].node_groups.items()
        if group.job_namespace == namespace
    }
    shapes = [_shape(group) for group in groups.values()]
    return OwnNodes(
        machines=largest_machines(shapes),
        gpu_machines=largest_gpu_machines(shapes),
        executor_zones=executor_zones(groups, settings.zones_of(cluster)),
    )


def executor_zones(groups: Mapping[str, NodeGroup], zones: Sequence[str]) -> list[ZoneCapacity]:
    """What executors can have in each zone, of the groups of which the zone of a node can be chosen.

    Of a group that spans zones the autoscaler cannot: it counts only if it never changes its size.
    zones: of the foundation.
    """
    return zone_capacities(
        (_shape(group), _nodes_by_zone(plan))
        for name, group in groups.items()
        if group.role == "executor"
        for plan in node_group_plans(name, group, zones)
        if not plan.retiring and plan.zone_known
    )


def _nodes_by_zone(plan: NodeGroupPlan) -> dict[str, int]:
    return {zone: share(plan.maximum, part, len(plan.zones)) for part, zone in enumerate(plan.zones)}


def _shape(group: NodeGroup) -> NodeGroupShape:
    return NodeGroupShape(
        role=group.role,
        architecture=group.architecture,
        instance_types=group.instance_types,
        max_pods=group.max_pods,
    )


def _celeborn_default(settings: Environment) -> CelebornDefault | None:
    default = settings.spark.celeborn
    return CelebornDefault(clients=list(default.clients), cores=default.cores) if default.clients else None


def _event_log_uploader(settings: Environment, bucket: str) -> EventLogUploader:
    return EventLogUploader(
        image=settings.services.event_log_uploader.image,
        bucket=bucket,
        region=settings.foundations[settings.home_foundation].region,
        seconds=settings.spark.event_logs.seconds,
    )
