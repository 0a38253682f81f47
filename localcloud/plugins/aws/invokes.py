"""Functions of Pulumi's AWS package that programs call: a row each, by token."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from localcloud.errors import Refusal
from localcloud.plugins.aws import addons
from localcloud.plugins.aws.api import Api, gone
from localcloud.plugins.aws.mapping import from_members

Answer = dict[str, Any]


@dataclass(frozen=True)
class Function:
    """A function.

    arguments: names that it takes, `!` after those that must be there.
    """

    arguments: str
    answer: Callable[[Api, Mapping[str, Any]], Answer]


def answer(api: Api, token: str, arguments: Mapping[str, Any]) -> Answer:
    """What a function answers. Raises Refusal for one that is not here, or does not take an argument."""
    function = FUNCTIONS.get(token)
    if function is None:
        raise Refusal(
            f"{token} is not simulated by the laptop cloud: add a row for it to "
            "localcloud/plugins/aws/invokes.py, or do without it in the stack that runs here."
        )
    names = {name.rstrip("!"): name.endswith("!") for name in function.arguments.split()}
    for name in arguments:
        if name not in names:
            raise Refusal(
                f"{token} does not take {name} in the laptop cloud, but {', '.join(names) or 'nothing'}."
            )
    missing = [name for name, required in names.items() if required and arguments.get(name) is None]
    if missing:
        raise Refusal(f"{token} needs {', '.join(missing)}.")
    return function.answer(api, arguments)


def _region(api: Api, arguments: Mapping[str, Any]) -> str:
    return str(arguments.get("region") or api.region)


# --- who and where ---


def caller_identity(api: Api, arguments: Mapping[str, Any]) -> Answer:
    """Who the plugin is to AWS."""
    who = api.call("sts", "get_caller_identity", {})
    return {"accountId": who["Account"], "arn": who["Arn"], "userId": who["UserId"], "id": who["Account"]}


def region(api: Api, arguments: Mapping[str, Any]) -> Answer:
    """The region that is meant."""
    name = arguments.get("name") or _region(api, arguments)
    return {
        "id": name,
        "name": name,
        "region": name,
        "description": DESCRIPTIONS.get(name, name),
        "endpoint": f"ec2.{name}.amazonaws.com",
    }


DESCRIPTIONS = {
    "us-east-1": "US East (N. Virginia)",
    "us-east-2": "US East (Ohio)",
    "us-west-1": "US West (N. California)",
    "us-west-2": "US West (Oregon)",
    "eu-central-1": "Europe (Frankfurt)",
    "eu-west-1": "Europe (Ireland)",
}


def partition(api: Api, arguments: Mapping[str, Any]) -> Answer:
    """The partition of the region that is meant."""
    name = api.partition
    suffix = "amazonaws.com.cn" if name == "aws-cn" else "amazonaws.com"
    return {
        "id": name,
        "partition": name,
        "dnsSuffix": suffix,
        "reverseDnsPrefix": ".".join(reversed(suffix.split("."))),
    }


def availability_zones(api: Api, arguments: Mapping[str, Any]) -> Answer:
    """Zones of the region."""
    region = _region(api, arguments)
    shown = api.call("ec2", "describe_availability_zones", {"Filters": _filters(arguments)}, region)
    left_out = set(arguments.get("excludeNames") or ()) | set(arguments.get("excludeZoneIds") or ())
    state = arguments.get("state")
    zones = sorted(
        (
            zone
            for zone in shown["AvailabilityZones"]
            if not {zone["ZoneName"], zone["ZoneId"]} & left_out and state in (None, zone["State"])
        ),
        key=lambda zone: str(zone["ZoneName"]),
    )
    return {
        "id": region,
        "region": region,
        "names": [zone["ZoneName"] for zone in zones],
        "zoneIds": [zone["ZoneId"] for zone in zones],
        "groupNames": sorted({zone.get("GroupName", region) for zone in zones}),
        **{
            name: arguments[name]
            for name in ("state", "filters", "excludeNames", "excludeZoneIds")
            if name in arguments
        },
    }


# --- networks ---


def _filters(arguments: Mapping[str, Any]) -> list[dict[str, Any]]:
    filters = [{"Name": each["name"], "Values": each["values"]} for each in arguments.get("filters") or ()]
    return filters + [
        {"Name": f"tag:{key}", "Values": [text]} for key, text in (arguments.get("tags") or {}).items()
    ]


def _one(found: list[Any], what: str) -> Any:
    if len(found) != 1:
        raise Refusal(
            f"{what} must find exactly one and found {len(found)}: say more exactly which is meant."
        )
    return found[0]


def _tags(shown: Mapping[str, Any]) -> dict[str, str]:
    return {each["Key"]: each["Value"] for each in shown.get("Tags", ())}


def vpc(api: Api, arguments: Mapping[str, Any]) -> Answer:
    """One VPC."""
    region, filters = _region(api, arguments), _filters(arguments)
    for name, filter_ in (("default", "is-default"), ("cidrBlock", "cidr"), ("state", "state")):
        if name in arguments:
            filters.append({"Name": filter_, "Values": [str(arguments[name]).lower()]})
    ids = {"VpcIds": [arguments["id"]]} if arguments.get("id") else {}
    shown = _one(
        api.call("ec2", "describe_vpcs", {"Filters": filters, **ids}, region)["Vpcs"], "aws:ec2/getVpc"
    )
    id = shown["VpcId"]

    def attribute(member: str, name: str) -> bool:
        return bool(
            api.call("ec2", "describe_vpc_attribute", {"VpcId": id, "Attribute": name}, region)[member][
                "Value"
            ]
        )

    tables = api.call(
        "ec2",
        "describe_route_tables",
        {"Filters": [{"Name": "vpc-id", "Values": [id]}, {"Name": "association.main", "Values": ["true"]}]},
        region,
    )["RouteTables"]
    return {
        "id": id,
        "region": region,
        "arn": f"arn:{api.partition}:ec2:{region}:{shown['OwnerId']}:vpc/{id}",
        "cidrBlock": shown["CidrBlock"],
        "cidrBlockAssociations": [
            {
                "associationId": each["AssociationId"],
                "cidrBlock": each["CidrBlock"],
                "state": each["CidrBlockState"]["State"],
            }
            for each in shown.get("CidrBlockAssociationSet", ())
        ],
        "default": shown["IsDefault"],
        "dhcpOptionsId": shown.get("DhcpOptionsId", ""),
        "enableDnsHostnames": attribute("EnableDnsHostnames", "enableDnsHostnames"),
        "enableDnsSupport": attribute("EnableDnsSupport", "enableDnsSupport"),
        "enableNetworkAddressUsageMetrics": attribute(
            "EnableNetworkAddressUsageMetrics", "enableNetworkAddressUsageMetrics"
        ),
        "instanceTenancy": shown["InstanceTenancy"],
        "ipv6AssociationId": "",
        "ipv6CidrBlock": "",
        "mainRouteTableId": tables[0]["RouteTableId"] if tables else "",
        "ownerId": shown["OwnerId"],
        "state": shown["State"],
        "tags": _tags(shown),
    }


SUBNET_FILTERS = {
    "availabilityZone": "availability-zone",
    "availabilityZoneId": "availability-zone-id",
    "cidrBlock": "cidr-block",
    "defaultForAz": "default-for-az",
    "state": "state",
    "vpcId": "vpc-id",
}


def subnet(api: Api, arguments: Mapping[str, Any]) -> Answer:
    """One subnet."""
    region, filters = _region(api, arguments), _filters(arguments)
    filters += [
        {"Name": filter_, "Values": [str(arguments[name]).lower()]}
        for name, filter_ in SUBNET_FILTERS.items()
        if name in arguments
    ]
    ids = {"SubnetIds": [arguments["id"]]} if arguments.get("id") else {}
    found = api.call("ec2", "describe_subnets", {"Filters": filters, **ids}, region)["Subnets"]
    shown = _one(found, "aws:ec2/getSubnet")
    shape = api.shapes("ec2", "describe_subnets").output_shape.members["Subnets"].member
    plain = from_members(shown, shape)
    return {name: plain[name] for name in SUBNET_SHOWN if plain.get(name) is not None} | {
        "id": shown["SubnetId"],
        "region": region,
        "arn": shown["SubnetArn"],
        "availableIpAddressCount": shown["AvailableIpAddressCount"],
        "ipv6CidrBlock": "",
        "ipv6CidrBlockAssociationId": "",
        "tags": _tags(shown),
    }


SUBNET_SHOWN = (
    "assignIpv6AddressOnCreation",
    "availabilityZone",
    "availabilityZoneId",
    "cidrBlock",
    "defaultForAz",
    "mapPublicIpOnLaunch",
    "ownerId",
    "state",
    "vpcId",
)


def subnets(api: Api, arguments: Mapping[str, Any]) -> Answer:
    """Subnets."""
    region = _region(api, arguments)
    found = api.call("ec2", "describe_subnets", {"Filters": _filters(arguments)}, region)["Subnets"]
    given = {name: arguments[name] for name in ("filters", "tags") if name in arguments}
    return {"id": region, "region": region, "ids": sorted(each["SubnetId"] for each in found), **given}


# --- machines ---


def instance_type(api: Api, arguments: Mapping[str, Any]) -> Answer:
    """What a type of instance has."""
    region, name = _region(api, arguments), arguments["instanceType"]
    shown = _one(
        api.call("ec2", "describe_instance_types", {"InstanceTypes": [name]}, region)["InstanceTypes"],
        f"aws:ec2/getInstanceType for {name}",
    )
    return {
        "id": name,
        "region": region,
        "instanceType": name,
        "bareMetal": shown.get("BareMetal", False),
        "burstablePerformanceSupported": shown.get("BurstablePerformanceSupported", False),
        "currentGeneration": shown.get("CurrentGeneration", True),
        "defaultVcpus": shown["VCpuInfo"]["DefaultVCpus"],
        "defaultCores": shown["VCpuInfo"].get("DefaultCores"),
        "memorySize": shown["MemoryInfo"]["SizeInMiB"],
        "instanceStorageSupported": shown.get("InstanceStorageSupported", False),
        "totalInstanceStorage": (shown.get("InstanceStorageInfo") or {}).get("TotalSizeInGB", 0),
        "supportedArchitectures": shown["ProcessorInfo"]["SupportedArchitectures"],
    }


def instance_types(api: Api, arguments: Mapping[str, Any]) -> Answer:
    """Names of the types of instance that filters let through."""
    region = _region(api, arguments)
    pages = api.client("ec2", region).get_paginator("describe_instance_types")
    listed = [each for page in pages.paginate(Filters=_filters(arguments)) for each in page["InstanceTypes"]]
    given = {name: arguments[name] for name in ("filters",) if name in arguments}
    return {
        "id": region,
        "region": region,
        "instanceTypes": [each["InstanceType"] for each in listed],
        **given,
    }


# --- EKS ---


def cluster(api: Api, arguments: Mapping[str, Any]) -> Answer:
    """One cluster."""
    region, name = _region(api, arguments), arguments["name"]
    shown = api.call("eks", "describe_cluster", {"name": name}, region)["cluster"]
    shape = api.shapes("eks", "describe_cluster").output_shape.members["cluster"]
    plain = from_members(shown, shape)
    issuer = ((shown.get("identity") or {}).get("oidc") or {}).get("issuer", "")
    on = [kind for each in shown["logging"]["clusterLogging"] if each["enabled"] for kind in each["types"]]
    same = (
        "arn",
        "createdAt",
        "endpoint",
        "platformVersion",
        "roleArn",
        "status",
        "version",
        "deletionProtection",
    )
    return {name: plain[name] for name in same} | {
        "id": name,
        "name": name,
        "region": region,
        "accessConfigs": [plain["accessConfig"]],
        "certificateAuthorities": [plain["certificateAuthority"]],
        "enabledClusterLogTypes": on,
        "identities": [{"oidcs": [{"issuer": issuer}]}],
        "kubernetesNetworkConfigs": [
            {
                "ipFamily": plain["kubernetesNetworkConfig"].get("ipFamily", ""),
                "serviceIpv4Cidr": plain["kubernetesNetworkConfig"].get("serviceIpv4Cidr", ""),
                "serviceIpv6Cidr": "",
                "elasticLoadBalancings": [],
            }
        ],
        "tags": shown.get("tags") or {},
        "upgradePolicies": [plain["upgradePolicy"]],
        "vpcConfig": plain["resourcesVpcConfig"],
    }


def cluster_auth(api: Api, arguments: Mapping[str, Any]) -> Answer:
    """A token for a cluster: that of its control plane here."""
    from localcloud.control_plane import ControlPlane

    token = ControlPlane(api.cloud, arguments["name"]).token_file.read_text().strip()
    return {
        "id": arguments["name"],
        "name": arguments["name"],
        "region": _region(api, arguments),
        "token": token,
    }


def addon_version(api: Api, arguments: Mapping[str, Any]) -> Answer:
    """The version of an add-on that goes with a version of Kubernetes."""
    name = arguments["addonName"]
    return {
        "id": name,
        "addonName": name,
        "kubernetesVersion": arguments["kubernetesVersion"],
        "region": _region(api, arguments),
        "version": addons.latest(name, arguments["kubernetesVersion"]),
        **({"mostRecent": arguments["mostRecent"]} if "mostRecent" in arguments else {}),
    }


# --- documents and parameters ---


def policy_document(api: Api, arguments: Mapping[str, Any]) -> Answer:
    """A policy of statements, as JSON."""
    document: dict[str, Any] = {"Version": arguments.get("version", "2012-10-17")}
    if arguments.get("policyId"):
        document["Id"] = arguments["policyId"]
    document["Statement"] = [_statement(each) for each in arguments.get("statements") or ()]
    for name in ("sourcePolicyDocuments", "overridePolicyDocuments"):
        for text in arguments.get(name) or ():
            _merge(document["Statement"], json.loads(text)["Statement"], override=name.startswith("override"))
    given = {name: arguments[name] for name in arguments if name != "version"}
    text = json.dumps(document, indent=2)
    return {
        "id": "policy",
        "json": text,
        "minifiedJson": json.dumps(document, separators=(",", ":")),
        **given,
    }


def _merge(statements: list[Any], others: Any, *, override: bool) -> None:
    for other in others if isinstance(others, list) else [others]:
        same = [
            i for i, each in enumerate(statements) if other.get("Sid") and each.get("Sid") == other["Sid"]
        ]
        if not same:
            statements.append(other)
        elif override:
            statements[same[0]] = other


def _statement(said: Mapping[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    if said.get("sid"):
        made["Sid"] = said["sid"]
    made["Effect"] = said.get("effect", "Allow")
    for name, member in (
        ("actions", "Action"),
        ("notActions", "NotAction"),
        ("resources", "Resource"),
        ("notResources", "NotResource"),
    ):
        if said.get(name):
            made[member] = _alone(said[name])
    for name, member in (("principals", "Principal"), ("notPrincipals", "NotPrincipal")):
        if said.get(name):
            made[member] = _principals(said[name])
    for condition in said.get("conditions") or ():
        tests = made.setdefault("Condition", {}).setdefault(condition["test"], {})
        tests[condition["variable"]] = _alone(condition["values"])
    return made


def _principals(said: list[Mapping[str, Any]]) -> Any:
    if said == [{"type": "*", "identifiers": ["*"]}]:
        return "*"
    return {each["type"]: _alone(each["identifiers"]) for each in said}


def _alone(values: list[Any]) -> Any:
    return values[0] if len(values) == 1 else sorted(values, reverse=True)


AMI_PARAMETERS = "/aws/service/eks/optimized-ami/"
"""Where AWS publishes the machine images of EKS."""


def parameter(api: Api, arguments: Mapping[str, Any]) -> Answer:
    """A parameter. Those of EKS's machine images are made up: nothing here boots from them."""
    region, name = _region(api, arguments), arguments["name"]
    try:
        shown = api.call(
            "ssm",
            "get_parameter",
            {"Name": name, "WithDecryption": arguments.get("withDecryption", True)},
            region,
        )["Parameter"]
    except Exception as error:
        if not gone(error) or not name.startswith(AMI_PARAMETERS):
            raise
        shown = {
            "Type": "String",
            "Value": _image(name),
            "Version": 1,
            "ARN": f"arn:{api.partition}:ssm:{region}::parameter{name}",
        }
    insecure = {} if shown["Type"] == "SecureString" else {"insecureValue": shown["Value"]}
    return {
        "id": name,
        "name": name,
        "region": region,
        "arn": shown["ARN"],
        "type": shown["Type"],
        "value": shown["Value"],
        "version": shown["Version"],
        "withDecryption": arguments.get("withDecryption", True),
        **insecure,
    }


