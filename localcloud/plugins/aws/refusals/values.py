"""Values that AWS refuses: at preview as far as they are known, and in every call once it is made."""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from aws_rules.rule import Unknown
from aws_rules.values import (
    buckets,
    calls,
    databases,
    endpoints,
    instances,
    listeners,
    model,
    policies,
    principals,
    ranges,
    resource,
    routes,
)
from aws_rules.values.request import LATER, Misfit, Request, ValueVerdict
from aws_rules.values.schemas import document, types_of
from localcloud import unknowns
from localcloud.plugins.aws import mapping
from localcloud.plugins.aws.api import Api, account_api, not_found
from localcloud.plugins.aws.refusals.network import resolves_names
from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import Call, Change, Kind
from localcloud.plugins.provider import Failure
from localcloud.plugins.values import UNKNOWN
from localcloud.store import accounts

# --- every call ---


class RefusedCall(Exception):
    """A call that AWS would refuse."""

    def __init__(self, misfits: list[Misfit]) -> None:
        super().__init__("\n".join(map(str, misfits)))
        self.misfits = misfits

    def about(self, resource: str) -> str:
        """What is refused, as sentences about a resource."""
        return "\n".join(str(replace(misfit, resource=resource)) for misfit in self.misfits)


def guard(api: Api, service: str, operation: Any, members: Mapping[str, Any], region: str) -> None:
    """Raise RefusedCall for a call that AWS would refuse for its values."""
    request = Request(
        resource=operation.name,
        service=service,
        operation=operation.name,
        members=members,
        # IAM is called in one region, and its ARNs are of the partition of the provider's.
        region=api.region if service == "iam" else region,
    )
    misfits = [verdict for verdict in _of_call(request, operation, whole=True) if isinstance(verdict, Misfit)]
    if not misfits:
        for neighbours in NEIGHBOURS.get((service, operation.name), ()):
            for verdict in neighbours(api, request):
                match verdict:
                    case Misfit():
                        misfits.append(verdict)
                    case Unknown():
                        unknowns.note(api.cloud, verdict)
    if misfits:
        raise RefusedCall(misfits)


def _of_call(request: Request, operation: Any, whole: bool) -> Iterator[ValueVerdict]:
    if operation.input_shape is not None:
        yield from model.verdicts(request, operation.input_shape, whole)
    yield from calls.verdicts(request)


# --- values that have to fit those of other resources ---


def _further_range(api: Api, request: Request) -> Iterator[ValueVerdict]:
    vpc = _describe(api, request, "describe_vpcs", VpcIds=[request.value_at("VpcId")])
    if vpc:
        vpc_ranges = _vpc_ranges(vpc["Vpcs"][0])
        yield from ranges.further_range(request, vpc["Vpcs"][0]["CidrBlock"], vpc_ranges)


def _reservation(api: Api, request: Request) -> Iterator[ValueVerdict]:
    subnets = _describe(api, request, "describe_subnets", SubnetIds=[request.value_at("SubnetId")])
    if subnets:
        [subnet] = subnets["Subnets"]
        answer = _describe(api, request, "get_subnet_cidr_reservations", SubnetId=subnet["SubnetId"])
        cidrs = [reservation["Cidr"] for reservation in answer["SubnetIpv4CidrReservations"]]
        yield from ranges.reservation_in_subnet(request, subnet["CidrBlock"], cidrs)


def _services(api: Api, request: Request) -> Iterator[ValueVerdict]:
    subnets = request.value_at("resourcesVpcConfig", "subnetIds") or []
    answer = _describe(api, request, "describe_subnets", SubnetIds=list(subnets)) if subnets else None
    vpcs = {subnet["VpcId"] for subnet in answer["Subnets"]} if answer else set()
    for vpc in sorted(vpcs):
        vpc_answer = _describe(api, request, "describe_vpcs", VpcIds=[vpc])
        if vpc_answer:
            yield from ranges.services_in_vpc(request, _vpc_ranges(vpc_answer["Vpcs"][0]))


def _nat_gateway(api: Api, request: Request) -> Iterator[ValueVerdict]:
    if request.value_at("NatGatewayId"):
        gateways = api.client("ec2", request.region).describe_nat_gateways()["NatGateways"]
        yield from routes.nat_gateway(request, [gateway["NatGatewayId"] for gateway in gateways])


