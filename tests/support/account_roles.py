"""The roles of CI, and requests that resources of previews come to, to evaluate their policies by."""

import json
from collections.abc import Iterator
from functools import cache

from accounts.names import AccountNames, StateNames
from accounts.permissions.boundaries import deploy_boundary, preview_boundary
from accounts.permissions.policies import deploy_policies, preview_policies
from accounts.permissions.registry import PULL
from accounts.permissions.scopes import SERVICE_LINKED
from aws_rules.iam import definitions
from aws_rules.iam.evaluation import Policy, Role, like
from aws_rules.iam.evaluation import Resource as Target
from moka.components.aws.key import key_policy
from stacks.settings import Environment
from tests.support.bootstrapped_previews import FILES, Preview, Resource, bootstrapped

ROLE, KEY, BUCKET = "aws:iam/role:Role", "aws:kms/key:Key", "aws:s3/bucket:Bucket"
EVERYTHING: Policy = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}],
}


RDS = {
    "Cluster": ("cluster", "clusterIdentifier"),
    "ClusterInstance": ("db", "identifier"),
    "ClusterParameterGroup": ("cluster-pg", "name"),
    "SubnetGroup": ("subgrp", "name"),
}
"""Type of a resource -> what its ARN calls it, and the input that names it."""


def state_key(settings: Environment) -> str:
    home = StateNames(settings).foundation
    return f"arn:aws:kms:{home.region}:{home.account}:key/5e0c4c1e-0000-4000-8000-000000000000"


@cache
def deployer(environment: str, account: str) -> Role:
    return deployer_of(bootstrapped(environment), account)


def deployer_of(settings: Environment, account: str) -> Role:
    names, key = AccountNames(settings, account), state_key(settings)
    policies = tuple(deploy_policies(names, key).values())
    return Role(arn=names.deploy_role, policies=policies, boundary=deploy_boundary(names, key))


@cache
def previewer(environment: str, account: str) -> Role:
    return previewer_of(bootstrapped(environment), account)


def previewer_of(settings: Environment, account: str) -> Role:
    names, key = AccountNames(settings, account), state_key(settings)
    policies = tuple(preview_policies(names, key).values())
    return Role(arn=names.preview_role, policies=policies, boundary=preview_boundary(names, key))


def places() -> list[tuple[str, str]]:
    return [(name, account) for name in FILES for account in bootstrapped(name).accounts]


