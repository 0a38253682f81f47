"""On what an action may be used: the environment's names where there are any, else its tags and regions.

What actions take, and which conditions they know, is from the Service Authorization Reference,
https://docs.aws.amazon.com/service-authorization/latest/reference/; a test holds this table to it.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from accounts.names import CHARTS, AccountNames
from accounts.permissions.grant import Conditions, Grant
from accounts.permissions.identity import MANAGED_POLICIES, PASSED_TO
from accounts.permissions.names import CHANGE_RECORD, READ_RECORD
from accounts.permissions.registry import PULL
from moka.names import ACCESS_LOGS, DATABASE, ENVIRONMENT_TAG, bucket_name
from moka.partition import domain, managed_policy

SERVICE_LINKED = (
    "ecr.amazonaws.com",
    "eks.amazonaws.com",
    "eks-nodegroup.amazonaws.com",
    "pullthroughcache.ecr.amazonaws.com",
    "rds.amazonaws.com",
    "transitgateway.amazonaws.com",
)
"""Services whose own roles come to be with the first cluster, node group, cache, template of repositories,
database or attachment to a transit gateway in an account.

Source: https://docs.aws.amazon.com/eks/latest/userguide/using-service-linked-roles.html,
https://docs.aws.amazon.com/AmazonECR/latest/userguide/slr-pullthroughcache.html,
https://docs.aws.amazon.com/AmazonECR/latest/userguide/slr-rct.html,
https://docs.aws.amazon.com/AmazonRDS/latest/AuroraUserGuide/UsingWithRDS.IAM.ServiceLinkedRoles.html,
https://docs.aws.amazon.com/vpc/latest/tgw/service-linked-roles.html
"""


@dataclass(frozen=True, kw_only=True)
class Scope:
    """On what some actions may be used.

    name: in letters, part of the statement's id. actions: patterns.
    resources: ARN patterns of an account. conditions: of it, by default none.
    besides: scope of what else the same request is about.
    """

    name: str
    actions: str
    resources: Callable[[AccountNames], Sequence[str]]
    conditions: Callable[[AccountNames], Conditions] = lambda names: {}
    besides: str = ""

    def covers(self, action: str) -> bool:
        """Whether it is the scope of an action, where no scope before it is."""
        return any(fnmatchcase(action, pattern) for pattern in self.actions.split())


def everything(names: AccountNames) -> Sequence[str]:
    """What actions take that are not about single resources, or about such as have no name."""
    return ["*"]


def in_regions(names: AccountNames) -> Conditions:
    """In the environment's regions only."""
    return {"StringEquals": {"aws:RequestedRegion": list(names.regions)}}


def own_tag(names: AccountNames) -> Conditions:
    """On what has the environment's tag."""
    return {"StringEquals": {f"aws:ResourceTag/{ENVIRONMENT_TAG}": names.settings.environment}}


def tagged_as_own(names: AccountNames) -> Conditions:
    """Where the request gives the environment's tag."""
    return {"StringEquals": {f"aws:RequestTag/{ENVIRONMENT_TAG}": names.settings.environment}}


def by_secrets_manager(names: AccountNames) -> Conditions:
    """On the environment's keys, where Secrets Manager uses them for who asks it."""
    services = [f"secretsmanager.{region}.{domain(region)}" for region in names.regions]
    return {"StringEquals": {**own_tag(names)["StringEquals"], "kms:ViaService": services}}


def with_boundary(names: AccountNames) -> Conditions:
    """On roles that have, or are given, the boundary of workloads."""
    return {"StringEquals": {"iam:PermissionsBoundary": names.workload_boundary}}


def with_boundary_and_known_policy(names: AccountNames) -> Conditions:
    """The same, for AWS's own policies that the program uses."""
    arns = [managed_policy(name, names.regions[0]) for name in MANAGED_POLICIES]
    return {**with_boundary(names), "ArnEquals": {"iam:PolicyARN": arns}}


