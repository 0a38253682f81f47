"""Layer history: the Spark History Server, once per environment, where the event logs are."""

from dataclasses import dataclass

import pulumi

from components.aws.bucket_access import bucket_statements
from components.kubernetes.history_server import HistoryServer, HistoryServerArgs
from components.kubernetes.namespace import Namespace, NamespaceArgs
from components.kubernetes.storage_class import StorageClass, StorageClassArgs
from moka.names import HISTORY_IDENTITY, HISTORY_SERVER, SPARK_HISTORY_NAMESPACE
from moka.sizes.history import HistorySize
from stacks.layer_table import HOME
from stacks.layers import foundation
from stacks.settings.history import History as HistorySettings
from stacks.site import ClusterSite


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """What differs between environments.

    bucket, bucket_arn: of the event logs. key_arn: key that encrypts them.
    host: name that the UI is reached by.
    history: the server, as the settings have it.
    """

    bucket: pulumi.Input[str]
    bucket_arn: pulumi.Input[str]
    key_arn: pulumi.Input[str]
    host: str
    history: HistorySettings


@dataclass(frozen=True, kw_only=True)
class Outputs:
    """url: of the UI, known once it serves."""

    url: pulumi.Input[str]


def inputs(site: ClusterSite) -> Inputs:
    """What the layer needs on the home cluster."""
    home = site.outputs(HOME, foundation.Outputs)
    return Inputs(
        bucket=foundation.at_home(home.event_logs_bucket),
        bucket_arn=foundation.at_home(home.event_logs_bucket_arn),
        key_arn=home.key_arn,
        host=site.settings.history_host,
        history=site.settings.history,
    )


def deploy(site: ClusterSite, inputs: Inputs) -> Outputs:
    """Make the History Server, which may read the event logs and nothing else."""
    history = inputs.history
    storage = StorageClass(f"{site.name}-history", StorageClassArgs(name=SPARK_HISTORY_NAMESPACE), site.opts)
    namespace = Namespace(
        f"{site.name}-history",
        NamespaceArgs(name=SPARK_HISTORY_NAMESPACE, pod_security="restricted"),
        site.opts,
    )
    identity = site.allow(
        HISTORY_IDENTITY,
        SPARK_HISTORY_NAMESPACE,
        HISTORY_SERVER,
        # Not by prefix: without the right to find a key, S3 answers "forbidden" where there is none.
        bucket_statements("EventLogs", "read", inputs.bucket_arn, inputs.key_arn),
    )
    server = HistoryServer(
        f"{site.name}-history",
        HistoryServerArgs(
            image=history.image,
            namespace=namespace.name,
            bucket=inputs.bucket,
            region=site.region,
            storage_class=storage.name,
            size=HistorySize(cpu=history.cpu, heap_gib=history.heap_gib, store_gib=history.store_gib),
            replicas=history.replicas,
            interval_seconds=history.interval_seconds,
        ),
        # Pods that start before their identity is there run without it.
        site.after(identity),
    )
    return Outputs(url=server.namespace.apply(lambda _: f"http://{inputs.host}"))
