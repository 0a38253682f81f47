"""What EKS decides of clusters, node groups and add-ons, beyond the form of a request."""

from aws_rules.eks import capacity, configuration, drain, endpoint, fargate, sizes, subnets, versions, volumes
from aws_rules.rule import Rule

RULES: tuple[Rule, ...] = (
    *sizes.RULES,
    *versions.RULES,
    *configuration.RULES,
    *subnets.RULES,
    *endpoint.RULES,
    *capacity.RULES,
    *drain.RULES,
    *volumes.RULES,
    *fargate.RULES,
)
