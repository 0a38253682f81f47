"""Access to a cluster's API server: the private and the public endpoint."""

from collections.abc import Iterator, Mapping
from typing import Any

from aws_rules.rule import Rule, Violation

ENDPOINT = Rule(
    name="cluster-endpoint",
    authority="EKS",
    decides="whether a cluster's endpoint can be reached at all",
    source="https://docs.aws.amazon.com/eks/latest/userguide/cluster-endpoint.html",
)

RULES = (ENDPOINT,)

ANYWHERE = ["0.0.0.0/0"]


def endpoint(cluster: str, config: Mapping[str, Any]) -> Iterator[Violation]:
    """What is refused of the settings of an endpoint (`resourcesVpcConfig`), EKS's defaults filled in.

    Networks that it cannot be opened to are values: `aws_rules.values.ranges`.
    """
    public = config.get("endpointPublicAccess", True)
    private = config.get("endpointPrivateAccess", False)
    cidrs = list(config.get("publicAccessCidrs") or ANYWHERE)
    if not public and not private:
        yield _violation(
            cluster,
            "Private and public endpoint access cannot be false",
            "set endpointPrivateAccess or endpointPublicAccess",
        )
    if not public and cidrs != ANYWHERE:
        yield _violation(
            cluster,
            "publicAccessCidrs can only be set when endpointPublicAccess is enabled",
            "leave publicAccessCidrs out, or set endpointPublicAccess",
        )


def _violation(cluster: str, message: str, remedy: str) -> Violation:
    return Violation(
        rule=ENDPOINT, resource=cluster, code="InvalidParameterException", message=message, remedy=remedy
    )
