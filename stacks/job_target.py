"""The `JobTarget` of a cluster, from the settings and the outputs of other layers."""

from collections.abc import Mapping
from typing import Any

from moka.jobs.job_target import Celeborn, CelebornDefault, EventLogUploader, JobTarget
from moka.machines.machine_capacity import NodeGroupShape, largest_gpu_machines, largest_machines
from moka.names import DRIVER_FINALIZER, SPARK_ACCOUNT, priority_class
from moka.queues.bounds import maxima
from moka.queues.tiers import POLICIES
from stacks.settings import Environment
from stacks.settings.spark import queue_patterns


def job_target(
    settings: Environment,
    cluster: str,
    event_logs_bucket: str,
    staging_bucket: str,
    celeborn: Mapping[str, Any] | None,
) -> JobTarget:
    """What jobs have to know of a cluster.

    celeborn: outputs of layer shuffle; None where the cluster has no Celeborn.
    """
    groups = [
        NodeGroupShape(
            role=group.role,
            architecture=group.architecture,
            instance_types=group.instance_types,
            max_pods=group.max_pods,
        )
        for group in settings.clusters[cluster].node_groups.values()
    ]
    return JobTarget(
        cluster=cluster,
        environment=settings.environment,
        region=settings.foundation_of(cluster).region,
        queues=maxima(settings.queue_tree(cluster)),
        namespaces=list(settings.job_namespaces),
        priority_classes={tier: priority_class(tier) for tier in POLICIES},
        machines=largest_machines(groups),
        gpu_machines=largest_gpu_machines(groups),
        staging={name: f"s3a://{staging_bucket}/{name}/" for name in settings.job_namespaces},
        data=[f"s3a://{use.bucket}/" for use in settings.uses.values()],
        images={str(version): image for version, image in settings.spark.images.items()},
        ui_domain=settings.ui_domain(cluster),
        history_url=settings.history_url,
        ui_scheme=settings.ui_scheme,
        service_account=SPARK_ACCOUNT,
        host_paths={name: space.host_paths for name, space in settings.job_namespaces.items()},
        claims=queue_patterns(settings.job_namespaces),
        celeborn=None if celeborn is None else Celeborn(**celeborn),
        celeborn_default=_celeborn_default(settings),
        finalizer=DRIVER_FINALIZER if settings.services.driver_finalizer else None,
        event_log_uploader=_event_log_uploader(settings, event_logs_bucket),
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
