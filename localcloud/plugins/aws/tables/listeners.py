"""Listeners of load balancers, their rules, and targets of target groups. Nothing answers at their names."""

from collections.abc import Mapping
from typing import Any

from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import ID, Call, Change, Kind, P, Read, words
from localcloud.plugins.aws.tables.load_balancers import TAGS, tags


def action_names(actions: str) -> dict[str, str]:
    """Parts of actions -> members."""
    return {
        f"{actions}.fixedResponse": "FixedResponseConfig",
        f"{actions}.redirect": "RedirectConfig",
        f"{actions}.forward": "ForwardConfig",
        f"{actions}.forward.targetGroups.arn": "TargetGroupArn",
        f"{actions}.forward.stickiness": "TargetGroupStickinessConfig",
        f"{actions}.forward.stickiness.duration": "DurationSeconds",
    }


def computed_of(actions: str) -> frozenset[str]:
    """Parts of actions that ELB fills in."""
    parts = "order targetGroupArn forward forward.stickiness forward.targetGroups.weight"
    redirect = "redirect.host redirect.path redirect.port redirect.protocol redirect.query"
    return frozenset(f"{actions}.{part}" for part in f"{parts} {redirect}".split())


# --- listeners ---

APPLICATION = ":loadbalancer/app/"
SETTINGS = "port protocol sslPolicy defaultActions"


def _certificates(subject: Subject) -> dict[str, Any]:
    arn = subject.inputs.get("certificateArn")
    return {"Certificates": [{"CertificateArn": arn}]} if arn else {}


def listener_members(subject: Subject) -> dict[str, Any]:
    """Members of the call that makes a listener; one of an ALB speaks HTTP, unless the program says."""
    members = subject.members(Call("create_listener", takes=f"loadBalancerArn {SETTINGS}"))
    if APPLICATION in str(members.get("LoadBalancerArn", "")):
        members.setdefault("Protocol", "HTTP")
    alpn = subject.inputs.get("alpnPolicy")
    return members | _certificates(subject) | ({"AlpnPolicy": [alpn]} if alpn else {})


def calls_of_listener(subject: Subject) -> list[tuple[str, Mapping[str, Any]]]:
    """The call that makes it."""
    return [("create_listener", listener_members(subject))]


def make_listener(subject: Subject) -> str:
    """Make a listener."""
    more = {"Tags": TAGS.write(subject.properties["tagsAll"])} if subject.properties.get("tagsAll") else {}
    [(operation, members)] = calls_of_listener(subject)
    answer = subject.request(operation, **members, **more)
    subject.sent |= subject.inputs.keys()
    return str(answer["Listeners"][0]["ListenerArn"])


def change_listener(subject: Subject) -> None:
    """Change a listener."""
    members = listener_members(subject)
    members.pop("LoadBalancerArn")
    subject.request("modify_listener", ListenerArn=subject.id, **members)


def read_listener(subject: Subject) -> dict[str, Any] | None:
    """A listener, with its certificate."""
    answer = subject.request("describe_listeners", ListenerArns=[subject.id])
    if not answer["Listeners"]:
        return None
    [description] = answer["Listeners"]
    certificates = [certificate["CertificateArn"] for certificate in description.get("Certificates") or ()]
    return {
        **subject.extract("describe_listeners", answer, "Listeners[0]"),
        "certificateArn": certificates[0] if certificates else None,
        "alpnPolicy": next(iter(description.get("AlpnPolicy") or ()), None),
        "tagsAll": tags(subject),
    }


LISTENER = Kind(
    service="elbv2",
    schema="AWS::ElasticLoadBalancingV2::Listener",
    inputs="loadBalancerArn! defaultActions! port protocol sslPolicy certificateArn alpnPolicy",
    outputs="arn",
    create=make_listener,
    id="",
    names={"arn": "ListenerArn", **action_names("defaultActions")},
    computed=words("port protocol sslPolicy") | computed_of("defaultActions"),
    reads=(Read(read_listener),),
    changes=(
        Change(
            ("port", "protocol", "sslPolicy", "defaultActions", "certificateArn", "alpnPolicy"),
            change_listener,
        ),
    ),
    delete=(Call("delete_listener", {"ListenerArn": ID}),),
    tags=TAGS,
    schema_names={"certificateArn": "Certificates"},
    calls=calls_of_listener,
)

# --- rules ---

CONDITIONS = {
    "hostHeader": ("host-header", "HostHeaderConfig"),
    "pathPattern": ("path-pattern", "PathPatternConfig"),
    "httpHeader": ("http-header", "HttpHeaderConfig"),
    "httpRequestMethod": ("http-request-method", "HttpRequestMethodConfig"),
    "sourceIp": ("source-ip", "SourceIpConfig"),
    "queryStrings": ("query-string", "QueryStringConfig"),
}
"""Part of a condition -> field and member of ELB's."""


def conditions(subject: Subject) -> list[dict[str, Any]]:
    """Conditions of a rule as ELB takes them."""
    return [
        {"Field": CONDITIONS[part][0], CONDITIONS[part][1]: _condition(part, value)}
        for condition in subject.inputs["conditions"]
        for part, value in condition.items()
        if part in CONDITIONS and value
    ]


def _condition(part: str, value: Any) -> dict[str, Any]:
    if part == "queryStrings":
        return {"Values": [{"Key": pair.get("key", ""), "Value": pair["value"]} for pair in value]}
    header = {"HttpHeaderName": value["httpHeaderName"]} if part == "httpHeader" else {}
    return {**header, "Values": value["values"]}


