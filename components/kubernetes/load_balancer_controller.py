"""AWS Load Balancer Controller: a network load balancer for each Service that asks for one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pulumi

from moka.catalog import Catalog
from moka.components.aws.policy import Statement
from moka.components.kubernetes.chart import Chart, ChartArgs
from moka.names import LOAD_BALANCER_ACCOUNT
from moka.partition import partition

LOAD_BALANCER_CLASS = "service.k8s.aws/nlb"
"""Class by which a Service asks for one of its load balancers."""

OWNER_TAG = "elbv2.k8s.aws/cluster"
"""Tag that it gives to all that it makes; its value is the cluster's name."""

DESCRIBE = (
    "ec2:DescribeAccountAttributes",
    "ec2:DescribeAddresses",
    "ec2:DescribeAvailabilityZones",
    "ec2:DescribeInstances",
    "ec2:DescribeInternetGateways",
    "ec2:DescribeNetworkInterfaces",
    "ec2:DescribeRouteTables",
    "ec2:DescribeSecurityGroups",
    "ec2:DescribeSubnets",
    "ec2:DescribeTags",
    "ec2:DescribeVpcPeeringConnections",
    "ec2:DescribeVpcs",
    "elasticloadbalancing:DescribeCapacityReservation",
    "elasticloadbalancing:DescribeListenerAttributes",
    "elasticloadbalancing:DescribeListenerCertificates",
    "elasticloadbalancing:DescribeListeners",
    "elasticloadbalancing:DescribeLoadBalancerAttributes",
    "elasticloadbalancing:DescribeLoadBalancers",
    "elasticloadbalancing:DescribeRules",
    "elasticloadbalancing:DescribeSSLPolicies",
    "elasticloadbalancing:DescribeTags",
    "elasticloadbalancing:DescribeTargetGroupAttributes",
    "elasticloadbalancing:DescribeTargetGroups",
    "elasticloadbalancing:DescribeTargetHealth",
    "elasticloadbalancing:DescribeTrustStores",
)
CREATE = (
    "elasticloadbalancing:CreateListener",
    "elasticloadbalancing:CreateLoadBalancer",
    "elasticloadbalancing:CreateTargetGroup",
)
CHANGE = (
    "elasticloadbalancing:AddListenerCertificates",
    "elasticloadbalancing:DeleteListener",
    "elasticloadbalancing:DeleteLoadBalancer",
    "elasticloadbalancing:DeleteTargetGroup",
    "elasticloadbalancing:DeregisterTargets",
    "elasticloadbalancing:ModifyCapacityReservation",
    "elasticloadbalancing:ModifyIpPools",
    "elasticloadbalancing:ModifyListener",
    "elasticloadbalancing:ModifyListenerAttributes",
    "elasticloadbalancing:ModifyLoadBalancerAttributes",
    "elasticloadbalancing:ModifyTargetGroup",
    "elasticloadbalancing:ModifyTargetGroupAttributes",
    "elasticloadbalancing:RegisterTargets",
    "elasticloadbalancing:RemoveListenerCertificates",
    "elasticloadbalancing:SetIpAddressType",
    "elasticloadbalancing:SetSecurityGroups",
    "elasticloadbalancing:SetSubnets",
)
RULES = ("ec2:AuthorizeSecurityGroupIngress", "ec2:RevokeSecurityGroupIngress")


@dataclass(frozen=True, kw_only=True)
class LoadBalancerControllerArgs:
    """What differs between clusters.

    namespace: of the controller.
    cluster: name in EKS, in the tags of all that it makes.
    vpc_id, region: where it makes load balancers.
    catalog: pins, values and mirror of charts and images.
    """

    catalog: Catalog
    namespace: pulumi.Input[str]
    cluster: pulumi.Input[str]
    vpc_id: pulumi.Input[str]
    region: str