def passed_on(names: AccountNames) -> Conditions:
    """To services that the program gives roles to."""
    return {"StringEquals": {"iam:PassedToService": list(PASSED_TO)}}


def linked_services(names: AccountNames) -> Conditions:
    """Service-linked roles that the program's resources need."""
    return {"StringEquals": {"iam:AWSServiceName": list(SERVICE_LINKED)}}


def arns(service: str, *resources: str) -> Callable[[AccountNames], Sequence[str]]:
    """ARNs in the account and its regions; `{prefix}` in them is the environment's."""

    def of(names: AccountNames) -> Sequence[str]:
        return [
            f"arn:{names.partition}:{service}:{region}:{names.account}:"
            + resource.format(prefix=names.settings.prefix)
            for region in names.regions
            for resource in resources
        ]

    return of


def buckets(names: AccountNames, suffix: str = "") -> Sequence[str]:
    """The environment's buckets of data; not that of its state."""
    prefix = names.settings.prefix
    return [
        f"arn:{names.partition}:s3:::{bucket_name(prefix, names.account, region, purpose)}{suffix}"
        for region in names.regions
        for purpose in (*names.settings.bucket_purposes, ACCESS_LOGS)
    ]


def objects(names: AccountNames) -> Sequence[str]:
    """What is in these buckets."""
    return buckets(names, "/*")


def aliases(names: AccountNames) -> Sequence[str]:
    """Aliases of the keys of the foundations, and of job namespaces that have one of their own."""
    settings = names.settings
    own = [f"-{namespace}" for namespace in settings.own_key_namespaces]
    return [
        f"arn:{names.partition}:kms:{foundation.region}:{names.account}:alias/{settings.prefix}-{name}{suffix}"
        for name, foundation in names.foundations.items()
        for suffix in ("", *own)
    ]


def repositories(names: AccountNames) -> Sequence[str]:
    """The environment's repositories, those of charts, and copies of what the registry fetches."""
    registry = names.settings.registry
    upstreams = sorted(registry.pull_through) if registry else []
    return arns("ecr", *(f"repository/{first}/*" for first in ("{prefix}", CHARTS, *upstreams)))(names)


def secrets(names: AccountNames) -> Sequence[str]:
    """Secrets by which the registry fetches."""
    registry = names.settings.registry
    caches = registry.pull_through.values() if registry else []
    return sorted({cache.secret for cache in caches if cache.secret})


def rules(names: AccountNames) -> Sequence[str]:
    """Rules of the workspace that metrics go to."""
    return [
        workspace.replace(":workspace/", ":rulegroupsnamespace/") + "/*" for workspace in workspaces(names)
    ]


def workspaces(names: AccountNames) -> Sequence[str]:
    """The workspace that metrics go to."""
    workspace = names.settings.metrics.workspace
    return [workspace] if workspace else []


def workload_roles(names: AccountNames) -> Sequence[str]:
    """Roles under the environment's path."""
    return [names.workload_roles]


def service_linked_roles(names: AccountNames) -> Sequence[str]:
    """Roles of AWS's services."""
    return [f"arn:{names.partition}:iam::{names.account}:role/aws-service-role/*"]


def roles_read(names: AccountNames) -> Sequence[str]:
    """Roles under the environment's path, and that of node groups, for which EKS looks as who makes a group.

    Until that role is there IAM has no path of it, and decides on its name
    (terraform-aws-modules/terraform-aws-eks#823).
    """
    return [
        *workload_roles(names),
        f"arn:{names.partition}:iam::{names.account}:role/aws-service-role/eks-nodegroup.amazonaws.com/*",
        names.node_group_role,
    ]


def registry_regions(names: AccountNames) -> Conditions:
    """In the environment's regions, and in that of the mirror that Helm logs in to."""
    regions = {*names.regions, *(arn.split(":")[3] for arn in names.chart_repositories)}
    return {"StringEquals": {"aws:RequestedRegion": sorted(regions)}}