def _internet_gateway(api: Api, request: Request) -> Iterator[ValueVerdict]:
    tables = request.value_at("GatewayId") and _describe(
        api, request, "describe_route_tables", RouteTableIds=[request.value_at("RouteTableId")]
    )
    if tables:
        vpc = tables["RouteTables"][0]["VpcId"]
        yield from routes.internet_gateway(request, vpc, _attached_gateways(api, request))


def _nat_place(api: Api, request: Request) -> Iterator[ValueVerdict]:
    answer = _describe(api, request, "describe_subnets", SubnetIds=[request.value_at("SubnetId")])
    if answer:
        vpc = answer["Subnets"][0]["VpcId"]
        yield from routes.attached_gateway(request, vpc, _attached_gateways(api, request).values())


def _attached_gateways(api: Api, request: Request) -> dict[str, str]:
    """Internet gateway -> VPC that it is attached to, or nothing."""
    gateways = api.client("ec2", request.region).describe_internet_gateways()["InternetGateways"]
    return {
        gateway["InternetGatewayId"]: next((attachment["VpcId"] for attachment in gateway["Attachments"]), "")
        for gateway in gateways
    }


def _public(api: Api, request: Request) -> Iterator[ValueVerdict]:
    try:
        answer = api.client("s3", request.region).get_public_access_block(Bucket=request.value_at("Bucket"))
        blocked = answer["PublicAccessBlockConfiguration"].get("BlockPublicPolicy", False)
    except Exception as error:
        if not not_found(error):
            raise
        # New buckets block it: https://docs.aws.amazon.com/AmazonS3/latest/userguide/create-bucket-faq.html
        blocked = True
    yield from buckets.public_policy(request, api.identity, blocked)


def _endpoint(api: Api, request: Request) -> Iterator[ValueVerdict]:
    vpc, ids = request.value_at("VpcId"), request.value_at("SubnetIds") or []
    if request.value_at("VpcEndpointType") != "Interface" or not _describe(
        api, request, "describe_vpcs", VpcIds=[vpc]
    ):
        return
    answer = _describe(api, request, "describe_subnets", SubnetIds=list(ids)) if ids else None
    # The laptop's own client: moto forgets changes of private names.
    vpc_endpoints = api.service("ec2", request.region).describe_vpc_endpoints(
        Filters=[{"Name": "vpc-id", "Values": [vpc]}]
    )
    groups = api.client("ec2", request.region).describe_security_groups()["SecurityGroups"]
    yield from endpoints.places(
        request,
        answer["Subnets"] if answer else [],
        {group["GroupId"]: group["VpcId"] for group in groups},
        vpc_endpoints["VpcEndpoints"],
        resolves=resolves_names(api, request.region, vpc),
    )


def _instance(api: Api, request: Request) -> Iterator[ValueVerdict]:
    id, type, subnet = (request.value_at(name) for name in ("ImageId", "InstanceType", "SubnetId"))
    if id:
        images = _describe(api, request, "describe_images", ImageIds=[id])
        types = _describe(api, request, "describe_instance_types", InstanceTypes=[type]) if type else None
        processors = types["InstanceTypes"][0]["ProcessorInfo"] if types else {}
        image = images["Images"][0] if images and images["Images"] else None
        yield from instances.image(request, image, processors.get("SupportedArchitectures", ()))
    if subnet and (subnets := _describe(api, request, "describe_subnets", SubnetIds=[subnet])):
        groups = api.client("ec2", request.region).describe_security_groups()["SecurityGroups"]
        vpcs = {group["GroupId"]: group["VpcId"] for group in groups}
        yield from instances.groups(request, subnets["Subnets"][0], vpcs)
    keys = api.client("ec2", request.region).describe_key_pairs()["KeyPairs"]
    yield from instances.key_pair(request, [key["KeyName"] for key in keys])


def _database_subnets(api: Api, request: Request) -> Iterator[ValueVerdict]:
    ids = request.value_at("SubnetIds") or []
    answer = _describe(api, request, "describe_subnets", SubnetIds=list(ids)) if ids else None
    if answer:
        yield from databases.zones(request, [subnet["AvailabilityZone"] for subnet in answer["Subnets"]])


