"""Layer history: the Spark History Server, once per environment, where the event logs are."""

from dataclasses import dataclass

import pulumi

from components.aws.bucket_access import bucket_statements
from components.kubernetes.history_server import SERVICE_ACCOUNT, HistoryServer, HistoryServerArgs
from components.kubernetes.namespace import Namespace, NamespaceArgs
from stacks.on_cluster import OnCluster

NAMESPACE = "spark-history"


@dataclass(frozen=True, kw_only=True)
class HistoryInputs:
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
class HistoryOutputs:
    """url: of the UI, known once it serves."""

    url: pulumi.Input[str]


def deploy(where: OnCluster, inputs: HistoryInputs) -> HistoryOutputs:
    """Make the History Server, which may read the event logs and nothing else."""
    namespace = Namespace(f"{where.name}-history", NamespaceArgs(name=NAMESPACE), where.opts)
    identity = where.allow(
        "history",
        NAMESPACE,
        SERVICE_ACCOUNT,
        bucket_statements("EventLogs", "read", inputs.bucket_arn, inputs.key_arn),
    )
    server = HistoryServer(
        f"{where.name}-history",
        HistoryServerArgs(
            catalog=where.catalog,
            namespace=namespace.name,
            bucket=inputs.bucket,
            region=where.region,
            host=inputs.host,
            ingress_class=inputs.ingress_class,
        ),
        # Pods that start before their identity is there run without it.
        where.after(identity),
    )
    return HistoryOutputs(url=server.url)
