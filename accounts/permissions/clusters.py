"""Rows of clusters: EKS, launch templates, schedules."""

from accounts.permissions.data import has_clusters
from accounts.permissions.row import PROVIDER, Row
from stacks.settings import Environment
from stacks.settings.foundation import Foundation

EKS = f"{PROVIDER}eks/"
EC2 = f"{PROVIDER}ec2/"
EKS_TAGS = "eks:TagResource eks:UntagResource"
UPDATE = "{}, which waits for the update"


def has_schedules(settings: Environment, name: str, foundation: Foundation) -> bool:
    """Some node group moves its minimum at fixed times."""
    clusters = settings.clusters_of(name).values()
    return any(group.schedule for cluster in clusters for group in cluster.node_groups.values())


ROWS = (
    Row(
        type="aws:eks/cluster:Cluster",
        schemas="AWS::EKS::Cluster",
        create="eks:CreateCluster eks:TagResource iam:PassRole iam:GetRole iam:CreateServiceLinkedRole "
        "ec2:DescribeSubnets ec2:DescribeVpcs kms:DescribeKey kms:CreateGrant",
        read="eks:DescribeCluster",
        update=f"eks:UpdateClusterConfig eks:UpdateClusterVersion eks:DescribeUpdate {EKS_TAGS}",
        delete="eks:DeleteCluster",
        when=has_clusters,
    ),
    Row(
        type="aws:eks/addon:Addon",
        schemas="AWS::EKS::Addon",
        create="eks:CreateAddon eks:TagResource iam:PassRole iam:GetRole eks:CreatePodIdentityAssociation",
        read="eks:DescribeAddon",
        update="eks:UpdateAddon eks:DescribeUpdate eks:CreatePodIdentityAssociation "
        f"eks:UpdatePodIdentityAssociation eks:DeletePodIdentityAssociation {EKS_TAGS}",
        delete="eks:DeleteAddon eks:DeletePodIdentityAssociation",
        when=has_clusters,
    ),
    Row(
        type="aws:eks/nodeGroup:NodeGroup",
        schemas="AWS::EKS::Nodegroup",
        create="eks:CreateNodegroup eks:TagResource iam:PassRole iam:GetRole iam:ListAttachedRolePolicies "
        "iam:CreateServiceLinkedRole ec2:DescribeSubnets ec2:DescribeLaunchTemplates "
        "ec2:DescribeLaunchTemplateVersions ec2:RunInstances ec2:CreateTags",
        read="eks:DescribeNodegroup",
        update="eks:UpdateNodegroupConfig eks:UpdateNodegroupVersion eks:DescribeUpdate ec2:RunInstances "
        f"{EKS_TAGS}",
        delete="eks:DeleteNodegroup",
        when=has_clusters,
    ),
    Row(
        type="aws:ec2/launchTemplate:LaunchTemplate",
        schemas="AWS::EC2::LaunchTemplate",
        create="ec2:CreateLaunchTemplate ec2:CreateTags",
        read="ec2:DescribeLaunchTemplates ec2:DescribeLaunchTemplateVersions",
        update="ec2:CreateLaunchTemplateVersion ec2:ModifyLaunchTemplate ec2:CreateTags ec2:DeleteTags",
        delete="ec2:DeleteLaunchTemplate",
        beyond={
            "ec2:DescribeLaunchTemplateVersions": f"{EC2}ec2_launch_template.go",
            "ec2:ModifyLaunchTemplate": f"{EC2}ec2_launch_template.go, for the default version",
        },
        when=has_clusters,
    ),
    Row(
        type="aws:eks/accessEntry:AccessEntry",
        schemas="AWS::EKS::AccessEntry",
        create="eks:CreateAccessEntry eks:TagResource",
        read="eks:DescribeAccessEntry",
        update=f"eks:UpdateAccessEntry {EKS_TAGS}",
        delete="eks:DeleteAccessEntry",
        when=has_clusters,
    ),
    Row(
        type="aws:eks/accessPolicyAssociation:AccessPolicyAssociation",
        schemas="AWS::EKS::AccessEntry",
        create="eks:AssociateAccessPolicy",
        read="eks:ListAssociatedAccessPolicies",
        delete="eks:DisassociateAccessPolicy",
        when=has_clusters,
    ),
    Row(
        type="aws:eks/podIdentityAssociation:PodIdentityAssociation",
        schemas="AWS::EKS::PodIdentityAssociation",
        create="eks:CreatePodIdentityAssociation eks:TagResource iam:PassRole iam:GetRole",
        read="eks:DescribePodIdentityAssociation",
        update=f"eks:UpdatePodIdentityAssociation {EKS_TAGS}",
        delete="eks:DeletePodIdentityAssociation",
        when=has_clusters,
    ),
    Row(
        type="aws:autoscaling/schedule:Schedule",
        schemas="AWS::AutoScaling::ScheduledAction",
        create="autoscaling:PutScheduledUpdateGroupAction",
        read="autoscaling:DescribeScheduledActions",
        update="autoscaling:PutScheduledUpdateGroupAction",
        delete="autoscaling:DeleteScheduledAction",
        when=has_schedules,
    ),
)
