"""Functions of Pulumi's AWS package that programs call: a row for each, by token."""

import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from aws_rules.access.identity import session_arn
from localcloud.credentials import SESSION, principal
from localcloud.errors import Refusal
from localcloud.plugins.aws import addons
from localcloud.plugins.aws.api import Api, not_found
from localcloud.plugins.aws.cluster_logs import enabled_logs
from localcloud.plugins.aws.mapping import from_members
from localcloud.plugins.aws.table import words
from localcloud.plugins.aws.tables._ec2 import filters
from localcloud.plugins.aws.tables.ec2 import VPC_ATTRIBUTES, member_name
from localcloud.plugins.aws.tables.routes import INLINE

Answer = dict[str, Any]


@dataclass(frozen=True)
class Function:
    """A function.

    arguments: names that it takes, `!` after those that are required.
    answer: its outputs, to which the region and arguments that are outputs too are added.
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
            remark = f"its arguments are {', '.join(names)}" if names else "it has no arguments"
            raise Refusal(f"{token} does not take {name} in the laptop cloud: {remark}.")
    missing = [name for name, required in names.items() if required and arguments.get(name) is None]
    if missing:
        raise Refusal(f"{token} needs {', '.join(missing)}.")
    region = {"region": _region(api, arguments)} if "region" in names else {}
    repetitions = {name: arguments[name] for name in REPEATED if name in arguments}
    return {**region, **repetitions, **function.answer(api, arguments)}


REPEATED = ("state", "filters", "excludeNames", "excludeZoneIds", "tags", "mostRecent", "owners", "nameRegex")
"""Arguments that are outputs as well."""


def _region(api: Api, arguments: Mapping[str, Any]) -> str:
    return str(arguments.get("region") or api.region)


# --- account, region, partition, zones ---


def caller_identity(api: Api, arguments: Mapping[str, Any]) -> Answer:
    """The plugin's identity to AWS."""
    caller = api.request("sts", "get_caller_identity", {})
    account = caller["Account"]
    # moto knows a role that was assumed; who has a key pair it calls user/moto.
    at_hand = api.identity if api.identity not in api.roles else ""
    arn = session_arn(at_hand, SESSION) if at_hand else caller["Arn"]
    return {"accountId": account, "arn": arn, "userId": caller["UserId"], "id": account}


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
    answer = api.request("ec2", "describe_availability_zones", {"Filters": _filters(arguments)}, region)
    exclusions = set(arguments.get("excludeNames") or ()) | set(arguments.get("excludeZoneIds") or ())
    zones = [
        zone
        for zone in sorted(answer["AvailabilityZones"], key=lambda zone: str(zone["ZoneName"]))
        if not {zone["ZoneName"], zone["ZoneId"]} & exclusions
        and arguments.get("state") in (None, zone["State"])
    ]
    return {
        "id": region,
        "names": [zone["ZoneName"] for zone in zones],
        "zoneIds": [zone["ZoneId"] for zone in zones],
        "groupNames": sorted({zone.get("GroupName", region) for zone in zones}),
    }


# --- networks ---


def _filters(arguments: Mapping[str, Any], names: Mapping[str, str] = {}) -> list[dict[str, Any]]:
    """Filters of a describe call: the program's own, its tags, and arguments by the name of their filter."""
    items = [{"Name": item["name"], "Values": item["values"]} for item in arguments.get("filters") or ()]
    values = {f"tag:{key}": text for key, text in (arguments.get("tags") or {}).items()}
    values |= {filter: str(arguments[name]).lower() for name, filter in names.items() if name in arguments}
    return items + filters(values)


def _ids(member: str, arguments: Mapping[str, Any]) -> Answer:
    return {member: [arguments["id"]]} if arguments.get("id") else {}


def _single(matches: list[Any], token: str) -> Any:
    if len(matches) != 1:
        raise Refusal(f"{token} must match exactly one and matches {len(matches)}: narrow its arguments.")
    return matches[0]


def _tags(description: Mapping[str, Any]) -> dict[str, str]:
    return {tag["Key"]: tag["Value"] for tag in description.get("Tags", ())}


VPC_FILTERS = {"default": "is-default", "cidrBlock": "cidr", "state": "state"}


