"""Has a control plane run programs in place of the pods of a release, or of a Deployment."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
        from localcloud.control_plane.stand_ins.charts import apply
        from localcloud.control_plane.stand_ins.releases import Release

        release = Release(
            name=name, namespace=namespace, chart=chart, version=version, values=values, rendered=rendered
        )
        apply(self.plane(), release)

    def removed(self, namespace: str, name: str) -> None:
        """A release is gone."""
        from localcloud.control_plane.stand_ins.charts import remove

        remove(self.plane(), namespace, name)


DEPLOYMENT = Kind("apps", "v1", "Deployment")


@dataclass(frozen=True)
class Deployments:
    """The Deployments of a control plane: programs of the project stand in for the pods of some.

    plane: finds it.
    project: folder of the Pulumi project.
    """

    plane: Callable[[], "ControlPlane"]
    project: Path

    def applied(self, kind: Kind, live: Mapping[str, Any]) -> None:
        """An object is there, or was changed."""
        if kind == DEPLOYMENT:
            from localcloud.control_plane.stand_ins import deployments

            deployments.apply(self.plane(), live, self.project)

    def deleted(self, kind: Kind, namespace: str | None, name: str) -> None:
        """An object is gone."""
        if kind == DEPLOYMENT:
            from localcloud.control_plane.stand_ins import deployments

            deployments.remove(self.plane(), namespace or "default", name)
