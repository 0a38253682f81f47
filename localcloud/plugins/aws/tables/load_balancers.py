"""Load balancers of ELBv2, their target groups and listeners. Nothing answers at their names."""

from typing import Any

from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import ID, Call, Change, Kind, Name, P, Read, Tagging, words

TAGS = Tagging(
    create="Tags",
    put=Call("add_tags", {"ResourceArns": [ID], "Tags": P("=tags")}),
    remove=Call("remove_tags", {"ResourceArns": [ID], "TagKeys": P("=keys")}),
)


def tags(subject: Subject) -> dict[str, str]:
    """Tags of a resource, which its own reads do not show."""
    [description] = subject.request("describe_tags", ResourceArns=[subject.id])["TagDescriptions"]
    return TAGS.read(description["Tags"])


def attributes(subject: Subject, describe: str, of: str, names: dict[str, str]) -> dict[str, Any]:
    """Attributes of a resource; ELB has all of them as texts."""
    pairs = subject.request(describe, **{of: subject.id})["Attributes"]
    texts = {pair["Key"]: pair["Value"] for pair in pairs}
    return {name: plain(texts[key]) for name, key in names.items() if key in texts}


def plain(text: str) -> str | bool | int:
    """An attribute's text as the boolean or number that it stands for."""
    if text in ("true", "false"):
        return text == "true"
    return int(text) if text.isdigit() else text


def put_attributes(modify: str, of: str, names: dict[str, str]) -> Change:
    """How attributes change: each by its key."""

    def step(subject: Subject) -> None:
        texts = {
            key: str(value).lower() if isinstance(value, bool) else str(value)
            for name, key in names.items()
            if (value := subject.inputs.get(name)) is not None
        }
        pairs = [{"Key": key, "Value": text} for key, text in texts.items()]
        subject.request(modify, **{of: subject.id}, Attributes=pairs)

    return Change(tuple(names), step)


# --- load balancers ---

BALANCER_ATTRIBUTES = {
    "enableDeletionProtection": "deletion_protection.enabled",
    "idleTimeout": "idle_timeout.timeout_seconds",
    "enableHttp2": "routing.http2.enabled",
    "dropInvalidHeaderFields": "routing.http.drop_invalid_header_fields.enabled",
    "enableCrossZoneLoadBalancing": "load_balancing.cross_zone.enabled",
}


def make_balancer(subject: Subject) -> str:
    """Make a load balancer."""
    scheme = "internal" if subject.properties.get("internal") else "internet-facing"
    answer = subject.create(Call("create_load_balancer", takes=CREATED), {"Scheme": scheme})
    return str(answer["LoadBalancers"][0]["LoadBalancerArn"])


CREATED = "name loadBalancerType securityGroups subnets ipAddressType"

# Of ALBs: https://docs.aws.amazon.com/general/latest/gr/elb.html
HOSTED_ZONES = {
    "us-east-1": "Z35SXDOTRQ7X7K",
    "us-east-2": "Z3AADJGX6KTTL2",
    "us-west-1": "Z368ELLRRE2KJ0",
    "us-west-2": "Z1H1FL5HABSF5",
    "eu-central-1": "Z215JYRZR1TBD5",
    "eu-west-1": "Z32O12XQLNTSW2",
}


def read_balancer(subject: Subject) -> dict[str, Any] | None:
    """A load balancer with its attributes."""
    describe = "describe_load_balancers"
    answer = subject.request(describe, LoadBalancerArns=[subject.id])
    if not answer["LoadBalancers"]:
        return None
    description = answer["LoadBalancers"][0]
    part = attributes(subject, "describe_load_balancer_attributes", "LoadBalancerArn", BALANCER_ATTRIBUTES)
    return {
        **subject.extract(describe, answer, "LoadBalancers[0]"),
        **part,
        "name": description["LoadBalancerName"],
        "arnSuffix": subject.id.partition(":loadbalancer/")[2],
        "internal": description["Scheme"] == "internal",
        "subnets": [zone["SubnetId"] for zone in description["AvailabilityZones"]],
        "zoneId": HOSTED_ZONES.get(subject.region),
        "tagsAll": tags(subject),
    }


LOAD_BALANCER = Kind(
    service="elbv2",
    schema="AWS::ElasticLoadBalancingV2::LoadBalancer",
    inputs=f"namePrefix internal {CREATED} {' '.join(BALANCER_ATTRIBUTES)}",
    outputs="arn arnSuffix dnsName vpcId zoneId",
    create=make_balancer,
    id="",
    name=Name(max_length=32),
    names={"arn": "LoadBalancerArn", "loadBalancerType": "Type"},
    defaults={"loadBalancerType": "application"},
    fixed={
        "clientKeepAlive": 3600,
        "desyncMitigationMode": "defensive",
        "enableTlsVersionAndCipherSuiteHeaders": False,
        "enableWafFailOpen": False,
        "enableXffClientPort": False,
        "enableZonalShift": False,
        "preserveHostHeader": False,
        "xffHeaderProcessingMode": "append",
    },
    arguments=words("namePrefix"),
    computed=words("internal securityGroups subnets ipAddressType") | BALANCER_ATTRIBUTES.keys(),
    unordered=words("securityGroups subnets"),
    reads=(Read(read_balancer),),
    changes=(
        Change(
            ("securityGroups",), Call("set_security_groups", {"LoadBalancerArn": ID}, takes="securityGroups")
        ),
        Change(("subnets",), Call("set_subnets", {"LoadBalancerArn": ID}, takes="subnets")),
        Change(
            ("ipAddressType",), Call("set_ip_address_type", {"LoadBalancerArn": ID}, takes="ipAddressType")
        ),
        put_attributes("modify_load_balancer_attributes", "LoadBalancerArn", BALANCER_ATTRIBUTES),
    ),
    delete=(Call("delete_load_balancer", {"LoadBalancerArn": ID}),),
    tags=TAGS,
    schema_names={"internal": "Scheme", "loadBalancerType": "Type"},
)

