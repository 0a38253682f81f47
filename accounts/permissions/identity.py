"""Rows of identity: roles of workloads, under the environment's path and with the boundary of workloads."""

from accounts.permissions.data import has_clusters
from accounts.permissions.row import PROVIDER, Row
from stacks.settings import Environment
from stacks.settings.foundation import Foundation

IAM = f"{PROVIDER}iam/"

MANAGED_POLICIES = (
    "AmazonEBSCSIDriverEKSClusterScopedPolicy",
    "AmazonEC2ContainerRegistryPullOnly",
    "AmazonEKSClusterPolicy",
    "AmazonEKSWorkerNodeMinimalPolicy",
    "AmazonEKS_CNI_Policy",
)
"""AWS's own policies that the program puts on roles; no other can be put there."""

PASSED_TO = (
    "ec2.amazonaws.com",
    "ecr.amazonaws.com",
    "eks.amazonaws.com",
    "grafana.amazonaws.com",
    "pods.eks.amazonaws.com",
)
"""Services that the program gives roles to. EKS passes the role of nodes on to EC2 in the deployer's name."""


def has_roles(settings: Environment, name: str, foundation: Foundation) -> bool:
    """Clusters, or a registry that fetches from others."""
    registry = settings.registry
    fetches = registry is not None and registry.foundation == name and bool(registry.pull_through)
    return has_clusters(settings, name, foundation) or fetches


ROWS = (
    Row(
        type="aws:iam/role:Role",
        schemas="AWS::IAM::Role",
        create="iam:CreateRole iam:TagRole",
        read="iam:GetRole iam:ListRolePolicies iam:GetRolePolicy iam:ListAttachedRolePolicies",
        update="iam:UpdateRole iam:UpdateRoleDescription iam:UpdateAssumeRolePolicy "
        "iam:PutRolePermissionsBoundary iam:TagRole iam:UntagRole",
        delete="iam:DeleteRole iam:ListInstanceProfilesForRole",
        beyond={"iam:ListInstanceProfilesForRole": f"{IAM}role.go, before a delete"},
        when=has_roles,
    ),
    Row(
        type="aws:iam/rolePolicy:RolePolicy",
        schemas="AWS::IAM::RolePolicy",
        create="iam:PutRolePolicy",
        read="iam:GetRolePolicy",
        update="iam:PutRolePolicy",
        delete="iam:DeleteRolePolicy",
        when=has_roles,
    ),
    Row(
        type="aws:iam/rolePolicyAttachment:RolePolicyAttachment",
        schemas="AWS::IAM::Role",
        create="iam:AttachRolePolicy",
        read="iam:ListAttachedRolePolicies",
        delete="iam:DetachRolePolicy",
        when=has_clusters,
    ),
)
