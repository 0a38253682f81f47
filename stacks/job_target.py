"""The `JobTarget` of a cluster, from the settings and the outputs of other layers."""

from collections.abc import Mapping
from typing import Any

import pulumi

from moka.jobs.job_target import Celeborn, JobTarget
from moka.machines.machine_capacity import NodeGroupShape, largest_machines
from moka.names import DRIVER_FINALIZER, SPARK_ACCOUNT, priority_class
from moka.queues.maxima import maxima
from moka.queues.tiers import POLICIES
from stacks.layers import shuffle as shuffle_layer
from stacks.settings import Environment


def job_target(
    settings: Environment,
    cluster: str,
    event_logs_bucket: pulumi.Input[str],
    staging_bucket: pulumi.Input[str],
    shuffle: shuffle_layer.Outputs | None,
) -> pulumi.Output[Mapping[str, Any]]:
    """A `moka.jobs.job_target.JobTarget` of a cluster, as its outputs have it.

    shuffle: None where the cluster has no Celeborn.
    """
    celeborn = (
        None
        if shuffle is None
        else pulumi.Output.all(
            endpoints=shuffle.endpoints,
            version=shuffle.version,
            replicate=shuffle.replicate,
            rack_aware=shuffle.rack_aware,
        )
    )

    return pulumi.Output.all(event_logs_bucket, staging_bucket, celeborn).apply(
        lambda values: _job_target(settings, cluster, *values).as_outputs()
    )


def _job_target(
    settings: Environment, cluster: str, event_logs: str, staging: str, celeborn: Mapping[str, Any] | None
) -> JobTarget:
    cluster_settings = settings.clusters[cluster]
    return JobTarget(
        cluster=cluster,
        environment=settings.environment,
        region=settings.foundation_of(cluster).region,
        queues=maxima(settings.queue_tree(cluster)),
        namespaces=list(settings.job_namespaces),
        priority_classes={tier: priority_class(tier) for tier in POLICIES},
        machines=largest_machines(
            NodeGroupShape(
                role=group.role,
                architecture=group.architecture,
                instance_types=group.instance_types,
                max_pods=group.max_pods,
            )
            for group in cluster_settings.node_groups.values()
        ),
        event_logs=f"s3a://{event_logs}/",
        staging={name: f"s3a://{staging}/{name}/" for name in settings.job_namespaces},
        images={str(version): image for version, image in settings.spark.images.items()},
        ui_domain=settings.ui_domain(cluster),
        history_url=f"http://{settings.history_host}",
        service_account=SPARK_ACCOUNT,
        host_paths={name: space.host_paths for name, space in settings.job_namespaces.items()},
        celeborn=None if celeborn is None else Celeborn(**celeborn),
        finalizer=DRIVER_FINALIZER if settings.spark.driver_finalizer_image else None,
    )
