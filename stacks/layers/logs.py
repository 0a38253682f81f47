"""Layer logs: what containers print, kept in S3."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi

from moka.components.aws.bucket_access import bucket_statements
from moka.components.aws.pod_identity import OF_CLUSTER
from moka.components.kubernetes.fluent_bit import FluentBit, FluentBitArgs
from moka.components.kubernetes.namespace import Namespace, NamespaceArgs
from moka.names import FLUENT_BIT_ACCOUNT, FLUENT_BIT_IDENTITY, LOGGING_NAMESPACE
from moka.sizes.fluent_bit import FluentBitSize
from stacks.layer_table import HOME
from stacks.layers import foundation
from stacks.site import ClusterSite


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """What differs between clusters.

    job_namespaces: the namespaces whose pods are jobs.
    job_logs_bucket, job_logs_bucket_arn: where logs of drivers and executors go.
    system_logs_bucket, system_logs_bucket_arn: where logs of all other pods, and of nodes, go.
    key_arn: key that encrypts both.
    usage_bucket, usage_bucket_arn, usage_region: at home, where summaries of applications go.
    usage_key_arn: key that encrypts them.
    size: how long uploads wait, and what a node keeps while S3 is away.
    """

    job_namespaces: Sequence[str]
    job_logs_bucket: pulumi.Input[str]
    job_logs_bucket_arn: pulumi.Input[str]
    system_logs_bucket: pulumi.Input[str]
    system_logs_bucket_arn: pulumi.Input[str]
    key_arn: pulumi.Input[str]
    usage_bucket: pulumi.Input[str]
    usage_bucket_arn: pulumi.Input[str]
    usage_region: str
    usage_key_arn: pulumi.Input[str]
    size: FluentBitSize


@dataclass(frozen=True, kw_only=True)
class Outputs:
    """namespace: known once logs are read on every node."""

    namespace: pulumi.Input[str]


def inputs(site: ClusterSite) -> Inputs:
    """What the layer needs on a cluster."""
    base = site.outputs("foundation", foundation.Outputs)
    home = site.outputs(HOME, foundation.Outputs)
    return Inputs(
        job_namespaces=list(site.settings.job_namespaces),
        job_logs_bucket=base.job_logs_bucket,
        job_logs_bucket_arn=base.job_logs_bucket_arn,
        system_logs_bucket=base.system_logs_bucket,
        system_logs_bucket_arn=base.system_logs_bucket_arn,
        key_arn=base.key_arn,
        usage_bucket=foundation.at_home(home.resource_usage_bucket),
        usage_bucket_arn=foundation.at_home(home.resource_usage_bucket_arn),
        usage_region=site.settings.foundations[site.settings.home_foundation].region,
        usage_key_arn=home.key_arn,
        size=site.settings.logs.size,
    )


def deploy(site: ClusterSite, inputs: Inputs) -> Outputs:
    """Make Fluent Bit on every node, which may put its cluster's logs into the buckets and nothing else."""
    namespace = Namespace(
        f"{site.name}-logging", NamespaceArgs(name=LOGGING_NAMESPACE, pod_security="privileged"), site.opts
    )
    identity = site.allow(
        FLUENT_BIT_IDENTITY,
        LOGGING_NAMESPACE,
        FLUENT_BIT_ACCOUNT,
        [
            *bucket_statements(
                "JobLogs", "add", inputs.job_logs_bucket_arn, inputs.key_arn, under=f"{OF_CLUSTER}/"
            ),
            *bucket_statements(
                "SystemLogs", "add", inputs.system_logs_bucket_arn, inputs.key_arn, under=f"{OF_CLUSTER}/"
            ),
            *bucket_statements(
                "ResourceUsage",
                "add",
                inputs.usage_bucket_arn,
                inputs.usage_key_arn,
                under=f"{OF_CLUSTER}/yunikorn/",
            ),
        ],
    )
    fluent_bit = FluentBit(
        f"{site.name}-fluent-bit",
        FluentBitArgs(
            catalog=site.catalog,
            namespace=namespace.name,
            cluster=site.eks_name,
            job_namespaces=inputs.job_namespaces,
            job_logs_bucket=inputs.job_logs_bucket,
            system_logs_bucket=inputs.system_logs_bucket,
            region=site.region,
            usage_bucket=inputs.usage_bucket,
            usage_region=inputs.usage_region,
            size=inputs.size,
        ),
        # Pods that start before their identity is there run without it.
        site.after(identity),
    )
    return Outputs(namespace=fluent_bit.namespace)
