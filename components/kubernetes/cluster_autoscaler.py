"""Cluster Autoscaler: node groups grow for pods that wait, and shrink when nothing is on a node."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi

from moka.catalog import Catalog
from moka.components.aws.policy import Statement
from moka.components.kubernetes.chart import Chart, ChartArgs
from moka.names import AUTOSCALER_ACCOUNT
from moka.partition import partition

DESCRIBE = (
    "autoscaling:DescribeAutoScalingGroups",
    "autoscaling:DescribeAutoScalingInstances",
    "autoscaling:DescribeLaunchConfigurations",
    "autoscaling:DescribeScalingActivities",
    "ec2:DescribeImages",
    "ec2:DescribeInstanceTypes",
    "ec2:DescribeLaunchTemplateVersions",
    "ec2:GetInstanceTypesFromInstanceRequirements",
)


@dataclass(frozen=True, kw_only=True)
class ClusterAutoscalerArgs:
    """What differs between clusters.

    namespace: of the autoscaler.
    cluster: name in EKS; its managed node groups are found by the tags that EKS gives them.
    version: Kubernetes version of the cluster, which decides the autoscaler's own.
    region: of the cluster.
    idle_minutes: that a node is empty before it goes; longer than executors without work stay.
    catalog: pins, values and mirror of charts and images.
    """

    catalog: Catalog
    namespace: pulumi.Input[str]
    cluster: pulumi.Input[str]
    version: str
    region: str
    idle_minutes: int = 10


class ClusterAutoscaler(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:ClusterAutoscaler`.

    Makes: a Chart, with service account `cluster-autoscaler`.
    Outputs: `namespace`, known only once node groups follow what pods need.
    Raises CatalogError for a Kubernetes version that charts-values/charts.yaml has no image for.
    """

    namespace: pulumi.Output[str]

    def __init__(
        self, name: str, args: ClusterAutoscalerArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("moka:kubernetes:ClusterAutoscaler", name, {}, opts)

        chart = Chart(
            name,
            ChartArgs(
                catalog=args.catalog,
                chart="cluster-autoscaler",
                namespace=args.namespace,
                values={
                    "autoDiscovery": {"clusterName": args.cluster},
                    "awsRegion": args.region,
                    "extraArgs": {"scale-down-unneeded-time": f"{args.idle_minutes}m"},
                    # It simulates the scheduler, so it has the cluster's minor version.
                    "image": {"tag": args.catalog.tag(f"cluster-autoscaler-{args.version}")},
                    "rbac": {"serviceAccount": {"name": AUTOSCALER_ACCOUNT}},
                },
            ),
            pulumi.ResourceOptions(parent=self),
        )
        self.namespace = chart.namespace
        self.register_outputs({"namespace": self.namespace})


def permissions(cluster: pulumi.Input[str], region: str) -> Sequence[Statement]:
    """What it may do in AWS: see all groups, which cannot be narrowed, and resize those of its cluster.

    cluster: name in EKS. region: of the cluster.
    """
    name = pulumi.Output.from_input(cluster)
    groups = f"arn:{partition(region)}:autoscaling:{region}:*:autoScalingGroup:*:autoScalingGroupName/*"
    return [
        Statement(sid="SeeGroups", actions=DESCRIBE, resources=["*"]),
        Statement(
            sid="SeeNodeGroups",
            actions=("eks:DescribeNodegroup",),
            resources=[
                name.apply(lambda name: f"arn:{partition(region)}:eks:{region}:*:nodegroup/{name}/*/*")
            ],
        ),
        Statement(
            sid="ResizeGroups",
            actions=("autoscaling:SetDesiredCapacity", "autoscaling:TerminateInstanceInAutoScalingGroup"),
            resources=[groups],
            conditions={
                # EKS gives this tag to the groups of its managed node groups.
                "StringEquals": name.apply(
                    lambda name: {f"aws:ResourceTag/k8s.io/cluster-autoscaler/{name}": "owned"}
                )
            },
        ),
    ]
