"""How what a create had made is found: by tags where AWS gives it an id, by its inputs where they name it.

The ids are those to import, as the documentation of each type says under "Import"
(https://www.pulumi.com/registry/packages/aws/, and the docstrings of the pinned pulumi-aws).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import jmespath

from moka.names import ENVIRONMENT_TAG, RESOURCE_TAG, resource_tag


@dataclass(frozen=True)
class Search:
    """How the id of a resource is found.

    id: to import: a template of its inputs, and of `found` where AWS is asked.
    service, operation: the question, as boto3 names it; empty where the inputs name the resource.
    request: its members, with templates of inputs.
    at: JMESPath of the answer: `id` and `tags` of each; without `tags`, only inputs say which it is.
    tags: a second question, about each `found`, where the first answer has no tags; its `at` are the tags.
    """

    id: str = "{found}"
    service: str = ""
    operation: str = ""
    request: Mapping[str, Any] = field(default_factory=dict)
    at: str = ""
    tags: "Search | None" = None


@dataclass(frozen=True)
class Question:
    """A request to AWS that a search makes."""

    service: str
    operation: str
    members: Mapping[str, Any]


def _tag_search(operation: str, noun: str, id: str, filters: str = "Filters", **values: str) -> Search:
    """What EC2 shows of a kind with the tags of a resource. values: further filters."""
    conditions = [
        {"Name": f"tag:{RESOURCE_TAG}", "Values": ["{resource_tag}"]},
        {"Name": f"tag:{ENVIRONMENT_TAG}", "Values": ["{environment_tag}"]},
        *({"Name": name.replace("_", "-"), "Values": text.split()} for name, text in values.items()),
    ]
    return Search(
        service="ec2",
        operation=operation,
        request={filters: conditions},
        at=f"{noun}[].{{id: {id}, tags: Tags}}",
    )


def _name_search(id: str) -> Search:
    return Search(id=id)


# They go on to show what was deleted an hour ago.
NAT = _tag_search("describe_nat_gateways", "NatGateways", "NatGatewayId", "Filter", state="pending available")
ENDPOINT = _tag_search(
    "describe_vpc_endpoints", "VpcEndpoints", "VpcEndpointId", vpc_endpoint_state="pending available"
)
ATTACHMENT = _tag_search(
    "describe_transit_gateway_vpc_attachments",
    "TransitGatewayVpcAttachments",
    "TransitGatewayAttachmentId",
    state="pending available initiating modifying pendingAcceptance",
)
RULE = _tag_search("describe_security_group_rules", "SecurityGroupRules", "SecurityGroupRuleId")
RANGE = Search(
    service="ec2",
    operation="describe_vpcs",
    request={"VpcIds": ["{vpcId}"]},
    at="Vpcs[].CidrBlockAssociationSet[?CidrBlock=='{cidrBlock}' && CidrBlockState.State=='associated'][]"
    ".{id: AssociationId}",
)
RESERVATION = Search(
    id="{subnetId}:{found}",
    service="ec2",
    operation="get_subnet_cidr_reservations",
    request={"SubnetId": "{subnetId}"},
    at="SubnetIpv4CidrReservations[?Cidr=='{cidrBlock}'].{id: SubnetCidrReservationId}",
)
DEFAULT_GROUP = Search(
    service="ec2",
    operation="describe_security_groups",
    request={
        "Filters": [
            {"Name": "vpc-id", "Values": ["{vpcId}"]},
            {"Name": "group-name", "Values": ["default"]},
        ]
    },
    at="SecurityGroups[].{id: GroupId}",
)
POD_IDENTITY = Search(
    id="{clusterName},{found}",
    service="eks",
    operation="list_pod_identity_associations",
    request={
        "clusterName": "{clusterName}",
        "namespace": "{namespace}",
        "serviceAccount": "{serviceAccount}",
    },
    at="associations[].{id: associationId}",
)
KEY = Search(
    service="resourcegroupstaggingapi",
    operation="get_resources",
    request={
        "TagFilters": [
            {"Key": RESOURCE_TAG, "Values": ["{resource_tag}"]},
            {"Key": ENVIRONMENT_TAG, "Values": ["{environment_tag}"]},
        ],
        "ResourceTypeFilters": ["kms:key"],
    },
    at="ResourceTagMappingList[].{id: ResourceARN, tags: Tags}",
)
WORKSPACE = Search(
    service="amp", operation="list_workspaces", at="workspaces[].{id: workspaceId, tags: tags || `{}`}"
)

SEARCHES: dict[str, Search] = {
    "aws:ec2/vpc:Vpc": _tag_search("describe_vpcs", "Vpcs", "VpcId"),
    "aws:ec2/subnet:Subnet": _tag_search("describe_subnets", "Subnets", "SubnetId"),
    "aws:ec2/internetGateway:InternetGateway": _tag_search(
        "describe_internet_gateways", "InternetGateways", "InternetGatewayId"
    ),
    "aws:ec2/eip:Eip": _tag_search("describe_addresses", "Addresses", "AllocationId"),
    "aws:ec2/natGateway:NatGateway": NAT,
    "aws:ec2/routeTable:RouteTable": _tag_search("describe_route_tables", "RouteTables", "RouteTableId"),
    "aws:ec2/securityGroup:SecurityGroup": _tag_search(
        "describe_security_groups", "SecurityGroups", "GroupId"
    ),
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": RULE,
    "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule": RULE,
    "aws:ec2/vpcEndpoint:VpcEndpoint": ENDPOINT,
    "aws:ec2/flowLog:FlowLog": _tag_search("describe_flow_logs", "FlowLogs", "FlowLogId", "Filter"),
    "aws:ec2/launchTemplate:LaunchTemplate": _tag_search(
        "describe_launch_templates", "LaunchTemplates", "LaunchTemplateId"
    ),
    "aws:ec2transitgateway/vpcAttachment:VpcAttachment": ATTACHMENT,
    "aws:ec2/vpcIpv4CidrBlockAssociation:VpcIpv4CidrBlockAssociation": RANGE,
    "aws:ec2/subnetCidrReservation:SubnetCidrReservation": RESERVATION,
    "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup": DEFAULT_GROUP,
    "aws:ec2/route:Route": _name_search(
        "{routeTableId}_{destinationCidrBlock|destinationIpv6CidrBlock|destinationPrefixListId}"
    ),
    "aws:ec2/routeTableAssociation:RouteTableAssociation": _name_search(
        "{subnetId|gatewayId}/{routeTableId}"
    ),
    "aws:eks/podIdentityAssociation:PodIdentityAssociation": POD_IDENTITY,
    "aws:eks/cluster:Cluster": _name_search("{name}"),
    "aws:eks/nodeGroup:NodeGroup": _name_search("{clusterName}:{nodeGroupName}"),
    "aws:eks/addon:Addon": _name_search("{clusterName}:{addonName}"),
    "aws:eks/accessEntry:AccessEntry": _name_search("{clusterName}:{principalArn}"),
    "aws:eks/accessPolicyAssociation:AccessPolicyAssociation": _name_search(
        "{clusterName}#{principalArn}#{policyArn}"
    ),
    "aws:iam/role:Role": _name_search("{name}"),
    "aws:iam/instanceProfile:InstanceProfile": _name_search("{name}"),
    "aws:iam/rolePolicy:RolePolicy": _name_search("{role}:{name}"),
    "aws:iam/rolePolicyAttachment:RolePolicyAttachment": _name_search("{role}/{policyArn}"),
    "aws:kms/key:Key": KEY,
    "aws:kms/alias:Alias": _name_search("{name}"),
    "aws:cloudwatch/logGroup:LogGroup": _name_search("{name}"),
    "aws:ecr/repository:Repository": _name_search("{name}"),
    "aws:ecr/lifecyclePolicy:LifecyclePolicy": _name_search("{repository}"),
    "aws:ecr/repositoryPolicy:RepositoryPolicy": _name_search("{repository}"),
    "aws:ecr/pullThroughCacheRule:PullThroughCacheRule": _name_search("{ecrRepositoryPrefix}"),
    "aws:ecr/repositoryCreationTemplate:RepositoryCreationTemplate": _name_search("{prefix}"),
    "aws:autoscaling/schedule:Schedule": _name_search("{autoscalingGroupName}/{scheduledActionName}"),
    "aws:autoscaling/tag:Tag": _name_search("{autoscalingGroupName},{tag.key}"),
    "aws:route53/record:Record": _name_search("{zoneId}_{name}_{type}"),
    "aws:amp/workspace:Workspace": WORKSPACE,
    "aws:amp/alertManagerDefinition:AlertManagerDefinition": _name_search("{workspaceId}"),
    "aws:rds/subnetGroup:SubnetGroup": _name_search("{name}"),
    "aws:rds/clusterParameterGroup:ClusterParameterGroup": _name_search("{name}"),
    "aws:rds/cluster:Cluster": _name_search("{clusterIdentifier}"),
    "aws:rds/clusterInstance:ClusterInstance": _name_search("{identifier}"),
    "aws:s3/bucket:Bucket": _name_search("{bucket}"),
    **{
        f"aws:s3/bucket{part}:Bucket{part}": _name_search("{bucket}")
        for part in (
            "LifecycleConfiguration",
            "Logging",
            "OwnershipControls",
            "Policy",
            "PublicAccessBlock",
            "ServerSideEncryptionConfiguration",
            "Versioning",
        )
    },
}
"""Type -> how what its create made is found."""

AUTONAMED: dict[str, Search] = {
    "aws:iam/role:Role": Search(
        service="iam",
        operation="list_roles",
        at="Roles[].{id: RoleName}",
        tags=Search(service="iam", operation="list_role_tags", request={"RoleName": "{found}"}, at="Tags"),
    ),
    "aws:iam/rolePolicy:RolePolicy": Search(
        id="{role}:{found}",
        service="iam",
        operation="list_role_policies",
        request={"RoleName": "{role}"},
        at="PolicyNames[].{id: @}",
    ),
}
"""Type -> how what Pulumi has named is found, where nobody wrote the name down."""

LETTERS = "-[0-9a-f]{7}"
"""What Pulumi adds to a logical name: `AutoName` in pulumi-terraform-bridge's pkg/tfbridge/names.go."""

