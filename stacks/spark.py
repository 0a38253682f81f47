"""Layer spark: the Spark Operator, and the namespaces in which jobs run."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi

from components.aws.pod_identity import PodIdentity, PodIdentityArgs
from components.aws.policy import Statement
from components.kubernetes.job_namespace import SERVICE_ACCOUNT, JobNamespace, JobNamespaceArgs
from components.kubernetes.namespace import Namespace, NamespaceArgs
from components.kubernetes.spark_operator import SparkOperator, SparkOperatorArgs
from stacks.on_cluster import OnCluster


@dataclass(frozen=True, kw_only=True)
class SparkInputs:
    """What differs between clusters.

    job_namespaces: names of the namespaces in which jobs run.
    event_logs_bucket_arn: bucket that jobs write their event logs to.
    key_arn: key that encrypts it.
    ui_domain: domain of the UIs of running applications.
    ingress_class: class of those UIs' Ingresses.
    """

    job_namespaces: Sequence[str]
    event_logs_bucket_arn: pulumi.Input[str]
    key_arn: pulumi.Input[str]
    ui_domain: str
    ingress_class: pulumi.Input[str]


@dataclass(frozen=True, kw_only=True)
class SparkOutputs:
    """What those who submit jobs need.

    job_namespaces: known once jobs can be submitted there.
    service_account: of drivers, in each of them.
    """

    job_namespaces: pulumi.Input[Sequence[str]]
    service_account: pulumi.Input[str]


def deploy(where: OnCluster, inputs: SparkInputs) -> SparkOutputs:
    """Make the job namespaces with what their jobs may do, and the operator that runs the jobs."""
    spaces, identities = [], []
    for name in inputs.job_namespaces:
        spaces.append(JobNamespace(f"{where.name}-{name}", JobNamespaceArgs(name=name), where.opts))
        identities.append(
            PodIdentity(
                f"{where.name}-{name}",
                PodIdentityArgs(
                    cluster_name=where.eks_name,
                    namespace=name,
                    service_account=SERVICE_ACCOUNT,
                    statements=_event_log_writing(inputs),
                ),
                where.opts,
            )
        )
    namespace = Namespace(f"{where.name}-spark-operator", NamespaceArgs(name="spark-operator"), where.opts)
    operator = SparkOperator(
        f"{where.name}-spark-operator",
        SparkOperatorArgs(
            catalog=where.catalog,
            namespace=namespace.name,
            job_namespaces=[space.name for space in spaces],
            ui_domain=inputs.ui_domain,
            ingress_class=inputs.ingress_class,
        ),
        where.opts,
    )
    ready = pulumi.Output.all(operator.namespace, *[identity.association_id for identity in identities])
    names = list(inputs.job_namespaces)
    return SparkOutputs(
        job_namespaces=ready.apply(lambda _: names), service_account=ready.apply(lambda _: SERVICE_ACCOUNT)
    )


def _event_log_writing(inputs: SparkInputs) -> list[Statement]:
    bucket = pulumi.Output.from_input(inputs.event_logs_bucket_arn)
    return [
        Statement(sid="FindEventLogs", actions=("s3:ListBucket",), resources=[bucket]),
        Statement(
            sid="WriteEventLogs",
            actions=("s3:GetObject", "s3:PutObject", "s3:AbortMultipartUpload"),
            resources=[bucket.apply(lambda arn: f"{arn}/*")],
        ),
        Statement(
            sid="EncryptEventLogs",
            actions=("kms:Decrypt", "kms:GenerateDataKey"),
            resources=[inputs.key_arn],
        ),
    ]
