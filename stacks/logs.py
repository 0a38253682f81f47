"""Layer logs: what containers print, kept in S3."""

from dataclasses import dataclass

import pulumi

from components.aws.pod_identity import PodIdentity, PodIdentityArgs
from components.aws.policy import Statement
from components.kubernetes.fluent_bit import SERVICE_ACCOUNT, FluentBit, FluentBitArgs
from components.kubernetes.namespace import Namespace, NamespaceArgs
from stacks.on_cluster import OnCluster

NAMESPACE = "logging"


@dataclass(frozen=True, kw_only=True)
class LogsInputs:
    """bucket, bucket_arn: where logs go. key_arn: key that encrypts them."""

    bucket: pulumi.Input[str]
    bucket_arn: pulumi.Input[str]
    key_arn: pulumi.Input[str]


@dataclass(frozen=True, kw_only=True)
class LogsOutputs:
    """namespace: known once logs are read on every node."""

    namespace: pulumi.Input[str]


def deploy(where: OnCluster, inputs: LogsInputs) -> LogsOutputs:
    """Make Fluent Bit on every node, with the permission to write to the bucket and no other."""
    namespace = Namespace(
        f"{where.name}-logging", NamespaceArgs(name=NAMESPACE, pod_security="privileged"), where.opts
    )
    identity = PodIdentity(
        f"{where.name}-fluent-bit",
        PodIdentityArgs(
            cluster_name=where.eks_name,
            namespace=NAMESPACE,
            service_account=SERVICE_ACCOUNT,
            statements=[
                Statement(
                    sid="WriteLogs",
                    actions=("s3:PutObject",),
                    resources=[pulumi.Output.from_input(inputs.bucket_arn).apply(lambda arn: f"{arn}/*")],
                ),
                Statement(sid="EncryptLogs", actions=("kms:GenerateDataKey",), resources=[inputs.key_arn]),
            ],
        ),
        where.opts,
    )
    fluent_bit = FluentBit(
        f"{where.name}-fluent-bit",
        FluentBitArgs(
            catalog=where.catalog,
            namespace=namespace.name,
            cluster=where.eks_name,
            bucket=inputs.bucket,
            region=where.region,
        ),
        # Pods that start before their identity is there run without it.
        pulumi.ResourceOptions.merge(where.opts, pulumi.ResourceOptions(depends_on=[identity])),
    )
    return LogsOutputs(namespace=fluent_bit.namespace)
