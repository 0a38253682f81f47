"""Permissions: what the deployer is allowed, by IAM's own simulation."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from doctor.account import NoAnswer, Place
from doctor.finding import Finding, ok, problem, warning


@dataclass(frozen=True)
class RequiredActions:
    """Actions that deploying takes.

    resource: what they act on, as an ARN; {partition}, {region}, {account}, {prefix} are filled in.
    names: service -> actions.
    applies: whether a foundation takes them; by default every one does.
    passed_to: service that a role is passed to, where that is what the action does.
    """

    resource: str
    names: dict[str, str]
    applies: Callable[[Place], bool] = lambda place: True
    passed_to: str = ""


def _makes_network(place: Place) -> bool:
    return place.foundation.network is not None


def _joins_transit_gateway(place: Place) -> bool:
    network = place.foundation.network
    return network is not None and network.transit_gateway is not None


def _has_registry(place: Place) -> bool:
    return place.settings.registry is not None and place.settings.registry.foundation == place.name


def _has_schedules(place: Place) -> bool:
    return any(g.schedule for cluster in place.clusters.values() for g in cluster.node_groups.values())


def _has_clusters(place: Place) -> bool:
    return bool(place.clusters)


REQUIRED_ACTIONS = (
    RequiredActions(
        "*",
        {
            "ec2": "CreateVpc DeleteVpc ModifyVpcAttribute AssociateVpcCidrBlock CreateSubnet DeleteSubnet "
            "CreateRouteTable CreateRoute ReplaceRoute AssociateRouteTable CreateInternetGateway "
            "AttachInternetGateway AllocateAddress ReleaseAddress CreateNatGateway DeleteNatGateway "
            "CreateVpcEndpoint ModifyVpcEndpoint CreateFlowLogs ModifySubnetAttribute"
        },
        _makes_network,
    ),
    RequiredActions(
        "*",
        {
            "ec2": "CreateTransitGatewayVpcAttachment ModifyTransitGatewayVpcAttachment "
            "DeleteTransitGatewayVpcAttachment DescribeTransitGatewayVpcAttachments"
        },
        _joins_transit_gateway,
    ),
    RequiredActions(
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
    RequiredActions(
        "arn:{partition}:s3:::{prefix}-{account}-{region}-event-logs",
        {
            "s3": "CreateBucket DeleteBucket PutBucketPolicy PutBucketPublicAccessBlock PutBucketVersioning "
            "PutEncryptionConfiguration PutLifecycleConfiguration PutBucketLogging PutBucketTagging "
            "PutBucketOwnershipControls "
            "GetBucketPolicy ListBucket"
        },
    ),
    RequiredActions(
        "arn:{partition}:logs:{region}:{account}:log-group:/aws/eks/{prefix}-x/cluster",
        {"logs": "CreateLogGroup DeleteLogGroup PutRetentionPolicy TagResource"},
    ),
    RequiredActions(
        "arn:{partition}:iam::{account}:role/{prefix}/x",
        {
            "iam": "CreateRole DeleteRole GetRole TagRole UpdateAssumeRolePolicy PutRolePolicy "
            "DeleteRolePolicy AttachRolePolicy DetachRolePolicy ListAttachedRolePolicies"
        },
    ),
    RequiredActions(
        "arn:{partition}:iam::{account}:role/{prefix}/x",
        {"iam": "PassRole"},
        _has_clusters,
        passed_to="eks.amazonaws.com",
    ),
    RequiredActions(
        "arn:{partition}:eks:{region}:{account}:cluster/{prefix}-x",
        {
            "eks": "CreateCluster DescribeCluster UpdateClusterConfig UpdateClusterVersion DeleteCluster "
            "TagResource CreateNodegroup CreateAddon CreateAccessEntry CreatePodIdentityAssociation"
        },
        _has_clusters,
    ),
    RequiredActions(
        "arn:{partition}:eks:{region}:{account}:access-entry/{prefix}-x/role/{account}/x/x",
        {"eks": "DescribeAccessEntry AssociateAccessPolicy DisassociateAccessPolicy DeleteAccessEntry"},
        _has_clusters,
    ),
    RequiredActions(
        "arn:{partition}:eks:{region}:{account}:nodegroup/{prefix}-x/x/x",
        {"eks": "DescribeNodegroup UpdateNodegroupConfig UpdateNodegroupVersion DeleteNodegroup"},
        _has_clusters,
    ),
    RequiredActions(
        "*",
        {"autoscaling": "PutScheduledUpdateGroupAction DeleteScheduledAction DescribeScheduledActions"},
        _has_schedules,
    ),
    RequiredActions(
        "arn:{partition}:ecr:{region}:{account}:repository/{prefix}/x",
        {
            "ecr": "CreateRepository DeleteRepository PutLifecyclePolicy SetRepositoryPolicy "
            "PutImageTagMutability PutImageScanningConfiguration TagResource"
        },
        _has_registry,
    ),
    RequiredActions(
        "*",
        {"ecr": "PutRegistryPolicy CreatePullThroughCacheRule CreateRepositoryCreationTemplate"},
        _has_registry,
    ),
)
"""What `up`, `refresh` and `down` need for what the program makes."""


def simulation(place: Place) -> Iterator[Finding]:
    """IAM's decision on every action, with the organization's policies and the deployer's own boundary."""
    deployer = place.foundation.deployer
    denied: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    number = 0
    for required in REQUIRED_ACTIONS:
        if not required.applies(place):
            continue
        names = [f"{service}:{name}" for service, all_ in required.names.items() for name in all_.split()]
        number += len(names)
        try:
            denials = list(_denials(place, required, names))
        except NoAnswer as error:
            if not error.denied:
                raise
            yield warning(
                place.name,
                f"What {deployer} may do is not known: {error.reason}.",
                "Grant it to the principal that runs the doctor, to know before `up` fails.",
            )
            return
        for action, reason in denials:
            service, _, name = action.partition(":")
            denied[service][reason].append(name)
    for service, reasons in denied.items():
        for reason, actions in reasons.items():
            finding = warning if reason == UNDECIDED else problem
            yield finding(
                place.name,
                f"{deployer} is denied {service}:{{{', '.join(actions)}}} {reason}.",
                "Grant it to the deployer.",
            )
    if not denied:
        yield ok(place.name, f"The deployer is allowed all {number} actions that deploying takes.")


UNDECIDED = "unless a condition is met that cannot be simulated"


def _denials(place: Place, required: RequiredActions, names: list[str]) -> Iterator[tuple[str, str]]:
    """The actions that are not allowed, each with the reason."""
    context = [("aws:RequestedRegion", place.region)]
    if required.passed_to:
        context.append(("iam:PassedToService", required.passed_to))
    if boundary := place.foundation.permissions_boundary:
        context.append(("iam:PermissionsBoundary", boundary))
    resource = required.resource.format(
        partition=place.partition, region=place.region, account=place.account, prefix=place.settings.prefix
    )
    for result in place.items(
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
            reason = "by a policy of the organization"
        elif not result.get("PermissionsBoundaryDecisionDetail", {}).get(
            "AllowedByPermissionsBoundary", True
        ):
            reason = "by its permissions boundary"
        elif result["EvalDecision"] == "explicitDeny":
            reason = "by an explicit deny"
        elif result.get("MissingContextValues"):
            reason = UNDECIDED
        else:
            reason = f"as nothing allows it on {resource}"
        yield str(result["EvalActionName"]), reason
