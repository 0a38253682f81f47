"""Whether the machines of a node group become nodes: what EKS, EC2 and the kubelet would say."""

from aws_rules.nodes import (
    add_ons,
    addresses,
    dns,
    machine_images,
    offerings,
    self_managed,
    subnets,
    templates,
    ways,
)
from aws_rules.rule import Rule

RULES: tuple[Rule, ...] = (
    *templates.RULES,
    *machine_images.RULES,
    *offerings.RULES,
    *subnets.RULES,
    *addresses.RULES,
    *add_ons.RULES,
    *ways.RULES,
    *dns.RULES,
    *self_managed.RULES,
)
