"""Service accounts of programs that run in place of pods."""

from pathlib import Path

from localcloud.control_plane.plane import ControlPlane
from localcloud.files import write_private

TOKEN_SECONDS = 365 * 24 * 3600
"""Life of a program's token, which nothing here renews but the next `up`."""


def account(plane: ControlPlane, key: str, namespace: str, name: str) -> Path:
    """Folder with what a pod would find of its service account, so that a program may do what the pod might.

    key: the program's name among the plane's.
    """
    folder = plane.folder / "accounts" / key
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_private(folder / "token", token_of(plane, namespace, name))
    write_private(folder / "ca.crt", plane.credentials.authority.read_text())
    write_private(folder / "namespace", namespace)
    return folder


def token_of(plane: ControlPlane, namespace: str, name: str, audience: str | None = None) -> str:
    """A token of a service account, for the API server or somebody else."""
    path = f"/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token"
    spec = {"expirationSeconds": TOKEN_SECONDS, **({"audiences": [audience]} if audience else {})}
    token: str = plane.api().create(path, {"kind": "TokenRequest", "spec": spec})["status"]["token"]
    return token
