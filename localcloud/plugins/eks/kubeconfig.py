"""The kubeconfig of a cluster, as the real component has it, but for how it signs in."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pulumi

from aws_rules.access.identity import IDENTITIES
from aws_rules.rule import Unknown
from localcloud import unknowns
from localcloud.cloud import Cloud
from localcloud.control_plane import ControlPlane
from localcloud.credentials import GET_TOKEN_SESSION, principal
from localcloud.project import identity_at_hand, project_folder


def for_cluster(
    endpoint: str, certificate_authority: str, cluster: str, options: Mapping[str, Any]
) -> dict[str, Any]:
    """Kubeconfig for a cluster of this laptop cloud. Raises Refusal when no control plane is there.

    cluster: its ARN. options: `providerCredentialOpts`, which name the role that signs in, if any.
    """
    plane = ControlPlane.at(Cloud.of_environment(), endpoint)
    token_file = _token_file(plane, cluster, options.get("roleArn"))
    return kubeconfig(endpoint, certificate_authority, token_file)


def _token_file(plane: ControlPlane, cluster: str, role: str | None) -> Path:
    """A file with the token of who deploys: the role, or else whose credentials are at hand."""
    if role:
        return plane.principal_token_file(principal(role, GET_TOKEN_SESSION))
    _, partition, _, _, account, _ = cluster.split(":", 5)
    # The engine starts plugins in the project's folder.
    identity = identity_at_hand(project_folder(Path.cwd()), pulumi.get_stack(), account, partition)
    if identity:
        return plane.principal_token_file(principal(identity))
    lacks = (
        f"whose credentials `up` has in account {account}, and takes them for an administrator's (name them "
        "under identities in localcloud.yaml)"
    )
    unknowns.note(plane.cloud, Unknown(rule=IDENTITIES, resource=f"cluster {plane.name}", lacks=lacks))
    return plane.token_file


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
