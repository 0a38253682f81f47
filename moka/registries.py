"""Registries of images: ECR's, and public ones that ECR can fetch from."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Upstream = Literal["docker.io", "ghcr.io", "quay.io", "registry.k8s.io", "public.ecr.aws"]

UPSTREAM_HOSTS: Mapping[Upstream, str] = {
    "docker.io": "registry-1.docker.io",
    "ghcr.io": "ghcr.io",
    "public.ecr.aws": "public.ecr.aws",
    "quay.io": "quay.io",
    "registry.k8s.io": "registry.k8s.io",
}
"""Host in an image's public name -> the host that ECR asks:
https://docs.aws.amazon.com/AmazonECR/latest/userguide/pull-through-cache.html
"""

UPSTREAMS_WITH_CREDENTIALS: tuple[Upstream, ...] = ("docker.io", "ghcr.io")
"""Upstream registries that a pull-through cache asks only with credentials (ECR User Guide)."""

ECR_HOST = re.compile(
    r"(?P<account>[0-9]{12})\.(?:dkr\.ecr(?:-fips)?\.(?P<region>[a-z0-9-]+)\.(?P<domain>[a-z0-9.-]+)"
    r"|dkr-ecr(?:-fips)?\.(?P<dual_region>[a-z0-9-]+)\.on\.aws(?:\.[a-z.]+)?)"
)
"""Host of a private registry of ECR:
https://docs.aws.amazon.com/general/latest/gr/ecr.html
"""


@dataclass(frozen=True)
class EcrHost:
    """Account and region of a private registry of ECR. domain: of its host, None for the dual-stack one."""

    account: str
    region: str
    domain: str | None


def ecr_host(host: str) -> EcrHost | None:
    """What the host of a registry says, if it is one of ECR.

    Raises ValueError when it is nearly one.
    """
    if match := ECR_HOST.fullmatch(host):
        return EcrHost(match["account"], match["region"] or match["dual_region"], match["domain"])
    if re.search(r"\.dkr[.-]ecr|\becr\..*amazonaws", host, re.IGNORECASE):
        raise ValueError("write the host of ECR as <account>.dkr.ecr.<region>.amazonaws.com")
    return None
