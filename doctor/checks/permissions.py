"""Permissions: what the deployer may do, by IAM's own simulation."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from doctor.account import Place, Unanswered
from doctor.finding import Finding, ok, problem, warning


@dataclass(frozen=True)
class Actions:
    """Actions that deploying takes.

    resource: what they act on, as an ARN; {partition}, {region}, {account}, {prefix} are filled in.
    names: service -> actions.
    wanted: whether a foundation takes them; by default every one does.
    passed_to: services that a role is given to, where that is what the action does.
    """

    resource: str
    names: dict[str, str]
    wanted: Callable[[Place], bool] = lambda place: True
    passed_to: str = ""


def _makes_network(place: Place) -> bool:
    return place.foundation.network is not None


def _has_registry(place: Place) -> bool:
    return place.settings.registry is not None and place.settings.registry.foundation == place.name


def _has_schedules(place: Place) -> bool:
    return any(g.schedule for cluster in place.clusters.values() for g in cluster.node_groups.values())


def _has_clusters(place: Place) -> bool:
    return bool(place.clusters)


NEEDED = (
    Actions(
        "*",
        {
            "ec2": "CreateVpc DeleteVpc ModifyVpcAttribute AssociateVpcCidrBlock CreateSubnet DeleteSubnet "
            "CreateRouteTable CreateRoute ReplaceRoute AssociateRouteTable CreateInternetGateway "
            "AttachInternetGateway AllocateAddress ReleaseAddress CreateNatGateway DeleteNatGateway "
            "CreateVpcEndpoint ModifyVpcEndpoint CreateFlowLogs ModifySubnetAttribute"
        },
        _makes_network,
    ),
    Actions(
        "*",
        {
            "ec2": "CreateSecurityGroup AuthorizeSecurityGroupIngress RevokeSecurityGroupEgress CreateTags "
            "CreateLaunchTemplate CreateLaunchTemplateVersion DeleteLaunchTemplate RunInstances "
            "DescribeVpcs DescribeSubnets DescribeSecurityGroups DescribeLaunchTemplateVersions",
            "kms": "CreateKey PutKeyPolicy EnableKeyRotation TagResource CreateAlias CreateGrant DescribeKey "
            "ScheduleKeyDeletion",
            "ssm": "GetParameter",
        },
    ),
    Actions(
        "arn:{partition}:s3:::{prefix}-{account}-{region}-event-logs",
        {
            "s3": "CreateBucket DeleteBucket PutBucketPolicy PutBucketPublicAccessBlock PutBucketVersioning "
            "PutEncryptionConfiguration PutLifecycleConfiguration PutBucketLogging PutBucketTagging "
            "PutBucketOwnershipControls "
            "GetBucketPolicy ListBucket"
        },
    ),
    Actions(
        "arn:{partition}:logs:{region}:{account}:log-group:/aws/eks/{prefix}-x/cluster",
        {"logs": "CreateLogGroup DeleteLogGroup PutRetentionPolicy TagResource"},
    ),
    Actions(
        "arn:{partition}:iam::{account}:role/{prefix}/x",
        {
            "iam": "CreateRole DeleteRole GetRole TagRole UpdateAssumeRolePolicy PutRolePolicy "
            "DeleteRolePolicy AttachRolePolicy DetachRolePolicy ListAttachedRolePolicies"
        },
    ),
    Actions(
        "arn:{partition}:iam::{account}:role/{prefix}/x",
        {"iam": "PassRole"},
        _has_clusters,
        passed_to="eks.amazonaws.com",
    ),
    Actions(
        "arn:{partition}:eks:{region}:{account}:cluster/{prefix}-x",
        {
            "eks": "CreateCluster DescribeCluster UpdateClusterConfig UpdateClusterVersion DeleteCluster "
            "TagResource CreateNodegroup CreateAddon CreateAccessEntry CreatePodIdentityAssociation"
        },
        _has_clusters,
    ),
    Actions(
        "arn:{partition}:eks:{region}:{account}:access-entry/{prefix}-x/role/{account}/x/x",
        {"eks": "DescribeAccessEntry AssociateAccessPolicy DisassociateAccessPolicy DeleteAccessEntry"},
        _has_clusters,
    ),
    Actions(
        "arn:{partition}:eks:{region}:{account}:nodegroup/{prefix}-x/x/x",
        {"eks": "DescribeNodegroup UpdateNodegroupConfig UpdateNodegroupVersion DeleteNodegroup"},
        _has_clusters,
    ),
    Actions(
        "*",
        {"autoscaling": "PutScheduledUpdateGroupAction DeleteScheduledAction DescribeScheduledActions"},
        _has_schedules,
    ),
    Actions(
        "arn:{partition}:ecr:{region}:{account}:repository/{prefix}/x",
        {
            "ecr": "CreateRepository DeleteRepository PutLifecyclePolicy SetRepositoryPolicy "
            "PutImageTagMutability PutImageScanningConfiguration TagResource"
        },
        _has_registry,
    ),
    Actions(
        "*",
        {"ecr": "PutRegistryPolicy CreatePullThroughCacheRule CreateRepositoryCreationTemplate"},
        _has_registry,
    ),
)
"""What the program makes, and what `up`, `refresh` and `down` ask for that."""


def simulated(place: Place) -> Iterator[Finding]:
    """IAM's word on every action, with the organization's policies and the deployer's own boundary."""
    deployer = place.foundation.deployer
    denied: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    number = 0
    for needed in NEEDED:
        if not needed.wanted(place):
            continue
        names = [f"{service}:{name}" for service, all_ in needed.names.items() for name in all_.split()]
        number += len(names)
        try:
            results = list(_results(place, needed, names))
        except Unanswered as error:
            if not error.denied:
                raise
            yield warning(
                place.name,
                f"What {deployer} may do is not known: {error.reason}.",
                "Grant it to whoever runs this, to know before `up` does.",
            )
            return
        for action, why in results:
            service, _, name = action.partition(":")
            denied[service][why].append(name)
    for service, reasons in denied.items():
        for why, actions in reasons.items():
            tell = warning if why == UNDECIDED else problem
            yield tell(
                place.name,
                f"{deployer} may not, {why}: {service}:{{{', '.join(actions)}}}.",
                "Allow it to the deployer.",
            )
    if not denied:
        yield ok(place.name, f"The deployer may do the {number} things that were asked about.")