MAKES_NOTHING = frozenset({"aws:acm/certificateValidation:CertificateValidation"})
"""Types that only wait."""

TAGGED_LATER = frozenset({"aws:s3/bucket:Bucket", "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup"})
"""Types whose tags come by a call after that which makes them: a kill between the two leaves it untagged.

The default group comes with its VPC, before there is a resource of ours for it.
"""


def question(search: Search, variables: Mapping[str, Any]) -> Question | None:
    """What AWS is asked; None where the inputs name it. Raises KeyError where an input is missing."""
    if not search.operation:
        return None
    return Question(search.service, search.operation, _rendering(search.request, variables))


def ids(search: Search, variables: Mapping[str, Any], answer: Any) -> list[str]:
    """Ids to import of what there may be. Raises KeyError where an input is missing.

    answer: to the search's question; None where it has none.
    """
    if not search.operation:
        return [id_of(search, variables)]
    things = jmespath.search(_text(search.at, variables), answer) or []
    return [
        id_of(search, variables, str(thing["id"]).rpartition(":key/")[2])
        for thing in things
        if "tags" not in thing or belongs(tags_of(thing["tags"]), variables)
    ]


def autonamed(inputs: Mapping[str, Any]) -> bool:
    """Whether Pulumi gave the name among some inputs, with letters that are others in each preview."""
    return "name" in (inputs.get("__defaults") or ())