def _database_capacity(api: Api, request: Request) -> Iterator[ValueVerdict]:
    identifier = request.value_at("DBClusterIdentifier")
    if not identifier:
        return
    clusters = api.client("rds", request.region).describe_db_clusters()["DBClusters"]
    matches = [cluster for cluster in clusters if cluster["DBClusterIdentifier"] == identifier]
    yield from databases.capacity_of_cluster(request, matches[0] if matches else None)


def _targets(api: Api, request: Request) -> Iterator[ValueVerdict]:
    elb = api.client("elbv2", request.region)
    groups = {
        group["TargetGroupArn"]: group.get("VpcId") for group in elb.describe_target_groups()["TargetGroups"]
    }
    balancer = request.value_at("LoadBalancerArn")
    if listener := request.value_at("ListenerArn"):
        descriptions = elb.describe_listeners(ListenerArns=[listener])["Listeners"]
        balancer = descriptions[0]["LoadBalancerArn"] if descriptions else None
    vpcs = {
        description["LoadBalancerArn"]: description.get("VpcId")
        for description in elb.describe_load_balancers()["LoadBalancers"]
    }
    if balancer:
        yield from listeners.targets(request, balancer, vpcs.get(balancer), groups)


def _inline(api: Api, request: Request) -> Iterator[ValueVerdict]:
    import json

    role, iam = request.value_at("RoleName"), api.client("iam")
    names = iam.list_role_policies(RoleName=role)["PolicyNames"]
    documents = [
        iam.get_role_policy(RoleName=role, PolicyName=name)["PolicyDocument"]
        for name in names
        if name != request.value_at("PolicyName")
    ]
    yield from policies.inline(request, [json.dumps(text, separators=(",", ":")) for text in documents])


def _attachment(api: Api, request: Request) -> Iterator[ValueVerdict]:
    answer = api.client("iam").list_attached_role_policies(RoleName=request.value_at("RoleName"))
    arns = [policy["PolicyArn"] for policy in answer["AttachedPolicies"]]
    yield from policies.attached(request, arns)


def _principals(api: Api, request: Request) -> Iterator[ValueVerdict]:
    yield from principals.existence(request, lambda arn: arn == api.identity or _is_there(api, arn))


def _is_there(api: Api, arn: str) -> bool:
    """Whether an account of this cloud has a role or a user."""
    account, (kind, *_, name) = arn.split(":")[4], arn.split(":")[5].split("/")
    if account not in {api.account, *accounts(api.cloud)}:
        return False
    owner = api if account == api.account else account_api(api.cloud, api.endpoint, account, api.region)
    operation, member = {"role": ("get_role", "RoleName"), "user": ("get_user", "UserName")}[kind]
    try:
        getattr(owner.client("iam"), operation)(**{member: name})
    except Exception as error:
        if not not_found(error):
            raise
        return False
    return True


Neighbours = Callable[[Api, Request], Iterator[ValueVerdict]]

NEIGHBOURS: Mapping[tuple[str, str], tuple[Neighbours, ...]] = {
    ("ec2", "AssociateVpcCidrBlock"): (_further_range,),
    ("ec2", "CreateNatGateway"): (_nat_place,),
    ("ec2", "CreateRoute"): (_nat_gateway, _internet_gateway),
    ("ec2", "CreateSubnetCidrReservation"): (_reservation,),
    ("ec2", "CreateVpcEndpoint"): (_endpoint,),
    ("ec2", "ReplaceRoute"): (_nat_gateway, _internet_gateway),
    ("ec2", "RunInstances"): (_instance,),
    ("ecr", "SetRepositoryPolicy"): (_principals,),
    ("eks", "CreateCluster"): (_services,),
    ("elbv2", "CreateListener"): (_targets,),
    ("elbv2", "CreateRule"): (_targets,),
    ("elbv2", "ModifyListener"): (_targets,),
    ("iam", "AttachRolePolicy"): (_attachment,),
    ("iam", "CreateRole"): (_principals,),
    ("iam", "PutRolePolicy"): (_inline,),
    ("iam", "UpdateAssumeRolePolicy"): (_principals,),
    ("kms", "CreateKey"): (_principals,),
    ("kms", "PutKeyPolicy"): (_principals,),
    ("rds", "CreateDBInstance"): (_database_capacity,),
    ("rds", "CreateDBSubnetGroup"): (_database_subnets,),
    ("rds", "ModifyDBSubnetGroup"): (_database_subnets,),
    ("s3", "PutBucketPolicy"): (_public, _principals),
}
"""Service and operation -> what depends on other resources."""


