"""Registries of images: ECR's, and public ones that ECR can fetch from."""

import re
from collections.abc import Mapping
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

ECR = re.compile(
    r"^(?P<account>\d{12})\.dkr\.ecr(-fips)?\.(?P<region>[a-z0-9-]+)\.amazonaws\.(com|com\.cn|eu)(/(?P<prefix>.+))?$"
)
"""A registry of ECR, host and path."""

UPSTREAMS_WITH_CREDENTIALS: tuple[Upstream, ...] = ("docker.io", "ghcr.io")
"""Upstream registries that a pull-through cache asks only with credentials (ECR User Guide)."""
