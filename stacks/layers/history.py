"""Layer history: the Spark History Server, once per environment, where the event logs are."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi

from moka.components.aws.bucket_access import bucket_statements
from moka.components.kubernetes.history_gate import HistoryGate, HistoryGateArgs
from moka.components.kubernetes.history_server import HistoryServer, HistoryServerArgs
from moka.components.kubernetes.namespace import Namespace, NamespaceArgs
from moka.components.kubernetes.storage_class import StorageClass, StorageClassArgs
from moka.names import (
    HISTORY_GATE,
    HISTORY_GATE_IDENTITY,
    HISTORY_IDENTITY,
    HISTORY_SERVER,
    SPARK_HISTORY_NAMESPACE,
)
from moka.pages import ui_host
from moka.sizes.history import HistorySize
from stacks.job_logs import job_logs
from stacks.layer_table import HOME
from stacks.layers import foundation
from stacks.settings import Environment
from stacks.settings.history import History as HistorySettings
from stacks.settings.services import Service as ServiceSettings
from stacks.site import ClusterSite


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """What differs between environments.

    bucket, bucket_arn: of the event logs. key_arn: key that encrypts them.
    url: that the UI is reached by.
    history: the server, as the settings have it. gate: the service before it.
    live_url: of a running job's UI, with `{name}`, `{namespace}` and `{cluster}`.
    logs: where those of each cluster's jobs are shown, as the gate takes it.
    days: that event logs are kept.
    """

    bucket: pulumi.Input[str]
    bucket_arn: pulumi.Input[str]
    key_arn: pulumi.Input[str]
    url: str
    history: HistorySettings
    live_url: str
    logs: Sequence[str]
    days: int
    gate: ServiceSettings


@dataclass(frozen=True, kw_only=True)
class Outputs:
    """url: of the UI, known once it serves."""

    url: pulumi.Input[str]


def inputs(site: ClusterSite) -> Inputs:
    """What the layer needs on the home cluster."""
    home = site.outputs(HOME, foundation.Outputs)
    live_host = ui_host("{name}", "{namespace}", site.settings.ui_domain("{cluster}"))
    return Inputs(
        bucket=foundation.at_home(home.event_logs_bucket),
        bucket_arn=foundation.at_home(home.event_logs_bucket_arn),
        key_arn=home.key_arn,
        url=site.settings.history_url,
        history=site.settings.history,
        gate=site.settings.services.history_gate,
        live_url=f"{site.settings.ui_scheme}://{live_host}/",
        logs=_logs(site.settings),
        days=site.settings.retention.event_logs,
    )


def _logs(settings: Environment) -> list[str]:
    """Of each cluster, its name in the settings, its folder, and the page that shows a prefix of keys."""
    return [
        f"{cluster}={logs.folder}="
        + settings.history.logs_url.replace("{region}", logs.region).replace("{bucket}", logs.bucket)
        for cluster in sorted(settings.clusters)
        for logs in [job_logs(settings, cluster)]
    ]


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
        # All of the bucket: there is nothing else in it.
        bucket_statements("EventLogs", "read", inputs.bucket_arn, inputs.key_arn),
    )
    # It makes the folder that the server looks for when it starts.
    gate = _gate(site, inputs, namespace)
    server = HistoryServer(
        f"{site.name}-history",
        HistoryServerArgs(
            image=history.image,
            namespace=gate.namespace,
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
    return Outputs(url=server.namespace.apply(lambda _: inputs.url))


def _gate(site: ClusterSite, inputs: Inputs, namespace: Namespace) -> HistoryGate:
    """The service before the server, which may join logs."""
    identity = site.allow(
        HISTORY_GATE_IDENTITY,
        SPARK_HISTORY_NAMESPACE,
        HISTORY_GATE,
        bucket_statements("EventLogs", "join", inputs.bucket_arn, inputs.key_arn),
    )
    return HistoryGate(
        f"{site.name}-history",
        HistoryGateArgs(
            image=inputs.gate.image,
            namespace=namespace.name,
            bucket=inputs.bucket,
            region=site.region,
            replicas=inputs.history.replicas,
            live_url=inputs.live_url,
            logs=inputs.logs,
            days=inputs.days,
            interval_seconds=inputs.history.interval_seconds,
        ),
        site.after(identity),
    )
