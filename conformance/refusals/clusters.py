"""Clusters that EKS refuses; a cluster that it makes nevertheless is deleted with the rest."""

from collections.abc import Mapping
from typing import Any

from pulumi_aws import eks

from conformance.refusals.probe import Base, Probe


def cluster(base: Base, name: str, *, vpc: Mapping[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """Inputs of a cluster that is right but for `vpc`, more of its VPC's configuration, and `more`."""
    return {
        "name": f"moka-conformance-{name}",
        "role_arn": base.role_arn,
        "vpc_config": {"subnet_ids": list(base.subnet_ids), **(vpc or {})},
        **more,
    }


PROBES = (
    Probe(
        rule="cluster-version",
        name="cluster-of-a-version-that-has-ended",
        code="InvalidParameterException",
        type=eks.Cluster,
        inputs=lambda base: cluster(base, "old", version="1.20"),
    ),
    Probe(
        rule="cluster-settings",
        name="cluster-of-a-version-that-is-none",
        code="InvalidParameterException",
        type=eks.Cluster,
        inputs=lambda base: cluster(base, "version", version="v1.35"),
    ),
    Probe(
        rule="cluster-ranges",
        name="cluster-with-public-addresses-of-services",
        code="InvalidParameterException",
        type=eks.Cluster,
        inputs=lambda base: cluster(
            base, "services", kubernetes_network_config={"service_ipv4_cidr": "8.8.0.0/16"}
        ),
    ),
    Probe(
        rule="cluster-subnets",
        name="cluster-in-one-zone",
        code="InvalidParameterException",
        type=eks.Cluster,
        inputs=lambda base: cluster(base, "zone", vpc={"subnet_ids": [base.subnet_ids[0]]}),
    ),
    Probe(
        rule="cluster-endpoint",
        name="cluster-that-nobody-reaches",
        code="InvalidParameterException",
        type=eks.Cluster,
        inputs=lambda base: cluster(
            base, "endpoint", vpc={"endpoint_public_access": False, "endpoint_private_access": False}
        ),
    ),
)
