"""Credentials of whoever has a control plane, for programs that reach it as a service account of a pod."""

from pathlib import Path

from localcloud.control_plane import ControlPlane
from services.common.kubernetes import ServiceAccount


def plane_admin(plane: ControlPlane, folder: Path) -> ServiceAccount:
    """The account, of which the files are written to a new folder below this one."""
    admin = folder / "admin"
    admin.mkdir()
    (admin / "token").write_text(plane.credentials.token("admin"))
    (admin / "ca.crt").write_text(plane.credentials.authority.read_text())
    return ServiceAccount(admin, plane.endpoint)