def global_databases(names: AccountNames) -> Sequence[str]:
    """Global clusters, whose ARNs have no region: the AWS provider asks whether a cluster is in one."""
    return [f"arn:{names.partition}:rds::{names.account}:global-cluster:*"]


def page_zones(names: AccountNames) -> Sequence[str]:
    """Zones of the settings, for proofs and for pages."""
    certificates = [f.certificates for f in names.foundations.values() if f.certificates]
    zones = {certificate.public_zone for certificate in certificates}
    zones |= {foundation.dns_zone for foundation in names.foundations.values()}
    return [f"arn:{names.partition}:route53:::hostedzone/{zone}" for zone in sorted(filter(None, zones))]


def zone_changes(names: AccountNames) -> Sequence[str]:
    """Changes of zones, whose ids nobody knows before."""
    return [f"arn:{names.partition}:route53:::change/*"]


def hosted_zones(names: AccountNames) -> Sequence[str]:
    """Private zones; those of interface endpoints are AWS's own."""
    return [f"arn:{names.partition}:route53:::hostedzone/*"]


def known_by_tags(name: str, service: str, resource: str, *, create: str, tag: str) -> tuple[Scope, ...]:
    """Scopes of what has an id that is not known before, and begins with its tags.

    name: of the scope of what is there. resource: the end of its ARN. create, tag: actions of the service.
    """
    of = arns(service, resource)
    return (
        Scope(
            name=f"New{name}",
            actions=f"{service}:{create}",
            resources=everything,
            conditions=tagged_as_own,
        ),
        Scope(
            name=f"Tag{name}",
            actions=f"{service}:{tag}",
            resources=of,
            conditions=tagged_as_own,
            besides=name,
        ),
        Scope(name=name, actions=f"{service}:*", resources=of, conditions=own_tag),
    )


KEY, EKS = "key/*", "{prefix}-*"
DATABASES = f"{{prefix}}-{DATABASE}-*"

# The option group is RDS's own, and the parameter group of single instances.
CLUSTER, INSTANCE = f"cluster:{DATABASES}", f"db:{DATABASES}"
SUBNETS, PARAMETERS = f"subgrp:{DATABASES}", f"cluster-pg:{DATABASES}"
OPTIONS, INSTANCE_PARAMETERS = "og:default:*", "pg:default.*"

DATABASE_SCOPES = tuple(
    Scope(name=name, actions=actions, resources=arns("rds", *resources))
    for name, actions, resources in (
        ("DatabaseSubnets", "rds:*DBSubnetGroup*", (SUBNETS,)),
        ("DatabaseParameters", "rds:*DBClusterParameter*", (PARAMETERS,)),
        ("NewDatabase", "rds:CreateDBCluster", (CLUSTER, PARAMETERS, SUBNETS, OPTIONS)),
        (
            "DatabaseOfSnapshot",
            "rds:RestoreDBClusterFromSnapshot",
            (CLUSTER, PARAMETERS, SUBNETS, OPTIONS, "cluster-snapshot:*"),
        ),
        (
            "DatabaseOfTime",
            "rds:RestoreDBClusterToPointInTime",
            (CLUSTER, PARAMETERS, SUBNETS, OPTIONS, "cluster-auto-backup:*"),
        ),
        ("ChangedDatabase", "rds:ModifyDBCluster", (CLUSTER, PARAMETERS, OPTIONS)),
        (
            "LastSnapshot",
            "rds:DeleteDBCluster rds:CreateDBClusterSnapshot",
            (CLUSTER, f"cluster-snapshot:{DATABASES}"),
        ),
        (
            "NewInstance",
            "rds:CreateDBInstance",
            (INSTANCE, CLUSTER, SUBNETS, OPTIONS, INSTANCE_PARAMETERS),
        ),
        ("ChangedInstance", "rds:ModifyDBInstance", (INSTANCE, OPTIONS, INSTANCE_PARAMETERS)),
        ("Instances", "rds:*DBInstance*", (INSTANCE,)),
        ("Databases", "rds:DescribeDBClusters", (CLUSTER,)),
        ("DatabaseTags", "rds:*Tags*", (CLUSTER, INSTANCE, SUBNETS, PARAMETERS)),
    )
)

