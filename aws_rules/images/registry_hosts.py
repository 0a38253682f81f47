"""Hosts that a pull from a public registry needs: the registry, who gives tokens, who has the layers."""

import re
from collections.abc import Mapping

from aws_rules.images.reference import ECR

HOSTS: Mapping[str, tuple[str, ...]] = {
    # https://docs.docker.com/desktop/setup/allow-list/
    "docker.io": ("registry-1.docker.io", "auth.docker.io", "production.cloudflare.docker.com"),
    # https://docs.github.com/en/packages/working-with-a-github-packages-registry/working-with-the-container-registry
    "ghcr.io": ("ghcr.io", "pkg-containers.githubusercontent.com"),
    # https://docs.redhat.com/en/documentation/openshift_container_platform/, "Configuring your firewall"
    "quay.io": ("quay.io", "cdn.quay.io"),
    # kubernetes/registry.k8s.io: docs/debugging.md: it redirects to AWS's S3 or to Google's registry
    "registry.k8s.io": ("registry.k8s.io",),
    # https://docs.aws.amazon.com/AmazonECR/latest/public/docker-pull-ecr-image.html
    "public.ecr.aws": ("public.ecr.aws",),
}
"""Host in an image's name -> hosts that are asked; a registry that is not listed serves all itself."""

API_OF_ECR = re.compile(r"^api\.ecr\.(?P<region>[a-z0-9-]+)\.")
S3 = re.compile(r"\.s3\.(?P<region>[a-z0-9-]+)\.amazonaws\.")


def endpoint_service(host: str, region: str) -> str | None:
    """Service of AWS, as VPC endpoints name it, that a host belongs to in a region; None for the internet."""
    for pattern, service in ((API_OF_ECR, "ecr.api"), (ECR, "ecr.dkr"), (S3, "s3")):
        match = pattern.search(host)
        if match and match["region"] == region:
            return service
    return None
