"""Nothing is public: rules on what can be reached from outside."""

from collections.abc import Iterator, Mapping
from typing import Any

from pulumi_policy import ReportViolation, ResourceValidationArgs, ResourceValidationPolicy

CLUSTER = "aws:eks/cluster:Cluster"
ACCESS_BLOCK = "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock"
ACCESS_BLOCKS = ("blockPublicAcls", "blockPublicPolicy", "ignorePublicAcls", "restrictPublicBuckets")
EVERYWHERE = frozenset({"0.0.0.0/0", "::/0"})


def api_server_violations(cluster: Mapping[str, Any]) -> Iterator[str]:
    """Violation of an EKS cluster whose API server can be reached from everywhere.

    cluster: inputs; a value that is not known yet is missing, and no violation.
    """
    network = cluster.get("vpcConfig") or {}
    allowed = set(network.get("publicAccessCidrs") or EVERYWHERE)
    if network.get("endpointPublicAccess") and EVERYWHERE & allowed:
        yield "The API server is open to everyone: turn endpointPublicAccess off, or limit publicAccessCidrs."


def bucket_violations(block: Mapping[str, Any]) -> Iterator[str]:
    """Violations of a bucket's public access block; inputs as Pulumi names them."""
    for name in ACCESS_BLOCKS:
        if block.get(name) is False or name not in block:
            yield f"The bucket can be made public: set {name} to true."


def _policy(name: str, description: str, of_type: str, rule: Any) -> ResourceValidationPolicy:
    def validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
        if args.resource_type == of_type:
            for violation in rule(args.props):
                report(violation, None)

    return ResourceValidationPolicy(name=name, description=description, validate=validate)


POLICIES = [
    _policy("api-server-not-public", "API servers are not open to everyone.", CLUSTER, api_server_violations),
    _policy("buckets-not-public", "Buckets cannot be made public.", ACCESS_BLOCK, bucket_violations),
]