SCOPES = (
    Scope(name="GlobalDatabases", actions="rds:DescribeGlobalClusters", resources=global_databases),
    Scope(name="PassRole", actions="iam:PassRole", resources=workload_roles, conditions=passed_on),
    Scope(
        name="ServiceLinkedRoles",
        actions="iam:CreateServiceLinkedRole",
        resources=service_linked_roles,
        conditions=linked_services,
    ),
    Scope(
        name="AttachPolicies",
        actions="iam:AttachRolePolicy",
        resources=workload_roles,
        conditions=with_boundary_and_known_policy,
    ),
    Scope(
        name="BoundedRoles",
        actions="iam:CreateRole iam:PutRolePermissionsBoundary iam:PutRolePolicy",
        resources=workload_roles,
        conditions=with_boundary,
    ),
    Scope(name="RolesRead", actions="iam:GetRole", resources=roles_read),
    Scope(name="Roles", actions="iam:*", resources=workload_roles),
    Scope(name="Objects", actions="s3:*Object s3:*ObjectVersion", resources=objects),
    Scope(name="Buckets", actions="s3:*", resources=buckets),
    Scope(
        name="AnyKey",
        actions="kms:CreateKey kms:ListAliases",
        resources=everything,
        conditions=in_regions,
    ),
    Scope(name="Aliases", actions="kms:*Alias", resources=aliases, besides="Keys"),
    # A new key has no tags yet, and a change of the others does not give the environment's again.
    Scope(
        name="TagKeys",
        actions="kms:TagResource",
        resources=arns("kms", KEY),
        conditions=tagged_as_own,
        besides="Keys",
    ),
    # Of a secret that RDS makes; not of data.
    Scope(
        name="KeyOfSecrets",
        actions="kms:Decrypt kms:GenerateDataKey",
        resources=arns("kms", KEY),
        conditions=by_secrets_manager,
    ),
    Scope(name="Keys", actions="kms:*", resources=arns("kms", KEY), conditions=own_tag),
    Scope(
        name="LogDelivery",
        actions="logs:*LogDelivery logs:DescribeLogGroups",
        resources=everything,
        conditions=in_regions,
    ),
    Scope(
        name="LogGroups",
        actions="logs:*",
        resources=arns("logs", "log-group:/aws/eks/{prefix}-*", f"log-group:/aws/rds/cluster/{DATABASES}"),
    ),
    *DATABASE_SCOPES,
    # RDS calls it `rds!cluster-<id of the cluster>`, which nobody knows before.
    Scope(
        name="MasterSecrets",
        actions="secretsmanager:CreateSecret secretsmanager:TagResource",
        resources=arns("secretsmanager", "secret:rds!cluster-*"),
    ),
    # What comes to be on a cluster has no ARN yet, and a cluster that comes to be has no name.
    Scope(name="NewCluster", actions="eks:CreateCluster", resources=everything, conditions=in_regions),
    Scope(
        name="NewAddons",
        actions="eks:CreateAddon",
        resources=arns("eks", f"cluster/{EKS}"),
        besides="PodIdentities",
    ),
    Scope(
        name="OnClusters",
        actions="eks:CreateNodegroup eks:CreateAccessEntry eks:CreatePodIdentityAssociation",
        resources=arns("eks", f"cluster/{EKS}"),
    ),
    Scope(name="NodeGroups", actions="eks:*Nodegroup*", resources=arns("eks", f"nodegroup/{EKS}/*/*")),
    Scope(name="Addons", actions="eks:DescribeAddon", resources=arns("eks", f"addon/{EKS}/*/*")),
    Scope(
        name="ChangedAddons",
        actions="eks:UpdateAddon eks:DeleteAddon",
        resources=arns("eks", f"addon/{EKS}/*/*"),
        besides="PodIdentities",
    ),
    Scope(
        name="AccessEntries",
        actions="eks:*AccessEntry eks:*AccessPolic*",
        resources=arns("eks", f"access-entry/{EKS}/*/*/*/*"),
    ),
    Scope(
        name="PodIdentities",
        actions="eks:*PodIdentityAssociation",
        resources=arns("eks", f"podidentityassociation/{EKS}/*"),
    ),
    Scope(
        name="EksTags",
        actions="eks:TagResource eks:UntagResource",
        resources=arns(
            "eks",
            *(f"cluster/{EKS}", f"nodegroup/{EKS}/*/*", f"addon/{EKS}/*/*", f"access-entry/{EKS}/*/*/*/*"),
            f"podidentityassociation/{EKS}/*",
        ),
    ),
    Scope(
        name="Clusters",
        actions="eks:*",
        resources=arns("eks", f"cluster/{EKS}", f"nodegroup/{EKS}/*/*", f"addon/{EKS}/*/*"),
    ),
    Scope(
        name="Schedules",
        actions="autoscaling:Put* autoscaling:Delete*",
        resources=arns("autoscaling", "autoScalingGroup:*:autoScalingGroupName/eks-*"),
    ),
    Scope(name="AnySchedule", actions="autoscaling:Describe*", resources=everything, conditions=in_regions),
    Scope(
        name="Registry",
        actions="ecr:*RegistryPolicy ecr:*PullThroughCacheRule* ecr:*RepositoryCreationTemplate*",
        resources=everything,
        conditions=in_regions,
    ),
    Scope(
        name="RegistryLogin",
        actions="ecr:GetAuthorizationToken",
        resources=everything,
        conditions=registry_regions,
    ),
    Scope(name="Charts", actions=PULL, resources=lambda names: names.chart_repositories),
    Scope(name="Repositories", actions="ecr:*", resources=repositories),
    Scope(name="PullSecrets", actions="secretsmanager:GetSecretValue", resources=secrets),
    Scope(name="AlertManager", actions="aps:*AlertManagerDefinition", resources=workspaces),
    Scope(name="Rules", actions="aps:*", resources=rules),
    *known_by_tags("Grafana", "grafana", "/workspaces/*", create="CreateWorkspace", tag="TagResource"),
    *known_by_tags(
        "Certificates", "acm", "certificate/*", create="RequestCertificate", tag="AddTagsToCertificate"
    ),
    Scope(name="RecordChanges", actions="route53:GetChange", resources=zone_changes),
    Scope(
        name="Records",
        actions=f"{CHANGE_RECORD} {READ_RECORD}",
        resources=page_zones,
    ),
    Scope(name="PrivateNames", actions="route53:AssociateVPCWithHostedZone", resources=hosted_zones),
    Scope(name="Network", actions="ec2:*", resources=everything, conditions=in_regions),
)
"""The first scope that covers an action counts."""


def scopes_of(action: str) -> list[Scope]:
    """The scopes of an action; raises LookupError where the table has none."""
    by_name = {scope.name: scope for scope in SCOPES}
    for scope in SCOPES:
        if scope.covers(action):
            return [scope, *([by_name[scope.besides]] if scope.besides else [])]
    raise LookupError(f"no scope for {action}: add one to accounts/permissions/scopes.py")


def grants(names: AccountNames, actions: Iterable[str]) -> list[Grant]:
    """Grants of these actions in an account, one a scope; those of a scope without resources are left out."""
    by_scope: dict[str, set[str]] = {}
    for action in actions:
        for scope in scopes_of(action):
            by_scope.setdefault(scope.name, set()).add(action)
    return [
        Grant(
            sid=scope.name,
            actions=tuple(sorted(by_scope[scope.name])),
            resources=tuple(resources),
            conditions=scope.conditions(names),
        )
        for scope in SCOPES
        if scope.name in by_scope and (resources := scope.resources(names))
    ]
