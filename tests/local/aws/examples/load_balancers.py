"""Load balancers: an example of every type, and how it is changed by hand."""

from dataclasses import replace

from localcloud.engine import Resource
from tests.local.aws.examples.example import OTHER_TAGS, TAGS, Changes, Console, Example


def subnets(world):
    """Two subnets, once their VPC has an internet gateway."""
    assert world.gateway
    return [world.subnet, world.other_subnet]


EXAMPLES = [
    Example(
        "aws:lb/loadBalancer:LoadBalancer",
        lambda w: {"name": "one-balancer", "subnets": subnets(w), "idleTimeout": 30, "tags": TAGS},
        lambda w: {"idleTimeout": 90, "tags": OTHER_TAGS},
        lambda w: {"name": "another-balancer"},
    ),
    Example(
        "aws:lb/targetGroup:TargetGroup",
        lambda w: {
            "name": "one-group",
            "port": 80,
            "protocol": "HTTP",
            "targetType": "ip",
            "vpcId": w.vpc,
            "healthCheck": {"path": "/healthy", "interval": 15},
            "deregistrationDelay": 30,
            "tags": TAGS,
        },
        lambda w: {
            "healthCheck": {"path": "/ready", "interval": 20, "matcher": "200-299"},
            "deregistrationDelay": 60,
            "tags": OTHER_TAGS,
        },
        lambda w: {"port": 8080},
    ),
]


def change_idle_timeout(console: Console, resource: Resource) -> None:
    attributes = [{"Key": "idle_timeout.timeout_seconds", "Value": "77"}]
    console.client("elbv2").modify_load_balancer_attributes(
        LoadBalancerArn=resource.id, Attributes=attributes
    )


def change_check(console: Console, resource: Resource) -> None:
    console.client("elbv2").modify_target_group(TargetGroupArn=resource.id, HealthCheckPath="/by-hand")


CHANGES_BY_HAND: Changes = {
    "aws:lb/loadBalancer:LoadBalancer": change_idle_timeout,
    "aws:lb/targetGroup:TargetGroup": change_check,
}

OLDER = {example.type: example.type.replace("aws:lb/", "aws:alb/") for example in EXAMPLES}
EXAMPLES += [replace(example, type=OLDER[example.type]) for example in EXAMPLES]
CHANGES_BY_HAND |= {OLDER[type]: change for type, change in CHANGES_BY_HAND.items()}
