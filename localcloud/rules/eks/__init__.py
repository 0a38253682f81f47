"""What EKS decides of clusters, node groups and add-ons, beyond the form of a request."""

from localcloud.rules.eks import capacity, configuration, drain, endpoint, sizes, subnets, versions, volumes
from localcloud.rules.rule import Rule

RULES: tuple[Rule, ...] = (
    *sizes.RULES,
    *versions.RULES,
    *configuration.RULES,
    *subnets.RULES,
    *endpoint.RULES,
    *capacity.RULES,
    *drain.RULES,
    *volumes.RULES,
)
