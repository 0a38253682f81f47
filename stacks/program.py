"""An environment put together: the only place where layers meet."""

from collections.abc import Callable
from typing import get_args

import pulumi

from components.aws.access_entry import ClusterAccess
from components.aws.network import NetworkArgs
from moka import catalog
from moka.catalog import Catalog
from stacks import job_target, sdk_tuning
from stacks.deployment import Deployment
from stacks.layers import access, cluster, foundation, history, logs, metrics, scheduling, shuffle, spark
from stacks.layers.access import AccessInputs, AccessOutputs
from stacks.layers.cluster import ClusterInputs, ClusterOutputs
from stacks.layers.foundation import FoundationInputs, FoundationOutputs, NetworkIds, RegistryInputs
from stacks.layers.history import HistoryInputs, HistoryOutputs
from stacks.layers.logs import LogsInputs, LogsOutputs
from stacks.layers.metrics import MetricsOutputs
from stacks.layers.scheduling import SchedulingInputs, SchedulingOutputs
from stacks.layers.shuffle import ShuffleOutputs
from stacks.layers.spark import SparkInputs, SparkOutputs
from stacks.on_cluster import Identity, OnCluster
from stacks.settings import Environment
from stacks.settings.environment import Data
from stacks.sharing import sharing
from stacks.shuffle_inputs import inputs_of
from stacks.slices import Slice

Foundations = dict[str, Callable[[], FoundationOutputs]]


def deploy(settings: Environment, piece: Slice) -> None:
    """Deploy what the slice holds of an environment, and export the outputs of each of its units.

    Raises CatalogError, before anything is registered, when the settings name a release that is not there.
    """
    charts = catalog.read(mirror=settings.charts.mirror, overrides=settings.charts.values)
    deployment = Deployment(settings, piece, charts)
    foundations = {name: _foundation(deployment, name) for name in settings.foundations}
    sdk_tuning.let_go()
    for name in settings.clusters:
        if piece.touches(name):
            _on_cluster(deployment, name, foundations)
            sdk_tuning.let_go()


def _foundation(deployment: Deployment, name: str) -> Callable[[], FoundationOutputs]:
    settings = deployment.settings
    place = settings.foundations[name]

    def make() -> FoundationOutputs:
        identity = _identity(settings, name)
        inputs = FoundationInputs(
            prefix=settings.prefix,
            account=place.account,
            region=place.region,
            accounts=settings.accounts,
            network=_network(settings, name),
            interface_endpoints=place.network is not None and place.network.interface_endpoints,
            home=name == settings.home_foundation,
            days={
                "event-logs": settings.retention.event_logs,
                "resource-usage": settings.retention.resource_usage,
                "staging": settings.retention.staging,
                "job-logs": settings.retention.job_logs,
                "system-logs": settings.retention.system_logs,
                "access-logs": settings.retention.access_logs,
                "flow-logs": settings.retention.flow_logs,
            },
            sharing={data: sharing(settings, name, data) for data in get_args(Data)},
            registry=_registry(settings, name, deployment.catalog),
            path=identity.path,
            permissions_boundary_arn=identity.permissions_boundary_arn,
            retain=settings.retain,
        )
        return foundation.deploy(name, inputs, pulumi.ResourceOptions(provider=deployment.aws(name)))

    return deployment.layer("foundation", name, FoundationOutputs, make)


def _network(settings: Environment, foundation_name: str) -> NetworkArgs | NetworkIds:
    """The VPC of a foundation: to be made, or there already."""
    place = settings.foundations[foundation_name]
    if place.network is None:
        assert place.existing_network is not None
        there = place.existing_network
        return NetworkIds(
            vpc_id=there.vpc,
            public_subnets=there.public_subnets,
            private_subnets=there.private_subnets,
            pod_subnets=there.pod_subnets,
        )
    return NetworkArgs(
        region=place.region,
        cidr=str(place.network.cidr),
        zones=tuple(place.network.zones),
        pod_cidrs=tuple(str(cidr) for cidr in place.network.pod_cidrs),
        nat=place.network.nat,
        retain=settings.retain,
    )


def _registry(settings: Environment, foundation_name: str, charts: Catalog) -> RegistryInputs | None:
    """The environment's registry, where a foundation has it: with a repository for each chart, too."""
    wanted = settings.registry
    if wanted is None or wanted.foundation != foundation_name:
        return None
    return RegistryInputs(
        repositories=(
            *(f"{settings.prefix}/{repository}" for repository in wanted.repositories),
            *(f"charts/{chart}" for chart in sorted(charts.charts)),
        ),
        pull_through={upstream: how.secret for upstream, how in wanted.pull_through.items()},
        readers=tuple(wanted.readers),
    )