def named_after(name: str, logical_name: str) -> bool:
    """Whether Pulumi may have given a resource of a logical name this name."""
    return re.fullmatch(re.escape(logical_name) + LETTERS, name) is not None


def id_of(search: Search, inputs: Mapping[str, Any], id: str = "") -> str:
    """Id to import of a resource with some inputs, and an id that AWS gave it. Raises KeyError as above."""
    return _text(search.id, {**inputs, "found": id})


def tag_values(logical_name: str, stack: str) -> dict[str, str]:
    """Variables of the tags of a resource: which it is, and of which environment, whatever its slices are."""
    return {"resource_tag": resource_tag(logical_name), "environment_tag": stack.partition(".")[0]}


def belongs(tags: Mapping[str, str], variables: Mapping[str, Any]) -> bool:
    """Whether tags are those of the resource and its environment."""
    values = {RESOURCE_TAG: variables["resource_tag"], ENVIRONMENT_TAG: variables["environment_tag"]}
    return values.items() <= tags.items()


def tags_of(tags: Any) -> dict[str, str]:
    """Tags as a map, from a map or a list of keys and values."""
    return dict(tags) if isinstance(tags, Mapping) else {tag["Key"]: tag["Value"] for tag in tags or []}


def object_id(inputs: Mapping[str, Any]) -> str:
    """Id to import of an object or a release in Kubernetes. Raises KeyError where it has no name."""
    metadata = inputs.get("metadata") or inputs
    return "/".join(part for part in (metadata.get("namespace"), metadata["name"]) if part)


def _rendering(template: Any, variables: Mapping[str, Any]) -> Any:
    match template:
        case str():
            return _text(template, variables)
        case Mapping():
            return {name: _rendering(item, variables) for name, item in template.items()}
        case list():
            return [_rendering(item, variables) for item in template]
    return template


PLACE = re.compile(r"\{([\w.|]+)\}")
"""In a template: `{input}`, `{one|other}`, `{structure.member}`; JMESPath's own braces hold more."""


def _text(template: str, variables: Mapping[str, Any]) -> str:
    return PLACE.sub(lambda place: _value(place[1], variables), template)


def _value(names: str, variables: Mapping[str, Any]) -> str:
    for name in names.split("|"):
        value: Any = variables
        for step in name.split("."):
            value = value.get(step) if isinstance(value, Mapping) else None
        if isinstance(value, str) and value:
            return value
    raise KeyError(names)