def vpc(api: Api, arguments: Mapping[str, Any]) -> Answer:
    """One VPC."""
    region = _region(api, arguments)
    request = {"Filters": _filters(arguments, VPC_FILTERS)} | _ids("VpcIds", arguments)
    description = _single(api.request("ec2", "describe_vpcs", request, region)["Vpcs"], "aws:ec2/getVpc")
    id = description["VpcId"]

    def attribute(name: str) -> bool:
        answer = api.request("ec2", "describe_vpc_attribute", {"VpcId": id, "Attribute": name}, region)
        return bool(answer[member_name(name)]["Value"])

    main = {"Filters": filters({"vpc-id": id, "association.main": "true"})}
    tables = api.request("ec2", "describe_route_tables", main, region)["RouteTables"]
    return {
        "id": id,
        "arn": f"arn:{api.partition}:ec2:{region}:{description['OwnerId']}:vpc/{id}",
        "cidrBlock": description["CidrBlock"],
        "cidrBlockAssociations": [
            {
                "associationId": association["AssociationId"],
                "cidrBlock": association["CidrBlock"],
                "state": association["CidrBlockState"]["State"],
            }
            for association in description.get("CidrBlockAssociationSet", ())
        ],
        "default": description["IsDefault"],
        "dhcpOptionsId": description.get("DhcpOptionsId", ""),
        **{name: attribute(name) for name in VPC_ATTRIBUTES},
        "instanceTenancy": description["InstanceTenancy"],
        "ipv6AssociationId": "",
        "ipv6CidrBlock": "",
        "mainRouteTableId": tables[0]["RouteTableId"] if tables else "",
        "ownerId": description["OwnerId"],
        "state": description["State"],
        "tags": _tags(description),
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
    request = {"Filters": _filters(arguments, SUBNET_FILTERS)} | _ids("SubnetIds", arguments)
    answer = api.request("ec2", "describe_subnets", request, _region(api, arguments))
    description = _single(answer["Subnets"], "aws:ec2/getSubnet")
    shape = api.shapes("ec2", "describe_subnets").output_shape.members["Subnets"].member
    plain = from_members(description, shape)
    return {name: plain[name] for name in SUBNET_SHOWN if plain.get(name) is not None} | {
        "id": description["SubnetId"],
        "arn": description["SubnetArn"],
        "availableIpAddressCount": description["AvailableIpAddressCount"],
        "ipv6CidrBlock": "",
        "ipv6CidrBlockAssociationId": "",
        "tags": _tags(description),
    }


SUBNET_SHOWN = (*SUBNET_FILTERS, "assignIpv6AddressOnCreation", "mapPublicIpOnLaunch", "ownerId")


def subnets(api: Api, arguments: Mapping[str, Any]) -> Answer:
    """Subnets."""
    region = _region(api, arguments)
    answer = api.request("ec2", "describe_subnets", {"Filters": _filters(arguments)}, region)
    return {"id": region, "ids": sorted(subnet["SubnetId"] for subnet in answer["Subnets"])}


ROUTE_TABLE_FILTERS = {
    "gatewayId": "association.gateway-id",
    "routeTableId": "route-table-id",
    "subnetId": "association.subnet-id",
    "vpcId": "vpc-id",
}


def route_table(api: Api, arguments: Mapping[str, Any]) -> Answer:
    """One route table, by what is associated with it, say."""
    token, region = "aws:ec2/getRouteTable:getRouteTable", _region(api, arguments)
    request = {"Filters": _filters(arguments, ROUTE_TABLE_FILTERS)}
    description = _single(api.request("ec2", "describe_route_tables", request, region)["RouteTables"], token)
    id, associations = description["RouteTableId"], description["Associations"]
    return {
        "id": id,
        "routeTableId": id,
        "arn": f"arn:{api.partition}:ec2:{region}:{description['OwnerId']}:route-table/{id}",
        "gatewayId": arguments.get("gatewayId", ""),
        "subnetId": arguments.get("subnetId", ""),
        "vpcId": description["VpcId"],
        "ownerId": description["OwnerId"],
        "routes": [
            {name: route.get(member, "") for name, member in INLINE.items()}
            for route in description["Routes"]
            if not str(route.get("GatewayId", "")).startswith("vpce-")
        ],
        "associations": [
            {
                "routeTableAssociationId": association["RouteTableAssociationId"],
                "routeTableId": id,
                "subnetId": association.get("SubnetId", ""),
                "gatewayId": association.get("GatewayId", ""),
                "main": association["Main"],
            }
            for association in associations
        ],
        "tags": _tags(description),
    }


def route_tables(api: Api, arguments: Mapping[str, Any]) -> Answer:
    """Route tables."""
    region = _region(api, arguments)
    request = {"Filters": _filters(arguments, {"vpcId": "vpc-id"})}
    tables = api.request("ec2", "describe_route_tables", request, region)["RouteTables"]
    return {"id": region, "ids": sorted(table["RouteTableId"] for table in tables)}


# --- machines ---


def instance_type(api: Api, arguments: Mapping[str, Any]) -> Answer:
    """Properties of an instance type."""
    name = arguments["instanceType"]
    request = {"InstanceTypes": [name]}
    answer = api.request("ec2", "describe_instance_types", request, _region(api, arguments))
    description = _single(answer["InstanceTypes"], f"aws:ec2/getInstanceType for {name}")
    return {
        "id": name,
        "instanceType": name,
        "bareMetal": description.get("BareMetal", False),
        "burstablePerformanceSupported": description.get("BurstablePerformanceSupported", False),
        "currentGeneration": description.get("CurrentGeneration", True),
        "defaultVcpus": description["VCpuInfo"]["DefaultVCpus"],
        "defaultCores": description["VCpuInfo"].get("DefaultCores"),
        "memorySize": description["MemoryInfo"]["SizeInMiB"],
        "instanceStorageSupported": description.get("InstanceStorageSupported", False),
        "totalInstanceStorage": (description.get("InstanceStorageInfo") or {}).get("TotalSizeInGB", 0),
        "supportedArchitectures": description["ProcessorInfo"]["SupportedArchitectures"],
    }


def instance_types(api: Api, arguments: Mapping[str, Any]) -> Answer:
    """Names of the instance types that match filters."""
    region = _region(api, arguments)
    pages = api.client("ec2", region).get_paginator("describe_instance_types")
    types = [type for page in pages.paginate(Filters=_filters(arguments)) for type in page["InstanceTypes"]]
    return {"id": region, "instanceTypes": [type["InstanceType"] for type in types]}


def image(api: Api, arguments: Mapping[str, Any]) -> Answer:
    """A machine image. One of others that moto's data lack is made up, as nothing boots, and is listed."""
    import re

    from aws_rules.rule import Unknown
    from aws_rules.values import instances
    from localcloud import unknowns

    region, owners = _region(api, arguments), list(arguments.get("owners") or ())
    request: Answer = {"Filters": _filters(arguments)} | ({"Owners": owners} if owners else {})
    if arguments.get("executableUsers"):
        request["ExecutableUsers"] = arguments["executableUsers"]
    pattern = re.compile(arguments.get("nameRegex") or "")
    images = api.request("ec2", "describe_images", request, region)["Images"]
    matches = sorted((image for image in images if pattern.search(image.get("Name", ""))), key=_age)
    if not matches and {*owners} - {"self", api.account}:
        made_up = _made_up_image(arguments, owners)
        lacks = f"images like {made_up['Name']}"
        unknowns.note(api.cloud, Unknown(rule=instances.RULE, resource="ec2.getAmi", lacks=lacks))
        matches = [made_up]
    if not matches:
        raise Refusal(
            "aws:ec2/getAmi: your query returned no results: change owners, filters or nameRegex so that an "
            "image of this account fits."
        )
    if len(matches) > 1 and not arguments.get("mostRecent"):
        raise Refusal(
            f"aws:ec2/getAmi: your query returned {len(matches)} images: narrow it, or set mostRecent "
            "to true."
        )
    return _image_shown(api, region, matches[-1])


def _age(image: Mapping[str, Any]) -> tuple[str, bool]:
    """What the newest image has most of: the date in its name, as moto takes its own start for all dates.

    Of images of one day that for x86_64 counts as the newest; on AWS it may be any of them.
    """
    return _date(image), image["Architecture"] == "x86_64"


def _date(image: Mapping[str, Any]) -> str:
    import re

    return max(re.findall(r"20\d{6}", image.get("Name", "")), default="")


def _made_up_image(arguments: Mapping[str, Any], owners: list[str]) -> Answer:
    from hashlib import sha256

    filter_values = {
        item["name"]: item["values"][0] for item in arguments.get("filters") or () if item["values"]
    }
    name = filter_values.get("name") or arguments.get("nameRegex") or "image"
    key = json.dumps([filter_values, arguments.get("nameRegex"), owners], sort_keys=True)
    return {
        "ImageId": f"ami-{sha256(key.encode()).hexdigest()[:17]}",
        "Name": name,
        "OwnerId": next((owner for owner in owners if owner.isdigit()), "137112412989"),
        "Architecture": filter_values.get("architecture") or ("arm64" if "arm64" in name else "x86_64"),
        "RootDeviceName": "/dev/xvda",
        "RootDeviceType": filter_values.get("root-device-type", "ebs"),
        "VirtualizationType": filter_values.get("virtualization-type", "hvm"),
        "State": "available",
        "Public": True,
    }


IMAGE_SHOWN = words(
    "architecture deprecationTime description enaSupport hypervisor imageId imageLocation "
    "imageOwnerAlias imageType kernelId name ownerId platform platformDetails public ramdiskId "
    "rootDeviceName rootDeviceType state virtualizationType"
)


def _image_shown(api: Api, region: str, description: Mapping[str, Any]) -> Answer:
    shape = api.shapes("ec2", "describe_images").output_shape.members["Images"].member
    plain = from_members(description, shape)
    return {name: plain[name] for name in IMAGE_SHOWN if plain.get(name) is not None} | {
        "id": description["ImageId"],
        "arn": f"arn:{api.partition}:ec2:{region}::image/{description['ImageId']}",
        "creationDate": f"{date[:4]}-{date[4:6]}-{date[6:]}T00:00:00.000Z"
        if (date := _date(description))
        else "",
        "tags": _tags(description),
    }


# --- EKS ---


CLUSTER_SHOWN = words("arn createdAt endpoint platformVersion roleArn status version deletionProtection")


def cluster(api: Api, arguments: Mapping[str, Any]) -> Answer:
    """One cluster."""
    name = arguments["name"]
    description = api.request("eks", "describe_cluster", {"name": name}, _region(api, arguments))["cluster"]
    shape = api.shapes("eks", "describe_cluster").output_shape.members["cluster"]
    plain = from_members(description, shape)
    issuer = ((description.get("identity") or {}).get("oidc") or {}).get("issuer", "")
    return {name: plain[name] for name in CLUSTER_SHOWN} | {
        "id": name,
        "name": name,
        "accessConfigs": [plain["accessConfig"]],
        "certificateAuthorities": [plain["certificateAuthority"]],
        "enabledClusterLogTypes": enabled_logs(description),
        "identities": [{"oidcs": [{"issuer": issuer}]}],
        "kubernetesNetworkConfigs": [
            {
                "ipFamily": plain["kubernetesNetworkConfig"].get("ipFamily", ""),
                "serviceIpv4Cidr": plain["kubernetesNetworkConfig"].get("serviceIpv4Cidr", ""),
                "serviceIpv6Cidr": "",
                "elasticLoadBalancings": [],
            }
        ],
        "tags": description.get("tags") or {},
        "upgradePolicies": [plain["upgradePolicy"]],
        "vpcConfig": plain["resourcesVpcConfig"],
    }


def cluster_auth(api: Api, arguments: Mapping[str, Any]) -> Answer:
    """A token for a cluster: that of the plugin's identity."""
    from localcloud.control_plane import ControlPlane

    plane = ControlPlane(api.cloud, arguments["name"])
    identity = api.identity and principal(api.identity)
    token = plane.credentials.principal_token(identity) if identity else plane.token_file.read_text().strip()
    return {"id": arguments["name"], "name": arguments["name"], "token": token}


def authorization_token(api: Api, arguments: Mapping[str, Any]) -> Answer:
    """A login to the registries of a region."""
    region = _region(api, arguments)
    [login] = api.request("ecr", "get_authorization_token", {}, region)["authorizationData"]
    user, _, password = base64.b64decode(login["authorizationToken"]).decode().partition(":")
    return {
        "id": region,
        "authorizationToken": login["authorizationToken"],
        "expiresAt": login["expiresAt"].isoformat(),
        "password": password,
        "proxyEndpoint": login["proxyEndpoint"],
        "userName": user,
    }


def addon_version(api: Api, arguments: Mapping[str, Any]) -> Answer:
    """The version of an add-on for a version of Kubernetes."""
    name = arguments["addonName"]
    return {
        "id": name,
        "addonName": name,
        "kubernetesVersion": arguments["kubernetesVersion"],
        "version": addons.latest(name, arguments["kubernetesVersion"]),
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
    return {
        "id": "policy",
        "json": json.dumps(document, indent=2),
        "minifiedJson": json.dumps(document, separators=(",", ":")),
        **{name: arguments[name] for name in arguments if name != "version"},
    }


def _merge(statements: list[Any], additions: Any, *, override: bool) -> None:
    for addition in additions if isinstance(additions, list) else [additions]:
        sids = [statement.get("Sid") for statement in statements]
        if not addition.get("Sid") or addition["Sid"] not in sids:
            statements.append(addition)
        elif override:
            statements[sids.index(addition["Sid"])] = addition


STATEMENT_LISTS = {
    "actions": "Action",
    "notActions": "NotAction",
    "resources": "Resource",
    "notResources": "NotResource",
}


def _statement(arguments: Mapping[str, Any]) -> dict[str, Any]:
    statement: dict[str, Any] = {"Sid": arguments["sid"]} if arguments.get("sid") else {}
    statement["Effect"] = arguments.get("effect", "Allow")
    for name, member in STATEMENT_LISTS.items():
        if arguments.get(name):
            statement[member] = _text_or_list(arguments[name])
    for name, member in (("principals", "Principal"), ("notPrincipals", "NotPrincipal")):
        if arguments.get(name):
            statement[member] = _principals(arguments[name])
    for condition in arguments.get("conditions") or ():
        tests = statement.setdefault("Condition", {}).setdefault(condition["test"], {})
        tests[condition["variable"]] = _text_or_list(condition["values"])
    return statement


def _principals(principals: list[Mapping[str, Any]]) -> Any:
    if principals == [{"type": "*", "identifiers": ["*"]}]:
        return "*"
    return {principal["type"]: _text_or_list(principal["identifiers"]) for principal in principals}


def _text_or_list(values: list[Any]) -> Any:
    return values[0] if len(values) == 1 else sorted(values, reverse=True)


AMI_PARAMETERS = "/aws/service/eks/optimized-ami/"
"""Where AWS publishes the machine images of EKS."""


def parameter(api: Api, arguments: Mapping[str, Any]) -> Answer:
    """A parameter. Those of EKS's machine images are invented: nothing here boots from them."""
    region, name = _region(api, arguments), arguments["name"]
    request = {"Name": name, "WithDecryption": arguments.get("withDecryption", True)}
    try:
        description = api.request("ssm", "get_parameter", request, region)["Parameter"]
    except Exception as error:
        if not not_found(error) or not name.startswith(AMI_PARAMETERS):
            raise
        description = {
            "Type": "String",
            "Value": _image(name),
            "Version": 1,
            "ARN": f"arn:{api.partition}:ssm:{region}::parameter{name}",
        }
    insecure = {} if description["Type"] == "SecureString" else {"insecureValue": description["Value"]}
    return {
        "id": name,
        "name": name,
        "arn": description["ARN"],
        "type": description["Type"],
        "value": description["Value"],
        "version": description["Version"],
        "withDecryption": request["WithDecryption"],
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
    "aws:ec2/getAmi:getAmi": Function(
        "mostRecent owners filters nameRegex executableUsers includeDeprecated allowUnsafeFilter region",
        image,
    ),
    "aws:ec2/getVpc:getVpc": Function("id default cidrBlock state filters tags region", vpc),
    "aws:ec2/getRouteTable:getRouteTable": Function(
        f"{' '.join(ROUTE_TABLE_FILTERS)} filters tags region", route_table
    ),
    "aws:ec2/getRouteTables:getRouteTables": Function("vpcId filters tags region", route_tables),
    "aws:ec2/getSubnet:getSubnet": Function(f"id {' '.join(SUBNET_FILTERS)} filters tags region", subnet),
    "aws:ec2/getSubnets:getSubnets": Function("filters tags region", subnets),
    "aws:ec2/getInstanceType:getInstanceType": Function("instanceType! region", instance_type),
    "aws:ec2/getInstanceTypes:getInstanceTypes": Function("filters region", instance_types),
    "aws:ecr/getAuthorizationToken:getAuthorizationToken": Function("registryId region", authorization_token),
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
