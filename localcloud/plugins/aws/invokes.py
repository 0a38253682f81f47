"""Functions of Pulumi's AWS package that programs call: a row for each, by token."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from localcloud.errors import Refusal
from localcloud.plugins.aws import addons
from localcloud.plugins.aws.api import Api, not_found
from localcloud.plugins.aws.mapping import from_members

Answer = dict[str, Any]


@dataclass(frozen=True)
class Function:
    """A function.

    arguments: names, `!` after required ones.
    """

    arguments: str
    answer: Callable[[Api, Mapping[str, Any]], Answer]


def answer(api: Api, token: str, arguments: Mapping[str, Any]) -> Answer:
    """The answer of a function. Raises Refusal for an unknown function or argument."""
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
                f"{token} has no argument {name} in the laptop cloud; it has {', '.join(names) or 'none'}."
            )
    missing = [name for name, required in names.items() if required and arguments.get(name) is None]
    if missing:
        raise Refusal(f"{token} requires {', '.join(missing)}.")
    return function.answer(api, arguments)


def _region(api: Api, arguments: Mapping[str, Any]) -> str:
    return str(arguments.get("region") or api.region)


# --- identity and place ---


def caller_identity(api: Api, arguments: Mapping[str, Any]) -> Answer:
    """The plugin's identity to AWS."""
    identity = api.call("sts", "get_caller_identity", {})
    account = identity["Account"]
    return {"accountId": account, "arn": identity["Arn"], "userId": identity["UserId"], "id": account}