UNDECIDED = "unless a condition is met that cannot be simulated"


def _results(place: Place, needed: Actions, names: list[str]) -> Iterator[tuple[str, str]]:
    """The actions that are not allowed, and why."""
    context = [("aws:RequestedRegion", place.region)]
    if needed.passed_to:
        context.append(("iam:PassedToService", needed.passed_to))
    if boundary := place.foundation.permissions_boundary:
        context.append(("iam:PermissionsBoundary", boundary))
    resource = needed.resource.format(
        partition=place.partition, region=place.region, account=place.account, prefix=place.settings.prefix
    )
    for result in place.every(
        "iam",
        "simulate_principal_policy",
        "EvaluationResults",
        PolicySourceArn=place.foundation.deployer,
        ActionNames=names,
        ResourceArns=[resource],
        ContextEntries=[
            {"ContextKeyName": key, "ContextKeyValues": [value], "ContextKeyType": "string"}
            for key, value in context
        ],
    ):
        if result["EvalDecision"] == "allowed":
            continue
        if not result.get("OrganizationsDecisionDetail", {}).get("AllowedByOrganizations", True):
            why = "by a policy of the organization"
        elif not result.get("PermissionsBoundaryDecisionDetail", {}).get(
            "AllowedByPermissionsBoundary", True
        ):
            why = "by its permissions boundary"
        elif result["EvalDecision"] == "explicitDeny":
            why = "by an explicit deny"
        elif result.get("MissingContextValues"):
            why = UNDECIDED
        else:
            why = f"as nothing allows it on {resource}"
        yield str(result["EvalActionName"]), why
