"""The kubeconfig of a cluster, as the real component has it, but for the credentials."""

from pathlib import Path
from typing import Any

from localcloud.cloud import Cloud
from localcloud.control_plane import ControlPlane


def for_endpoint(endpoint: str, certificate_authority: str) -> dict[str, Any]:
    """Kubeconfig for a cluster of this laptop cloud. Raises Refusal when no control plane is there."""
    plane = ControlPlane.at(Cloud.of_environment(), endpoint)
    return kubeconfig(endpoint, certificate_authority, plane.token_file)


def kubeconfig(endpoint: str, certificate_authority: str, token_file: Path) -> dict[str, Any]:
    """Kubeconfig whose user has a token in a file, where the real one gets it from the AWS CLI."""
    return {
        "apiVersion": "v1",
        "clusters": [
            {
                "cluster": {"server": endpoint, "certificate-authority-data": certificate_authority},
                "name": "kubernetes",
            }
        ],
        "contexts": [{"context": {"cluster": "kubernetes", "user": "aws"}, "name": "aws"}],
        "current-context": "aws",
        "kind": "Config",
        "users": [{"name": "aws", "user": {"tokenFile": str(token_file)}}],
    }
