"""Layer history: the Spark History Server, once per environment, where the event logs are."""

from dataclasses import dataclass

import pulumi

from components.aws.bucket_access import bucket_statements
from components.kubernetes.history_server import SERVICE_ACCOUNT, HistoryServer, HistoryServerArgs
from components.kubernetes.namespace import Namespace, NamespaceArgs
from moka.names import HISTORY_IDENTITY, SPARK_HISTORY_NAMESPACE
from stacks.layer_table import HOME
from stacks.layers import foundation, ingress
from stacks.site import ClusterSite


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """What differs between environments.

    bucket, bucket_arn: of the event logs. key_arn: key that encrypts them.
    host: name that the UI is reached by.
    ingress_class: class of its Ingress.
    """

    bucket: pulumi.Input[str]
    bucket_arn: pulumi.Input[str]
    key_arn: pulumi.Input[str]
    host: str
    ingress_class: pulumi.Input[str]


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
        ingress_class=site.outputs("ingress", ingress.Outputs).ingress_class,
    )


def deploy(site: ClusterSite, inputs: Inputs) -> Outputs:
    """Make the History Server, which may read the event logs and nothing else."""
    namespace = Namespace(f"{site.name}-history", NamespaceArgs(name=SPARK_HISTORY_NAMESPACE), site.opts)
    identity = site.allow(
        HISTORY_IDENTITY,
        SPARK_HISTORY_NAMESPACE,
        SERVICE_ACCOUNT,
        bucket_statements("EventLogs", "read", inputs.bucket_arn, inputs.key_arn),
    )
    server = HistoryServer(
        f"{site.name}-history",
        HistoryServerArgs(
            catalog=site.catalog,
            namespace=namespace.name,
            bucket=inputs.bucket,
            region=site.region,
            host=inputs.host,
            ingress_class=inputs.ingress_class,
        ),
        # Pods that start before their identity is there run without it.
        site.after(identity),
    )
    return Outputs(url=server.url)
