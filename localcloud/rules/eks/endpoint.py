"""Access to a cluster's API server: the private and the public endpoint."""

from collections.abc import Iterator, Mapping
from ipaddress import ip_network
from typing import Any

from localcloud.rules.rule import Rule, Violation

ENDPOINT = Rule(
    name="cluster-endpoint",
    authority="EKS",
    decides="whether a cluster's endpoint can be reached at all, and from which public networks",
    source="https://docs.aws.amazon.com/eks/latest/userguide/cluster-endpoint.html",
)

RULES = (ENDPOINT,)

ANYWHERE = ["0.0.0.0/0"]

RESERVED = tuple(
    map(
        ip_network,
        ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16"),
    )
)
""""The block cannot include reserved addresses" (the same page): what the internet does not route."""

MAX_CIDRS = 40
"""Public endpoint access CIDR ranges of a cluster, a fixed quota:
https://docs.aws.amazon.com/eks/latest/userguide/service-quotas.html"""


def endpoint(cluster: str, config: Mapping[str, Any]) -> Iterator[Violation]:
    """What is refused of the settings of an endpoint (`resourcesVpcConfig`), EKS's defaults filled in."""
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
    reserved = [cidr for cidr in cidrs if cidr != ANYWHERE[0] and _reserved(cidr)]
    if public and reserved:
        yield _violation(
            cluster,
            f"The following CIDRs are not allowed in publicAccessCidrs: [{', '.join(reserved)}]",
            "name networks of the internet; others come by the private endpoint",
        )
    if len(cidrs) > MAX_CIDRS:
        yield _violation(
            cluster,
            f"publicAccessCidrs has {len(cidrs)} entries, more than {MAX_CIDRS}",
            "put networks together",
        )


def _reserved(cidr: str) -> bool:
    network = ip_network(cidr, strict=False)
    return any(
        network.version == reserved.version and network.subnet_of(reserved)  # type: ignore[arg-type]
        for reserved in RESERVED
    )


def _violation(cluster: str, message: str, remedy: str) -> Violation:
    return Violation(
        rule=ENDPOINT, resource=cluster, code="InvalidParameterException", message=message, remedy=remedy
    )