def _cluster(deployment: Deployment, name: str, foundations: Foundations) -> Callable[[], ClusterOutputs]:
    settings = deployment.settings
    chosen = settings.clusters[name]
    place = settings.foundation_of(name)
    identity = _identity(settings, chosen.foundation)

    def make() -> ClusterOutputs:
        inputs = ClusterInputs(
            cluster_name=settings.eks_name(name),
            region=place.region,
            version=chosen.version,
            deployer=place.deployer,
            assume=place.assume,
            access={
                who: ClusterAccess(
                    principal_arn=access.principal, level=access.policy, namespaces=tuple(access.namespaces)
                )
                for who, access in chosen.access.items()
            },
            public_cidrs=tuple(str(cidr) for cidr in chosen.public_access),
            support=chosen.support,
            zonal_shift=chosen.zonal_shift,
            log_days=settings.retention.control_plane_logs,
            zones=tuple(place.zones),
            node_groups=chosen.node_groups,
            mirror=deployment.catalog.mirror,
            path=identity.path,
            permissions_boundary_arn=identity.permissions_boundary_arn,
            retain=settings.retain,
            tags=settings.resource_tags,
            foundation=foundations[chosen.foundation](),
        )
        return cluster.deploy(
            name, inputs, pulumi.ResourceOptions(provider=deployment.aws(chosen.foundation))
        )

    return deployment.layer("cluster", name, ClusterOutputs, make)


def _on_cluster(deployment: Deployment, name: str, foundations: Foundations) -> None:
    """A cluster and the layers on it, each given the outputs of those before it."""
    settings = deployment.settings
    chosen = settings.clusters[name]
    foundation_name = chosen.foundation
    base = foundations[foundation_name]
    home = foundations[settings.home_foundation]
    made = _cluster(deployment, name, foundations)

    def where() -> OnCluster:
        known = made()
        return OnCluster(
            name=name,
            eks_name=known.name,
            region=settings.foundation_of(name).region,
            catalog=deployment.catalog,
            identity=_identity(settings, foundation_name),
            opts=pulumi.ResourceOptions(
                providers=[
                    deployment.aws(foundation_name),
                    deployment.kubernetes(name, known.kubeconfig, known.arn),
                ]
            ),
        )

    deployment.layer(
        "scheduling",
        name,
        SchedulingOutputs,
        lambda: scheduling.deploy(
            where(),
            SchedulingInputs(
                queues=settings.queue_tree(name),
                job_namespaces=list(settings.job_namespaces),
                version=chosen.version,
                nodes=sum(group.maximum for group in chosen.node_groups.values()),
                autoscaled=any(group.minimum < group.maximum for group in chosen.node_groups.values()),
            ),
        ),
    )
    shuffled = (
        deployment.layer(
            "shuffle", name, ShuffleOutputs, lambda: shuffle.deploy(where(), inputs_of(settings, name))
        )
        if chosen.shuffle
        else lambda: None
    )
    ways_in = deployment.layer(
        "access",
        name,
        AccessOutputs,
        lambda: access.deploy(where(), AccessInputs(vpc_id=base().vpc_id, subnets=base().private_subnets)),
    )
    deployment.layer(
        "spark",
        name,
        SparkOutputs,
        lambda: spark.deploy(
            where(),
            SparkInputs(
                job_namespaces=settings.job_namespaces,
                operators=settings.spark.operators,
                driver_finalizer_image=settings.spark.driver_finalizer_image,
                event_logs_bucket_arn=_at_home(home().event_logs_bucket_arn),
                event_logs_key_arn=home().key_arn,
                staging_bucket_arn=base().staging_bucket_arn,
                staging_key_arn=base().key_arn,
                ui_domain=settings.ui_domain(name),
                ingress_class=ways_in().ingress_class,
                jobs=job_target.job_target(
                    settings,
                    name,
                    event_logs_bucket=_at_home(home().event_logs_bucket),
                    staging_bucket=base().staging_bucket,
                    shuffle=shuffled(),
                ),
                uses=settings.uses,
            ),
        ),
    )
    deployment.layer(
        "logs",
        name,
        LogsOutputs,
        lambda: logs.deploy(
            where(),
            LogsInputs(
                job_namespaces=list(settings.job_namespaces),
                job_logs_bucket=base().job_logs_bucket,
                job_logs_bucket_arn=base().job_logs_bucket_arn,
                system_logs_bucket=base().system_logs_bucket,
                system_logs_bucket_arn=base().system_logs_bucket_arn,
                key_arn=base().key_arn,
            ),
        ),
    )
    deployment.layer("metrics", name, MetricsOutputs, lambda: metrics.deploy(where()))
    if name == settings.home:
        deployment.layer(
            "history",
            name,
            HistoryOutputs,
            lambda: history.deploy(
                where(),
                HistoryInputs(
                    bucket=_at_home(home().event_logs_bucket),
                    bucket_arn=_at_home(home().event_logs_bucket_arn),
                    key_arn=home().key_arn,
                    host=settings.history_host,
                    ingress_class=ways_in().ingress_class,
                ),
            ),
        )


def _identity(settings: Environment, foundation_name: str) -> Identity:
    """What the roles of the environment in a foundation's account have in common."""
    return Identity(
        path=settings.role_path,
        permissions_boundary_arn=settings.foundations[foundation_name].permissions_boundary,
    )


def _at_home(given: pulumi.Input[str] | None) -> pulumi.Input[str]:
    """An output that the home foundation has and others lack."""
    assert given is not None, "asked of a foundation that is not home"
    return given
