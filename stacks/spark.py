"""Layer spark: the Spark Operator, and the namespaces in which jobs run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pulumi

from components.aws.bucket_access import access
from components.aws.partition import partition
from components.aws.pod_identity import OF_NAMESPACE
from components.aws.policy import Statement
from components.kubernetes.job_namespace import SERVICE_ACCOUNT, JobNamespace, JobNamespaceArgs
from components.kubernetes.namespace import Namespace, NamespaceArgs
from components.kubernetes.spark_operator import SparkOperator, SparkOperatorArgs
from stacks.on_cluster import OnCluster
from stacks.settings.environment import Use


@dataclass(frozen=True, kw_only=True)
class SparkInputs:
    """What differs between clusters.

    job_namespaces: names of the namespaces in which jobs run.
    event_logs_bucket_arn, event_logs_key_arn: bucket that jobs put their event logs into, and its key.
    staging_bucket_arn, staging_key_arn: bucket in which each namespace has the folder of its name.
    ui_domain: domain of the UIs of running applications.
    ingress_class: class of those UIs' Ingresses.
    uses: name -> data of other environments, which have to grant it, that jobs use.
    """

    job_namespaces: Sequence[str]
    event_logs_bucket_arn: pulumi.Input[str]
    event_logs_key_arn: pulumi.Input[str]
    staging_bucket_arn: pulumi.Input[str]
    staging_key_arn: pulumi.Input[str]
    ui_domain: str
    ingress_class: pulumi.Input[str]
    uses: Mapping[str, Use] = field(default_factory=dict)


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
    allowed = job_statements(inputs, partition(where.region))
    spaces, identities = [], []
    for name in inputs.job_namespaces:
        spaces.append(JobNamespace(f"{where.name}-{name}", JobNamespaceArgs(name=name), where.opts))
        identities.append(where.allow(name, name, SERVICE_ACCOUNT, allowed))
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


def job_statements(inputs: SparkInputs, partition: str) -> list[Statement]:
    """What every job may do in AWS; the same for all namespaces, which their sessions tell apart."""
    statements = [
        # A job adds its event logs, and sees those of no other.
        *access("EventLogs", "add", inputs.event_logs_bucket_arn, inputs.event_logs_key_arn),
        *access(
            "Staging", "write", inputs.staging_bucket_arn, inputs.staging_key_arn, under=f"{OF_NAMESPACE}/"
        ),
    ]
    for name, use in sorted(inputs.uses.items()):
        arn = f"arn:{partition}:s3:::{use.bucket}"
        statements += access(_words(name), use.access, arn, use.key)
    return statements


def _words(name: str) -> str:
    """A name of the settings in letters and digits alone: `prod-events` as `UseProdEvents`."""
    return "Use" + "".join(part.capitalize() for part in name.split("-"))
