"""The service that makes a plan every night, of what was used."""

from dataclasses import dataclass

import pulumi

from moka.allocation.configuration import KEY
from moka.components.aws.bucket_access import bucket_statements
from moka.components.aws.policy import Statement
from moka.components.kubernetes import archer
from moka.components.kubernetes.egress import anywhere, names, pod_identity, to
from moka.components.kubernetes.job_network import HTTPS_PORT
from moka.components.kubernetes.peers import peer
from moka.components.kubernetes.scraped_service import Egress, scraped_only
from moka.components.kubernetes.service import Service, ServiceArgs, folder, service_labels
from moka.names import ALLOCATOR, ARCHER, INGRESS_NAMESPACE
from moka.usage import places

PORT = 8080


def permissions(bucket_arn: pulumi.Input[str], key_arn: pulumi.Input[str] | None) -> list[Statement]:
    """What it may do in the bucket of what was used: read the records of all clusters."""
    return bucket_statements("UsageRecords", "read", bucket_arn, key_arn, under=places.ROOT)


@dataclass(frozen=True, kw_only=True)
class AllocatorArgs:
    """What differs between environments.

    image: reference of the service's image, for every architecture of the system nodes.
    namespace: of the service.
    configuration: file of `moka.allocation.configuration`, in base64.
    """

    image: str
    namespace: pulumi.Input[str]
    configuration: pulumi.Input[str]


class Allocator(Service):
    """Pulumi type `moka:kubernetes:Allocator`: the Service `allocator`.

    Makes, besides what every Service does, NetworkPolicies: collectors of metrics reach it; it reaches Archer
    and AWS.
    """

    def __init__(self, name: str, args: AllocatorArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        service = ServiceArgs(
            service=ALLOCATOR,
            image=args.image,
            namespace=args.namespace,
            args=[f"--configuration={folder(ALLOCATOR)}/{KEY}"],
            binary_files={KEY: args.configuration},
            # For a copy of the history: 6,000,000 runs are 0.4 GiB where names are short
            # (tests/support/usage_history.py), and what DuckDB has no memory for goes there, too.
            disk="8Gi",
            port=PORT,
            # 6,000,000 runs take 2 GiB (docs/benchmarks.md); it uses what it needs, at night.
            cpu="1",
            memory="1Gi",
            memory_limit="4Gi",
        )
        super().__init__(name, service, opts)
        scraped_only(
            name,
            ALLOCATOR,
            args.namespace,
            PORT,
            way_out(),
            pulumi.ResourceOptions(parent=self),
        )


def way_out() -> list[Egress]:
    """Where it connects to; addresses of S3 and STS are not known."""
    service = peer(INGRESS_NAMESPACE, service_labels(ARCHER))
    return [names(), anywhere([HTTPS_PORT]), pod_identity(), to([service], [archer.PORT])]