def _describe(api: Api, request: Request, operation: str, **members: Any) -> Any:
    """What EC2 shows; None for what does not exist, which is refused elsewhere."""
    try:
        return getattr(api.client("ec2", request.region), operation)(**members)
    except Exception as error:
        if not not_found(error):
            raise
        return None


def _vpc_ranges(vpc: Mapping[str, Any]) -> list[str]:
    return [
        association["CidrBlock"]
        for association in vpc.get("CidrBlockAssociationSet", ())
        if association["CidrBlockState"]["State"] == "associated"
    ]


# --- a resource, before it is made or changed ---


def failures(subject: Subject, resource_name: str, tags: Any, secret: Container[str]) -> list[Failure]:
    """What AWS would refuse of a resource's inputs, as far as they are known.

    tags: all of them. secret: names of inputs whose values are not told.
    """
    subject.id = subject.id or UNKNOWN  # type: ignore[assignment]
    by_input: dict[str, Failure] = {}
    for verdict in _verdicts(subject, resource_name, {} if tags is UNKNOWN else tags):
        match verdict:
            case Unknown():
                unknowns.note(subject.api.cloud, verdict)
            case Misfit():
                place = _property(subject.kind, verdict)
                if place.partition(".")[0].partition("[")[0] in secret:
                    verdict = replace(verdict, message="the value, which is secret, does not fit")
                # The same value may be refused by the model, by the schema and by a rule: once is enough. The
                # engine names the resource.
                reason = str(verdict).removeprefix(f"{resource_name}: ")
                by_input.setdefault(place, Failure(place, reason))
    return list(by_input.values())


def _verdicts(subject: Subject, name: str, tags: Mapping[str, Any]) -> Iterator[ValueVerdict]:
    kind = subject.kind
    requests = list(_requests(subject, tags))
    # The sentence of a rule says more than that of a model.
    for operation, members in requests:
        request = Request(
            resource=name,
            service=kind.service,
            operation=operation.name,
            members=_later(members),
            region=subject.region if kind.regional else subject.api.region,
        )
        yield from calls.verdicts(request)
        if operation.input_shape is not None:
            yield from model.verdicts(request, operation.input_shape, whole=False)
    yield from resource.verdicts(
        resource.Resource(
            name=name,
            service=kind.service,
            type=kind.schema,
            region=subject.region if kind.regional else subject.api.region,
            properties=_properties(kind, subject.inputs),
            settable=_settable(kind),
        )
    )


def _requests(subject: Subject, tags: Mapping[str, Any]) -> Iterator[tuple[Any, Mapping[str, Any]]]:
    """The calls that would make it: model of the operation, and members."""
    kind, api = subject.kind, subject.api
    requests: Iterable[tuple[str, Mapping[str, Any]]] = ()
    if kind.calls is not None:
        requests = kind.calls(subject)
    elif isinstance(kind.create, Call):
        requests = [(kind.create.operation, subject.members(kind.create))]
    for index, (operation, members) in enumerate(requests):
        tag_members = kind.tags.at_create(tags) if kind.tags and not index else {}
        yield api.shapes(kind.service, operation), {**tag_members, **members}
    for change in kind.changes:
        if isinstance(change.step, Call) and _is_set(subject, change):
            yield api.shapes(kind.service, change.step.operation), subject.members(change.step)
    if kind.tags and tags and kind.tags.create is None:
        put = kind.tags.put
        yield api.shapes(kind.service, put.operation), subject.members(put)


def _is_set(subject: Subject, change: Change) -> bool:
    return any(name in subject.inputs and name not in subject.sent for name in change.properties)


