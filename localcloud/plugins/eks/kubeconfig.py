"""The kubeconfig of a cluster, as the real component gives it out, but for how one proves who one is."""

from pathlib import Path
from typing import Any

from localcloud.cloud import Cloud
from localcloud.control_plane import ControlPlane


def of_cluster(endpoint: str, certificate_authority: str) -> dict[str, Any]:
    """Kubeconfig for a cluster of this laptop cloud. Raises Refusal when no control plane is there."""
    return kubeconfig(
        endpoint, certificate_authority, ControlPlane.at(Cloud.of_environment(), endpoint).token_file
    )


def kubeconfig(endpoint: str, certificate_authority: str, token_file: Path) -> dict[str, Any]:
    """Kubeconfig whose user has a token in a file, where the real one asks the AWS CLI for it."""
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