class LoadBalancerController(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:LoadBalancerController`.

    Makes: a Chart, with service account `aws-load-balancer-controller`.
    Outputs: `namespace`, known only once it serves. What has a load balancer must be deleted before it: only
    it removes the load balancer, and the Service waits for that.
    """

    namespace: pulumi.Output[str]

    def __init__(
        self, name: str, args: LoadBalancerControllerArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("moka:kubernetes:LoadBalancerController", name, {}, opts)

        chart = Chart(
            name,
            ChartArgs(
                catalog=args.catalog,
                chart="aws-load-balancer-controller",
                namespace=args.namespace,
                values={
                    "clusterName": args.cluster,
                    # So that it asks no instance for them.
                    "region": args.region,
                    "vpcId": args.vpc_id,
                    "serviceAccount": {"name": LOAD_BALANCER_ACCOUNT},
                    "loadBalancerClass": LOAD_BALANCER_CLASS,
                },
            ),
            pulumi.ResourceOptions(parent=self),
        )
        self.namespace = chart.namespace
        self.register_outputs({"namespace": self.namespace})


def permissions(cluster: pulumi.Input[str], vpc_id: pulumi.Input[str], region: str) -> Sequence[Statement]:
    """What it may do in AWS: describe, and create and change what has its cluster's tag.

    The policy that the project publishes (docs/install/iam_policy.json), less what only application load
    balancers need (certificates, WAF, Shield, Cognito, rules), and with the cluster's name where the
    published one asks for any value of the tag.
    """
    ec2 = f"arn:{partition(region)}:ec2:{region}:*"
    balancing = f"arn:{partition(region)}:elasticloadbalancing:{region}:*"
    load_balancers = [f"{balancing}:{kind}/*" for kind in ("loadbalancer/net", "listener/net", "targetgroup")]
    security_groups = [f"{ec2}:security-group/*"]
    vpc = [pulumi.Output.format("{0}:vpc/{1}", ec2, vpc_id)]
    requests_tag = {f"aws:RequestTag/{OWNER_TAG}": pulumi.Output.from_input(cluster)}
    has_tag = {f"aws:ResourceTag/{OWNER_TAG}": pulumi.Output.from_input(cluster)}
    keeps_tag = {f"aws:RequestTag/{OWNER_TAG}": "true"}  # this tag is not in the request
    create_actions = [action.partition(":")[2] for action in CREATE]

    def allow(
        sid: str,
        actions: tuple[str, ...],
        resources: Sequence[str],
        equals: pulumi.Input[Mapping[str, pulumi.Input[Any]]],
        **conditions: Mapping[str, str],
    ) -> Statement:
        return Statement(
            sid=sid, actions=actions, resources=resources, conditions={"StringEquals": equals, **conditions}
        )

    return [
        Statement(sid="See", actions=DESCRIBE, resources=["*"]),
        Statement(sid="SeeSecurityGroups", actions=("ec2:GetSecurityGroupsForVpc",), resources=vpc),
        allow(
            "FirstLoadBalancer",
            ("iam:CreateServiceLinkedRole",),
            [f"arn:{partition(region)}:iam::*:role/aws-service-role/elasticloadbalancing.amazonaws.com/*"],
            {"iam:AWSServiceName": "elasticloadbalancing.amazonaws.com"},
        ),
        allow("Create", CREATE, load_balancers, requests_tag),
        allow("Change", CHANGE, load_balancers, has_tag),
        allow(
            "TagNew",
            ("elasticloadbalancing:AddTags",),
            load_balancers,
            {**requests_tag, "elasticloadbalancing:CreateAction": create_actions},
        ),
        allow(
            "Tag",
            ("elasticloadbalancing:AddTags", "elasticloadbalancing:RemoveTags"),
            load_balancers,
            has_tag,
            Null=keeps_tag,
        ),
        allow("CreateSecurityGroup", ("ec2:CreateSecurityGroup",), security_groups, requests_tag),
        Statement(
            sid="CreateSecurityGroupInVpc",
            actions=("ec2:CreateSecurityGroup",),
            resources=vpc,
        ),
        allow(
            "TagNewSecurityGroup",
            ("ec2:CreateTags",),
            security_groups,
            {**requests_tag, "ec2:CreateAction": "CreateSecurityGroup"},
        ),
        allow(
            "TagSecurityGroup", ("ec2:CreateTags", "ec2:DeleteTags"), security_groups, has_tag, Null=keeps_tag
        ),
        allow("ChangeSecurityGroup", (*RULES, "ec2:DeleteSecurityGroup"), security_groups, has_tag),
        # So that load balancers reach pods: EKS gives this tag to the cluster's security group.
        allow(
            "ReachPods",
            RULES,
            security_groups,
            pulumi.Output.from_input(cluster).apply(
                lambda name: {f"aws:ResourceTag/kubernetes.io/cluster/{name}": "owned"}
            ),
        ),
    ]