def _later(value: Any) -> Any:
    """A value with `LATER` where the engine does not know yet."""
    match value:
        case Mapping():
            return {name: _later(item) for name, item in value.items()}
        case list() | tuple():
            return [_later(item) for item in value]
        case _:
            return LATER if value is UNKNOWN else value


# --- between Pulumi's names and AWS's ---


def _property(kind: Kind, misfit: Misfit) -> str:
    """The input that a value in a request, or in a schema, comes from; empty where it is none of them."""
    path = misfit.path
    if kind.tags and path and path[0] in (kind.tags.create, "Tags", "Tagging"):
        return "tags"
    of_schema = misfit.rule is resource.RULE
    for words in (kind.schema_names,) if of_schema else (kind.names, kind.schema_names):
        names = {name.lower(): name for name in kind.input_names}
        names |= {member.lower(): name for name, member in words.items() if name in kind.input_names}
        for index, step in enumerate(path):
            name = names.get(step.lower()) if isinstance(step, str) else None
            if name:
                return name + "".join(_step(kind, name, step) for step in path[index + 1 :])
    return ""


def _step(kind: Kind, name: str, step: str | int) -> str:
    if isinstance(step, int):
        return "" if name in kind.aws_lists else f"[{step}]"
    if not step.isidentifier():
        return f'["{step}"]'
    return f".{mapping.camel(step) if step[:1].isupper() else step}"


def _settable(kind: Kind) -> frozenset[str]:
    """CloudFormation's properties that the inputs of a type become."""
    if kind.schema not in (types_of("us-east-1") or {}):
        return frozenset()
    members = document(kind.schema)["properties"]
    by_name = {member.lower(): member for member in members}
    firsts = {kind.schema_names.get(name, name).split("/")[0].lower() for name in kind.input_names}
    return frozenset(by_name[name] for name in firsts & by_name.keys())


def _properties(kind: Kind, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Inputs in CloudFormation's words; `LATER` for what it words in another way."""
    root = document(kind.schema) if kind.schema in (types_of("us-east-1") or {}) else {}
    properties: dict[str, Any] = {}
    for name, value in inputs.items():
        if name.startswith("__") or name == "region" or value is None:
            continue
        place, schema, known = properties, root, True
        *above, last = kind.schema_names.get(name, name).split("/")
        for step in above:
            member, schema = _member(step, schema, root)
            known = known and member is not None
            place = place.setdefault(member or step, {})
        member, schema = _member(last, schema, root)
        if not known or member is None:
            continue
        if name == "tags" and isinstance(value, dict) and schema.get("type") == "array":
            value = [{"key": key, "value": item} for key, item in value.items()]
        place[member] = _conversion(value, schema, root)
    return properties


def _member(name: str, schema: Mapping[str, Any], root: Mapping[str, Any]) -> tuple[str | None, Any]:
    members = _definition(schema, root).get("properties", {})
    member = next((member for member in members if member.lower() == name.lower()), None)
    return member, members[member] if member else {}


def _definition(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    reference = schema.get("$ref")
    if not reference:
        return schema
    definition: Mapping[str, Any] = root["definitions"][reference.rpartition("/")[2]]
    return _definition(definition, root)


def _conversion(value: Any, schema: Mapping[str, Any], root: Mapping[str, Any]) -> Any:
    schema = _definition(schema, root)
    type = schema.get("type")
    match value:
        case dict() if type == "array":
            return [_conversion(value, schema.get("items", {}), root)]
        case dict() if "patternProperties" in schema:
            return _later(value)
        case dict() if type in ("object", None):
            members = {}
            for name, item in value.items():
                member, inner = _member(name, schema, root)
                if member is not None and item is not None:
                    members[member] = _conversion(item, inner, root)
            return members
        case list() if type == "array":
            return [_conversion(item, schema.get("items", {}), root) for item in value]
        case list() if type == "object" and len(value) == 1:
            return _conversion(value[0], schema, root)
        case str() if type in ("integer", "number"):
            return int(value) if value.lstrip("-").isdigit() else LATER
        case str() if type == "string" or type is None or "string" in type:
            return value
        case bool() if type == "boolean":
            return value
        case int() | float() if type in ("integer", "number"):
            return value
        case _:
            return LATER
