"""Listeners, their rules and targets: an example of every type, and how it is changed by hand."""

from dataclasses import replace

from localcloud.engine import Resource
from tests.local.aws.examples.example import OTHER_TAGS, TAGS, Bases, Changes, Console, Example
from tests.local.aws.examples.load_balancers import subnets

BASES: Bases = {
    "balancer": lambda w: ("aws:lb/loadBalancer:LoadBalancer", {"name": "stands", "subnets": subnets(w)}),
    "target_group": lambda w: (
        "aws:lb/targetGroup:TargetGroup",
        {"name": "stands", "port": 80, "protocol": "HTTP", "targetType": "ip", "vpcId": w.vpc},
    ),
    "listener": lambda w: (
        "aws:lb/listener:Listener",
        {"loadBalancerArn": w.balancer, "port": 80, "defaultActions": [forward(w)]},
    ),
}

NOT_THERE = {"contentType": "text/plain", "messageBody": "gone", "statusCode": "404"}
TO_HTTPS = {"port": "443", "protocol": "HTTPS", "statusCode": "HTTP_301"}


def forward(world):
    return {"type": "forward", "targetGroupArn": world.target_group}


BASES["proved"] = lambda w: (
    "aws:acm/certificateValidation:CertificateValidation",
    {"validationRecordFqdns": [w.output("proof", "fqdn")], "certificateArn": w.certificate},
)

EXAMPLES = [
    Example(
        "aws:lb/listener:Listener",
        lambda w: {
            "loadBalancerArn": w.balancer,
            "port": 8080,
            "defaultActions": [{"type": "fixed-response", "fixedResponse": NOT_THERE}],
            "tags": TAGS,
        },
        lambda w: {
            "defaultActions": [{"type": "redirect", "redirect": TO_HTTPS}],
            "tags": OTHER_TAGS,
        },
    ),
    Example(
        "aws:lb/listener:Listener",
        lambda w: {
            "loadBalancerArn": w.balancer,
            "port": 443,
            "protocol": "HTTPS",
            "certificateArn": w.output("proved", "certificateArn"),
            "defaultActions": [forward(w)],
        },
        lambda w: {
            "defaultActions": [
                {"type": "forward", "forward": {"targetGroups": [{"arn": w.target_group, "weight": 1}]}}
            ]
        },
        label="-https",
    ),
    Example(
        "aws:lb/listenerRule:ListenerRule",
        lambda w: {
            "listenerArn": w.listener,
            "actions": [forward(w)],
            "conditions": [
                {"pathPattern": {"values": ["/jobs/*"]}},
                {"hostHeader": {"values": ["moka.example"]}},
            ],
            "priority": 10,
            "tags": TAGS,
        },
        lambda w: {
            "conditions": [{"pathPattern": {"values": ["/queues/*"]}}],
            "priority": 20,
            "tags": OTHER_TAGS,
        },
        lambda w: {"listenerArn": w.listener.replace("listener/app", "listener/net")},
    ),
    Example(
        "aws:lb/targetGroupAttachment:TargetGroupAttachment",
        lambda w: {"targetGroupArn": w.target_group, "targetId": "10.0.0.17", "port": 8080},
        replace=lambda w: {"targetId": "10.0.0.18"},
    ),
]


def change_port(console: Console, resource: Resource) -> None:
    console.client("elbv2").modify_listener(
        ListenerArn=resource.id,
        Port=9090,
        DefaultActions=[{"Type": "redirect", "RedirectConfig": {"StatusCode": "HTTP_302"}}],
    )


def change_priority(console: Console, resource: Resource) -> None:
    console.client("elbv2").set_rule_priorities(RulePriorities=[{"RuleArn": resource.id, "Priority": 77}])


CHANGES_BY_HAND: Changes = {
    "aws:lb/listener:Listener": change_port,
    "aws:lb/listenerRule:ListenerRule": change_priority,
    "aws:lb/targetGroupAttachment:TargetGroupAttachment": None,
}

OLDER = {example.type: example.type.replace("aws:lb/", "aws:alb/") for example in EXAMPLES}
EXAMPLES += [replace(example, type=OLDER[example.type]) for example in EXAMPLES]
CHANGES_BY_HAND |= {OLDER[type]: change for type, change in CHANGES_BY_HAND.items()}