def _image(name: str) -> str:
    from hashlib import sha256

    if name.endswith("/release_version"):
        return f"{name.removeprefix(AMI_PARAMETERS).split('/')[0]}.0-20251112"
    return f"ami-{sha256(name.encode()).hexdigest()[:17]}"


FUNCTIONS: Mapping[str, Function] = {
    "aws:index/getCallerIdentity:getCallerIdentity": Function("", caller_identity),
    "aws:index/getRegion:getRegion": Function("name endpoint id region", region),
    "aws:index/getPartition:getPartition": Function("id", partition),
    "aws:index/getAvailabilityZones:getAvailabilityZones": Function(
        "state filters excludeNames excludeZoneIds region", availability_zones
    ),
    "aws:ec2/getVpc:getVpc": Function("id default cidrBlock state filters tags region", vpc),
    "aws:ec2/getSubnet:getSubnet": Function(f"id {' '.join(SUBNET_FILTERS)} filters tags region", subnet),
    "aws:ec2/getSubnets:getSubnets": Function("filters tags region", subnets),
    "aws:ec2/getInstanceType:getInstanceType": Function("instanceType! region", instance_type),
    "aws:ec2/getInstanceTypes:getInstanceTypes": Function("filters region", instance_types),
    "aws:eks/getCluster:getCluster": Function("name! region", cluster),
    "aws:eks/getClusterAuth:getClusterAuth": Function("name! region", cluster_auth),
    "aws:eks/getAddonVersion:getAddonVersion": Function(
        "addonName! kubernetesVersion! mostRecent region", addon_version
    ),
    "aws:iam/getPolicyDocument:getPolicyDocument": Function(
        "statements version policyId sourcePolicyDocuments overridePolicyDocuments", policy_document
    ),
    "aws:ssm/getParameter:getParameter": Function("name! withDecryption region", parameter),
}