class World:
    """What there is in an account: requests that a row's actions come to for a resource."""

    def __init__(self, of: Preview, account: str) -> None:
        self.of, self.account = of, account
        self.settings = self.of.settings
        self.resources = list(self.of.of(account))
        self.by_name: dict[tuple[str, str], Resource] = {(r.type, r.name): r for r in self.resources}
        self.roles = {r.outputs["name"]: r for r in self.resources if r.type == ROLE}
        self.all = [target for resource in self.resources for target in self.own(resource)]

    def own(self, resource: Resource) -> Iterator[Target]:
        """ARNs of a resource: of what it is, or of what it is a setting of."""
        service = resource.type.partition("/")[0].removeprefix("aws:")
        inputs = resource.inputs
        arn = f"arn:aws:{service}:{resource.region}:{resource.account}:"
        match service:
            case "s3":
                bucket = self.by_name[BUCKET, resource.name].inputs["bucket"]
                yield self.target(f"arn:aws:s3:::{bucket}")
                yield self.target(f"arn:aws:s3:::{bucket}/x")
            case "kms" if resource.type == KEY:
                yield self.target(resource.outputs["arn"], json.loads(inputs["policy"]))
            case "kms":
                root = json.loads(key_policy(resource.account, resource.region))
                yield self.target(f"{arn}{inputs['name']}", root)
            case "cloudwatch":
                yield self.target(
                    f"arn:aws:logs:{resource.region}:{resource.account}:log-group:{inputs['name']}"
                )
            case "ecr" if "name" in inputs:
                yield self.target(f"{arn}repository/{inputs['name']}")
            case "iam":
                yield self.target(self.role(resource).outputs["arn"])
            case "eks":
                for name, cluster in self.settings.clusters.items():
                    foundation = self.settings.foundations[cluster.foundation]
                    if (foundation.account, foundation.region) == (resource.account, resource.region):
                        eks = self.settings.eks_name(name)
                        for kind in (
                            f"cluster/{eks}",
                            f"nodegroup/{eks}/x/1",
                            f"addon/{eks}/x/1",
                            f"access-entry/{eks}/role/{resource.account}/x/1",
                            f"podidentityassociation/{eks}/a-1",
                        ):
                            yield self.target(f"{arn}{kind}")
            case "amp":
                workspace = self.settings.metrics.workspace
                assert workspace
                rules = workspace.replace(":workspace/", ":rulegroupsnamespace/")
                yield self.target(f"{rules}/{inputs['name']}" if "name" in inputs else workspace)
            case "grafana":
                yield self.target(f"{arn}/workspaces/g-1")
            case "acm":
                yield self.target(f"{arn}certificate/c-1")
            case "rds":
                kind, name = RDS[resource.type.rpartition(":")[2]]
                yield self.target(f"{arn}{kind}:{inputs[name]}")
            case "autoscaling":
                yield self.target(f"{arn}autoScalingGroup:1:autoScalingGroupName/eks-x-1")

    def role(self, resource: Resource) -> Resource:
        return resource if resource.type == ROLE else self.roles[resource.inputs["role"]]

    def role_of(self, target: Target) -> Resource:
        """The role that a target is."""
        [role] = [role for role in self.roles.values() if role.outputs["arn"] == target.arn]
        return role

    def principal(self, target: Target) -> dict[str, str]:
        """Whom the role trusts that a target is."""
        trust = json.loads(self.role_of(target).inputs["assumeRolePolicy"])
        return dict(trust["Statement"][0]["Principal"])

    def target(self, arn: str, policy: Policy | None = None) -> Target:
        return Target(arn=arn, account=self.account, policy=policy)

    def requests(self, resource: Resource, action: str) -> Iterator[tuple[Target, dict[str, str]]]:
        """What an action comes to for a resource: on itself, or on what else it needs."""
        prefix, taken = action.partition(":")[0], definitions.resource_types(action)
        context = {"aws:RequestedRegion": resource.region}
        if action == "iam:CreateServiceLinkedRole":
            for service in SERVICE_LINKED:
                role = f"arn:aws:iam::{self.account}:role/aws-service-role/{service}/x"
                yield self.target(role), context | {"iam:AWSServiceName": service}
            return
        if action in PULL.split():
            for arn in AccountNames(self.settings, self.account).chart_repositories:
                another = {"aws:ResourceTag/moka:environment": "of-the-registry"}
                chart = context | {"aws:RequestedRegion": arn.split(":")[3]} | another
                yield self.target(arn.replace("*", "yunikorn")), chart
            return
        if action == "rds:DescribeGlobalClusters":
            yield self.target(f"arn:aws:rds::{self.account}:global-cluster:any"), context
            return
        if action == "iam:GetRole" and resource.type == "aws:eks/nodeGroup:NodeGroup":
            # EKS looks for its own role: without a path until it is there.
            name, service = "AWSServiceRoleForAmazonEKSNodegroup", "eks-nodegroup.amazonaws.com"
            for path in ("", f"aws-service-role/{service}/"):
                yield self.target(f"arn:aws:iam::{self.account}:role/{path}{name}"), context
        if action == "route53:GetChange":
            yield self.target("arn:aws:route53:::change/C1"), context
            return
        if prefix == "route53" and "zoneId" in resource.inputs:
            yield self.target(f"arn:aws:route53:::hostedzone/{resource.inputs['zoneId']}"), context
            return
        if prefix == "route53":
            # Zones of interface endpoints, which are AWS's own.
            yield self.target("arn:aws:route53:::hostedzone/Z1"), context
            return
        if action in ("acm:RequestCertificate", "grafana:CreateWorkspace"):
            yield self.target("*"), context | self.context(resource, action, self.target("*"))
            return
        if prefix == "secretsmanager" and resource.type.startswith("aws:rds/"):
            start = f"arn:aws:secretsmanager:{resource.region}:{self.account}:secret:"
            yield self.target(f"{start}rds!cluster-1-Ab12Cd"), context
            return
        if action in ("kms:Decrypt", "kms:GenerateDataKey"):
            context["kms:ViaService"] = f"secretsmanager.{resource.region}.amazonaws.com"
        if not taken or prefix == "ec2":
            # What a new key's own policy will say decides, which is that of every key.
            policy = json.loads(key_policy(self.account, resource.region)) if prefix == "kms" else None
            yield self.target("*", policy), context
            return
        own = [target for target in self.own(resource) if fits(taken, target)]
        for target in own or [target for target in self.all if fits(taken, target)]:
            if action == "iam:PassRole" and "Service" not in self.principal(target):
                # Programs take it on by themselves.
                continue
            yield target, context | self.context(resource, action, target)

    def context(self, resource: Resource, action: str, target: Target) -> dict[str, str]:
        """What a request says besides."""
        tag = {
            f"aws:{kind}/moka:environment": self.settings.environment
            for kind in ("RequestTag", "ResourceTag")
        }
        if not action.startswith("iam:"):
            return tag if action.startswith(("acm:", "kms:", "grafana:")) else {}
        context = {"iam:PermissionsBoundary": self.role_of(target).inputs["permissionsBoundary"]}
        if action == "iam:PassRole":
            context["iam:PassedToService"] = self.principal(target)["Service"]
        if action == "iam:AttachRolePolicy":
            context["iam:PolicyARN"] = resource.inputs["policyArn"]
        return context


def fits(taken: tuple[str, ...], target: Target) -> bool:
    """Whether an action takes it; the pattern of a bucket is that of an object too."""
    is_object = target.arn.startswith("arn:aws:s3:") and "/" in target.arn
    return any(like(pattern, target.arn) for pattern in taken if "/" in pattern or not is_object)
