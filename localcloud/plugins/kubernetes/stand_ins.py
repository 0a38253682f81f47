"""Tells a control plane to run programs in place of the pods of a release, or of a Deployment."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from localcloud.plugins.kubernetes import objects
from localcloud.plugins.kubernetes.kinds import Kind

if TYPE_CHECKING:
    from localcloud.control_plane import ControlPlane


@dataclass(frozen=True)
class OnPlane:
    """The stand-ins of a control plane.

    plane: finds it.
    """

    plane: Callable[[], "ControlPlane"]

    def deployed(
        self, name: str, namespace: str, chart: str, version: str, values: dict[str, Any], rendered: bool
    ) -> None:
        """A release is there, or was changed."""
        from localcloud.control_plane.stand_ins import Release, release_deployed

        release = Release(
            name=name, namespace=namespace, chart=chart, version=version, values=values, rendered=rendered
        )
        release_deployed(self.plane(), release)

    def removed(self, namespace: str, name: str) -> None:
        """A release is gone."""
        from localcloud.control_plane.stand_ins import release_removed

        release_removed(self.plane(), namespace, name)


@dataclass(frozen=True)
class Workloads:
    """The Deployments of a control plane whose pods programs stand in for; all others are left to kwok.

    plane: finds it.
    """

    plane: Callable[[], "ControlPlane"]

    def applied(self, kind: Kind, live: Mapping[str, Any]) -> None:
        """An object is there, or was changed."""
        if _program(kind, live):
            from localcloud.control_plane import workloads

            workloads.applied(self.plane(), live)

    def deleted(self, kind: Kind, inputs: Mapping[str, Any], namespace: str | None, name: str) -> None:
        """An object is gone."""
        if _program(kind, inputs):
            from localcloud.control_plane import workloads

            workloads.removed(self.plane(), namespace or "default", name)


def _program(kind: Kind, deployment: Mapping[str, Any]) -> bool:
    """Whether an object is a Deployment that has a program here."""
    if kind != Kind("apps", "v1", "Deployment"):
        return False
    from localcloud.control_plane.workloads import PROGRAMS

    labels = objects.metadata(deployment).get("labels") or {}
    return labels.get("app.kubernetes.io/name") in PROGRAMS
