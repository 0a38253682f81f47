"""Public registries of images that ECR can fetch from."""

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

UPSTREAMS_WITH_CREDENTIALS: tuple[Upstream, ...] = ("docker.io", "ghcr.io")
"""Upstream registries that a pull-through cache asks only with credentials (ECR User Guide)."""
