"""The service that records what was used on a cluster."""

from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as k8s

from moka.components.aws.bucket_access import bucket_statements
from moka.components.aws.pod_identity import OF_CLUSTER
from moka.components.aws.policy import Statement
from moka.components.kubernetes import yunikorn
from moka.components.kubernetes.egress import anywhere, names, pod_identity, to
from moka.components.kubernetes.job_network import HTTPS_PORT
from moka.components.kubernetes.peers import peer
from moka.components.kubernetes.rbac import Right, grant_everywhere
from moka.components.kubernetes.scraped_service import Egress, scraped_only
from moka.components.kubernetes.service import Service, ServiceArgs, service_labels
from moka.components.ordering import known_after
from moka.names import USAGE_RECORDER, YUNIKORN_NAMESPACE
from moka.usage import places

PORT = 8080

NODE_RIGHTS = (Right("", "nodes", ("get",)),)
"""YuniKorn does not tell the types of machines; a node's label does."""


def permissions(
    cluster: str, bucket_arn: pulumi.Input[str], key_arn: pulumi.Input[str] | None
) -> list[Statement]:
    """What it may do in the bucket of what was used: all with its cluster's own records, and read the
    summaries that Fluent Bit brings.

    cluster: name in the settings.
    """
    prefixes = places.record_prefixes(cluster, OF_CLUSTER)
    return [
        *bucket_statements("UsageRecords", "record", bucket_arn, key_arn, under=prefixes),
        # It is the same key.
        *bucket_statements("Summaries", "read", bucket_arn, None, under=f"{OF_CLUSTER}/yunikorn/"),
    ]


@dataclass(frozen=True, kw_only=True)
class UsageRecorderRoleArgs:
    """namespace: of the service."""

    namespace: pulumi.Input[str]


class UsageRecorderRole(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:UsageRecorderRole`.

    Makes: ClusterRole and ClusterRoleBinding `usage-recorder`, for the service's ServiceAccount.
    Outputs: `namespace` of the service, known only once it may read nodes.
    """

    namespace: pulumi.Output[str]

    def __init__(
        self, name: str, args: UsageRecorderRoleArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("moka:kubernetes:UsageRecorderRole", name, {}, opts)
        binding = grant_everywhere(
            name,
            k8s.meta.v1.ObjectMetaArgs(name=USAGE_RECORDER, labels=service_labels(USAGE_RECORDER)),
            NODE_RIGHTS,
            pulumi.ResourceOptions(parent=self),
            account=USAGE_RECORDER,
            account_namespace=args.namespace,
        )
        self.namespace = known_after(args.namespace, binding.id)
        self.register_outputs({"namespace": self.namespace})


@dataclass(frozen=True, kw_only=True)
class UsageRecorderArgs:
    """What differs between clusters.

    image: reference of the service's image, for every architecture of the system nodes.
    namespace: of the service, known once it may read nodes.
    cluster, eks_cluster: name in the settings, and in EKS.
    scheduler_url: of YuniKorn's REST API.
    bucket, region: of what was used, at home.
    """

    image: str
    namespace: pulumi.Input[str]
    cluster: str
    eks_cluster: pulumi.Input[str]
    scheduler_url: pulumi.Input[str]
    bucket: pulumi.Input[str]
    region: str


class UsageRecorder(Service):
    """Pulumi type `moka:kubernetes:UsageRecorder`: the Service `usage-recorder`.

    Makes, besides what every Service does, NetworkPolicies: collectors of metrics reach it; it reaches the
    scheduler, the API server and AWS.
    """

    def __init__(
        self, name: str, args: UsageRecorderArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        service = ServiceArgs(
            service=USAGE_RECORDER,
            image=args.image,
            namespace=args.namespace,
            args=[
                f"--cluster={args.cluster}",
                pulumi.Output.concat("--eks-cluster=", args.eks_cluster),
                pulumi.Output.concat("--scheduler=", args.scheduler_url),
                pulumi.Output.concat("--bucket=", args.bucket),
                f"--region={args.region}",
            ],
            # For parts on their way, and those of a day that become one.
            disk="4Gi",
            port=PORT,
            # As much as 10,000 allocations a second take; it uses what it needs (docs/benchmarks.md).
            cpu="250m",
            memory="512Mi",
            memory_limit="2Gi",
        )
        super().__init__(name, service, opts)
        scraped_only(
            name,
            USAGE_RECORDER,
            args.namespace,
            PORT,
            way_out(),
            pulumi.ResourceOptions(parent=self),
        )


def way_out() -> list[Egress]:
    """Where it connects to; addresses of the API server and of S3 are not known."""
    scheduler = peer(YUNIKORN_NAMESPACE, yunikorn.labels(yunikorn.SCHEDULER))
    return [names(), anywhere([HTTPS_PORT]), pod_identity(), to([scheduler], [yunikorn.API_PORT])]
