"""Machines that join a cluster by themselves, and of which EKS knows nothing."""

from aws_rules.rule import Rule

SELF_MANAGED = Rule(
    name="self-managed-nodes",
    authority="EKS",
    decides="which cluster the machines of an Auto Scaling group join, by the NodeConfig in its user data",
    source="https://docs.aws.amazon.com/eks/latest/userguide/launch-workers.html",
)
RULES = (SELF_MANAGED,)