# --- target groups ---

CHECK = {
    "enabled": "HealthCheckEnabled",
    "healthyThreshold": "HealthyThresholdCount",
    "interval": "HealthCheckIntervalSeconds",
    "matcher": "Matcher",
    "path": "HealthCheckPath",
    "port": "HealthCheckPort",
    "protocol": "HealthCheckProtocol",
    "timeout": "HealthCheckTimeoutSeconds",
    "unhealthyThreshold": "UnhealthyThresholdCount",
}
"""Of a group's health check: property -> member."""

WHOLE = words("healthyThreshold interval timeout unhealthyThreshold")


def _check(subject: Subject) -> dict[str, Any]:
    from localcloud.errors import Refusal

    members: dict[str, Any] = {}
    for name, value in (subject.inputs.get("healthCheck") or {}).items():
        if name not in CHECK:
            raise Refusal(
                f"{subject.type}: there is no {name} in healthCheck: leave it out; it has {', '.join(CHECK)}."
            )
        if value is not None:
            members[CHECK[name]] = int(value) if name in WHOLE else value
    if "Matcher" in members:
        members["Matcher"] = {"HttpCode": str(members["Matcher"])}
    if "HealthCheckPort" in members:
        members["HealthCheckPort"] = str(members["HealthCheckPort"])
    return members


def make_group(subject: Subject) -> str:
    """Make a target group, with its health check."""
    answer = subject.create(Call("create_target_group", takes=GROUP), _check(subject))
    subject.sent.add("healthCheck")
    return str(answer["TargetGroups"][0]["TargetGroupArn"])


GROUP = "name port protocol protocolVersion targetType vpcId ipAddressType"
GROUP_ATTRIBUTES = {
    "deregistrationDelay": "deregistration_delay.timeout_seconds",
    "slowStart": "slow_start.duration_seconds",
    "loadBalancingAlgorithmType": "load_balancing.algorithm.type",
}


def change_check(subject: Subject) -> None:
    """Give a group another health check."""
    subject.request("modify_target_group", TargetGroupArn=subject.id, **_check(subject))


def read_group(subject: Subject) -> dict[str, Any] | None:
    """A target group with its health check and attributes."""
    describe = "describe_target_groups"
    answer = subject.request(describe, TargetGroupArns=[subject.id])
    if not answer["TargetGroups"]:
        return None
    description = answer["TargetGroups"][0]
    check = {
        name: description[member] for name, member in CHECK.items() if description.get(member) is not None
    }
    if matcher := check.pop("matcher", None):
        check["matcher"] = matcher.get("HttpCode")
    return {
        **subject.extract(describe, answer, "TargetGroups[0]"),
        **attributes(subject, "describe_target_group_attributes", "TargetGroupArn", GROUP_ATTRIBUTES),
        "arnSuffix": subject.id.rpartition(":")[2],
        "name": description["TargetGroupName"],
        "healthCheck": check,
        "tagsAll": tags(subject),
    }


TARGET_GROUP = Kind(
    service="elbv2",
    schema="AWS::ElasticLoadBalancingV2::TargetGroup",
    inputs=f"namePrefix healthCheck {GROUP} {' '.join(GROUP_ATTRIBUTES)}",
    outputs="arn arnSuffix loadBalancerArns",
    create=make_group,
    id="",
    name=Name(max_length=32),
    names={"arn": "TargetGroupArn"},
    defaults={"targetType": "instance"},
    fixed={
        "connectionTermination": False,
        "lambdaMultiValueHeadersEnabled": False,
        "proxyProtocolV2": False,
    },
    arguments=words("namePrefix"),
    computed=words("healthCheck protocolVersion ipAddressType") | GROUP_ATTRIBUTES.keys(),
    volatile=words("loadBalancerArns"),
    reads=(Read(read_group),),
    changes=(
        Change(("healthCheck",), change_check),
        put_attributes("modify_target_group_attributes", "TargetGroupArn", GROUP_ATTRIBUTES),
    ),
    delete=(Call("delete_target_group", {"TargetGroupArn": ID}),),
    tags=TAGS,
)

TYPES = {
    f"aws:{module}/{type}": kind
    for type, kind in {
        "loadBalancer:LoadBalancer": LOAD_BALANCER,
        "targetGroup:TargetGroup": TARGET_GROUP,
    }.items()
    for module in ("lb", "alb")
}
"""Both modules have the same types; `alb` is the older name."""