def _condition_properties(condition: Mapping[str, Any]) -> dict[str, Any]:
    """A condition of ELB's as the provider shows it."""
    part, member = next(
        (part, member) for part, (field, member) in CONDITIONS.items() if field == condition["Field"]
    )
    values = (condition.get(member) or {}).get("Values") or condition.get("Values") or []
    if part == "queryStrings":
        return {part: [{"key": pair.get("Key", ""), "value": pair["Value"]} for pair in values]}
    header = {"httpHeaderName": condition[member]["HttpHeaderName"]} if part == "httpHeader" else {}
    return {part: {**header, "values": values}}


def make_rule(subject: Subject) -> str:
    """Make a rule; without a priority, after all others, as in the provider."""
    rules = subject.request("describe_rules", ListenerArn=subject.properties["listenerArn"])["Rules"]
    priorities = [int(rule["Priority"]) for rule in rules if rule["Priority"].isdigit()]
    priority = subject.inputs.get("priority")
    answer = subject.create(
        Call("create_rule", takes="listenerArn actions"),
        {"Conditions": conditions(subject), "Priority": int(priority or max(priorities, default=0) + 1)},
    )
    subject.sent |= subject.inputs.keys()
    return str(answer["Rules"][0]["RuleArn"])


def change_rule(subject: Subject) -> None:
    """Change what a rule matches and does."""
    actions = subject.members(Call("modify_rule", takes="actions"))
    subject.request("modify_rule", RuleArn=subject.id, Conditions=conditions(subject), **actions)


def change_priority(subject: Subject) -> None:
    """Move a rule before or behind others."""
    place = {"RuleArn": subject.id, "Priority": int(subject.inputs["priority"])}
    subject.request("set_rule_priorities", RulePriorities=[place])


def read_rule(subject: Subject) -> dict[str, Any] | None:
    """A rule; its ARN has that of its listener."""
    answer = subject.request("describe_rules", RuleArns=[subject.id])
    if not answer["Rules"]:
        return None
    [description] = answer["Rules"]
    listener, _, _ = subject.id.replace(":listener-rule/", ":listener/").rpartition("/")
    properties = subject.extract("describe_rules", answer, "Rules[0]")
    return {
        **properties,
        "listenerArn": listener,
        "priority": int(description["Priority"]),
        "conditions": [_condition_properties(condition) for condition in description["Conditions"]],
        "tagsAll": tags(subject),
    }


LISTENER_RULE = Kind(
    service="elbv2",
    schema="AWS::ElasticLoadBalancingV2::ListenerRule",
    inputs="listenerArn! actions! conditions! priority",
    outputs="arn",
    create=make_rule,
    id="",
    names={"arn": "RuleArn", **action_names("actions")},
    computed=words("priority") | computed_of("actions"),
    unordered=words("conditions"),
    reads=(Read(read_rule),),
    changes=(Change(("actions", "conditions"), change_rule), Change(("priority",), change_priority)),
    delete=(Call("delete_rule", {"RuleArn": ID}),),
    tags=TAGS,
    # CloudFormation's Conditions are of another form: a field, and a member of it.
    schema_names={"conditions": "ConditionsByPart"},
)

# --- targets ---

TARGET = {"Id": P("targetId"), "Port": P("port"), "AvailabilityZone": P("availabilityZone")}
OF_GROUP = {"TargetGroupArn": P("targetGroupArn"), "Targets": [TARGET]}


PARTS = ("targetGroupArn", "targetId", "port", "availabilityZone")


def register(subject: Subject) -> str:
    """Put a target into a group; its id is what it is made of."""
    subject.call(Call("register_targets", OF_GROUP))
    return ",".join(str(subject.properties[part]) for part in PARTS if subject.properties.get(part))


def read_target(subject: Subject) -> dict[str, Any] | None:
    """A target of a group, if it is registered there. Its id to import: `<group>,<target>,<port>`."""
    if not subject.properties.get("targetGroupArn"):
        subject.properties |= dict(zip(PARTS, subject.id.split(","), strict=False))
    answer = subject.call(Call("describe_target_health", {"TargetGroupArn": P("targetGroupArn")}))
    ids = [health["Target"]["Id"] for health in answer["TargetHealthDescriptions"]]
    if subject.properties["targetId"] not in ids:
        return None
    parts = {part: subject.properties.get(part) for part in PARTS}
    return {**parts, "port": int(parts["port"]) if parts["port"] else None}


def deregister(subject: Subject) -> None:
    """Take a target from its group, unless it is gone: ELB says nothing of one that is, and moto does."""
    if read_target(subject) is not None:
        subject.call(Call("deregister_targets", OF_GROUP))


ATTACHMENT = Kind(
    service="elbv2",
    # CloudFormation lists targets in the group.
    schema="AWS::ElasticLoadBalancingV2::TargetGroup",
    inputs="targetGroupArn! targetId! port availabilityZone",
    create=register,
    id="",
    reads=(Read(read_target),),
    delete=(deregister,),
)

TYPES = {
    f"aws:{module}/{type}": kind
    for type, kind in {
        "listener:Listener": LISTENER,
        "listenerRule:ListenerRule": LISTENER_RULE,
        "targetGroupAttachment:TargetGroupAttachment": ATTACHMENT,
    }.items()
    for module in ("lb", "alb")
}
"""Both modules have the same types; `alb` is the older name."""