def region(api: Api, arguments: Mapping[str, Any]) -> Answer:
    """The region."""
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
    """The partition of the region."""
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
    answer = api.call("ec2", "describe_availability_zones", {"Filters": _filters(arguments)}, region)
    excluded = set(arguments.get("excludeNames") or ()) | set(arguments.get("excludeZoneIds") or ())
    state = arguments.get("state")
    zones = sorted(
        (
            zone
            for zone in answer["AvailabilityZones"]
            if not {zone["ZoneName"], zone["ZoneId"]} & excluded and state in (None, zone["State"])
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
    filters = [{"Name": rule["name"], "Values": rule["values"]} for rule in arguments.get("filters") or ()]
    return filters + [
        {"Name": f"tag:{key}", "Values": [text]} for key, text in (arguments.get("tags") or {}).items()
    ]


def _single(matches: list[Any], function: str) -> Any:
    if len(matches) != 1:
        raise Refusal(f"{function} must match exactly one and matches {len(matches)}: correct its arguments.")
    return matches[0]


def _tags(members: Mapping[str, Any]) -> dict[str, str]:
    return {tag["Key"]: tag["Value"] for tag in members.get("Tags", ())}


def vpc(api: Api, arguments: Mapping[str, Any]) -> Answer:
    """One VPC."""
    region, filters = _region(api, arguments), _filters(arguments)
    for name, filter_ in (("default", "is-default"), ("cidrBlock", "cidr"), ("state", "state")):
        if name in arguments:
            filters.append({"Name": filter_, "Values": [str(arguments[name]).lower()]})
    ids = {"VpcIds": [arguments["id"]]} if arguments.get("id") else {}
    vpcs = api.call("ec2", "describe_vpcs", {"Filters": filters, **ids}, region)["Vpcs"]
    vpc = _single(vpcs, "aws:ec2/getVpc")
    id = vpc["VpcId"]

    def attribute(name: str) -> bool:
        answer = api.call("ec2", "describe_vpc_attribute", {"VpcId": id, "Attribute": name}, region)
        return bool(answer[name[0].upper() + name[1:]]["Value"])

    tables = api.call(
        "ec2",
        "describe_route_tables",
        {"Filters": [{"Name": "vpc-id", "Values": [id]}, {"Name": "association.main", "Values": ["true"]}]},
        region,
    )["RouteTables"]
    return {
        "id": id,
        "region": region,
        "arn": f"arn:{api.partition}:ec2:{region}:{vpc['OwnerId']}:vpc/{id}",
        "cidrBlock": vpc["CidrBlock"],
        "cidrBlockAssociations": [
            {
                "associationId": association["AssociationId"],
                "cidrBlock": association["CidrBlock"],
                "state": association["CidrBlockState"]["State"],
            }
            for association in vpc.get("CidrBlockAssociationSet", ())
        ],
        "default": vpc["IsDefault"],
        "dhcpOptionsId": vpc.get("DhcpOptionsId", ""),
        "enableDnsHostnames": attribute("enableDnsHostnames"),
        "enableDnsSupport": attribute("enableDnsSupport"),
        "enableNetworkAddressUsageMetrics": attribute("enableNetworkAddressUsageMetrics"),
        "instanceTenancy": vpc["InstanceTenancy"],
        "ipv6AssociationId": "",
        "ipv6CidrBlock": "",
        "mainRouteTableId": tables[0]["RouteTableId"] if tables else "",
        "ownerId": vpc["OwnerId"],
        "state": vpc["State"],
        "tags": _tags(vpc),
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
    matches = api.call("ec2", "describe_subnets", {"Filters": filters, **ids}, region)["Subnets"]
    subnet = _single(matches, "aws:ec2/getSubnet")
    shape = api.shapes("ec2", "describe_subnets").output_shape.members["Subnets"].member
    plain = from_members(subnet, shape)
    return {name: plain[name] for name in SUBNET_PROPERTIES if plain.get(name) is not None} | {
        "id": subnet["SubnetId"],
        "region": region,
        "arn": subnet["SubnetArn"],
        "availableIpAddressCount": subnet["AvailableIpAddressCount"],
        "ipv6CidrBlock": "",
        "ipv6CidrBlockAssociationId": "",
        "tags": _tags(subnet),
    }


SUBNET_PROPERTIES = (
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
    subnets = api.call("ec2", "describe_subnets", {"Filters": _filters(arguments)}, region)["Subnets"]
    echo = {name: arguments[name] for name in ("filters", "tags") if name in arguments}
    return {"id": region, "region": region, "ids": sorted(s["SubnetId"] for s in subnets), **echo}


# --- machines ---


def instance_type(api: Api, arguments: Mapping[str, Any]) -> Answer:
    """Properties of an instance type."""
    region, name = _region(api, arguments), arguments["instanceType"]
    types = api.call("ec2", "describe_instance_types", {"InstanceTypes": [name]}, region)["InstanceTypes"]
    instance_type = _single(types, f"aws:ec2/getInstanceType for {name}")
    return {
        "id": name,
        "region": region,
        "instanceType": name,
        "bareMetal": instance_type.get("BareMetal", False),
        "burstablePerformanceSupported": instance_type.get("BurstablePerformanceSupported", False),
        "currentGeneration": instance_type.get("CurrentGeneration", True),
        "defaultVcpus": instance_type["VCpuInfo"]["DefaultVCpus"],
        "defaultCores": instance_type["VCpuInfo"].get("DefaultCores"),
        "memorySize": instance_type["MemoryInfo"]["SizeInMiB"],
        "instanceStorageSupported": instance_type.get("InstanceStorageSupported", False),
        "totalInstanceStorage": (instance_type.get("InstanceStorageInfo") or {}).get("TotalSizeInGB", 0),
        "supportedArchitectures": instance_type["ProcessorInfo"]["SupportedArchitectures"],
    }


def instance_types(api: Api, arguments: Mapping[str, Any]) -> Answer:
    """Names of the instance types that match filters."""
    region = _region(api, arguments)
    pages = api.client("ec2", region).get_paginator("describe_instance_types")
    types = [t for page in pages.paginate(Filters=_filters(arguments)) for t in page["InstanceTypes"]]
    echo = {name: arguments[name] for name in ("filters",) if name in arguments}
    return {"id": region, "region": region, "instanceTypes": [t["InstanceType"] for t in types], **echo}


# --- EKS ---


def cluster(api: Api, arguments: Mapping[str, Any]) -> Answer:
    """One cluster."""
    region, name = _region(api, arguments), arguments["name"]
    cluster = api.call("eks", "describe_cluster", {"name": name}, region)["cluster"]
    shape = api.shapes("eks", "describe_cluster").output_shape.members["cluster"]
    plain = from_members(cluster, shape)
    issuer = ((cluster.get("identity") or {}).get("oidc") or {}).get("issuer", "")
    enabled = (setup["types"] for setup in cluster["logging"]["clusterLogging"] if setup["enabled"])
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
        "enabledClusterLogTypes": list(chain.from_iterable(enabled)),
        "identities": [{"oidcs": [{"issuer": issuer}]}],
        "kubernetesNetworkConfigs": [
            {
                "ipFamily": plain["kubernetesNetworkConfig"].get("ipFamily", ""),
                "serviceIpv4Cidr": plain["kubernetesNetworkConfig"].get("serviceIpv4Cidr", ""),
                "serviceIpv6Cidr": "",
                "elasticLoadBalancings": [],
            }
        ],
        "tags": cluster.get("tags") or {},
        "upgradePolicies": [plain["upgradePolicy"]],
        "vpcConfig": plain["resourcesVpcConfig"],
    }


def cluster_auth(api: Api, arguments: Mapping[str, Any]) -> Answer:
    """A token for a cluster: its control plane's."""
    from localcloud.control_plane import ControlPlane

    token = ControlPlane(api.cloud, arguments["name"]).token_file.read_text().strip()
    return {
        "id": arguments["name"],
        "name": arguments["name"],
        "region": _region(api, arguments),
        "token": token,
    }


def addon_version(api: Api, arguments: Mapping[str, Any]) -> Answer:
    """The version of an add-on for a version of Kubernetes."""
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
    document["Statement"] = [_statement(statement) for statement in arguments.get("statements") or ()]
    for name in ("sourcePolicyDocuments", "overridePolicyDocuments"):
        for text in arguments.get(name) or ():
            _merge(document["Statement"], json.loads(text)["Statement"], override=name.startswith("override"))
    echo = {name: arguments[name] for name in arguments if name != "version"}
    minified = json.dumps(document, separators=(",", ":"))
    return {"id": "policy", "json": json.dumps(document, indent=2), "minifiedJson": minified, **echo}


def _merge(statements: list[Any], more: Any, *, override: bool) -> None:
    for statement in more if isinstance(more, list) else [more]:
        sid = statement.get("Sid")
        same = [index for index, earlier in enumerate(statements) if sid and earlier.get("Sid") == sid]
        if not same:
            statements.append(statement)
        elif override:
            statements[same[0]] = statement


def _statement(properties: Mapping[str, Any]) -> dict[str, Any]:
    statement: dict[str, Any] = {}
    if properties.get("sid"):
        statement["Sid"] = properties["sid"]
    statement["Effect"] = properties.get("effect", "Allow")
    for name, member in (
        ("actions", "Action"),
        ("notActions", "NotAction"),
        ("resources", "Resource"),
        ("notResources", "NotResource"),
    ):
        if properties.get(name):
            statement[member] = _unwrap(properties[name])
    for name, member in (("principals", "Principal"), ("notPrincipals", "NotPrincipal")):
        if properties.get(name):
            statement[member] = _principals(properties[name])
    for condition in properties.get("conditions") or ():
        tests = statement.setdefault("Condition", {}).setdefault(condition["test"], {})
        tests[condition["variable"]] = _unwrap(condition["values"])
    return statement


def _principals(principals: list[Mapping[str, Any]]) -> Any:
    if principals == [{"type": "*", "identifiers": ["*"]}]:
        return "*"
    return {principal["type"]: _unwrap(principal["identifiers"]) for principal in principals}


def _unwrap(values: list[Any]) -> Any:
    return values[0] if len(values) == 1 else sorted(values, reverse=True)


AMI_PARAMETERS = "/aws/service/eks/optimized-ami/"
"""Where AWS publishes the machine images of EKS."""


def parameter(api: Api, arguments: Mapping[str, Any]) -> Answer:
    """A parameter. Those of EKS's machine images are invented: nothing here boots from them."""
    region, name = _region(api, arguments), arguments["name"]
    try:
        parameter = api.call(
            "ssm",
            "get_parameter",
            {"Name": name, "WithDecryption": arguments.get("withDecryption", True)},
            region,
        )["Parameter"]
    except Exception as error:
        if not not_found(error) or not name.startswith(AMI_PARAMETERS):
            raise
        parameter = {
            "Type": "String",
            "Value": _image(name),
            "Version": 1,
            "ARN": f"arn:{api.partition}:ssm:{region}::parameter{name}",
        }
    insecure = {} if parameter["Type"] == "SecureString" else {"insecureValue": parameter["Value"]}
    return {
        "id": name,
        "name": name,
        "region": region,
        "arn": parameter["ARN"],
        "type": parameter["Type"],
        "value": parameter["Value"],
        "version": parameter["Version"],
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
