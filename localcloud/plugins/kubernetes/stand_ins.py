"""Has a control plane run programs in place of the pods of a release, or of a Deployment."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from localcloud.plugins.kubernetes.kinds import Kind

if TYPE_CHECKING:
    from localcloud.control_plane import ControlPlane


@dataclass(frozen=True)
class ReleaseStandIns:
    """Programs that run in place of the pods of a control plane's releases.

    plane: finds it.
    """

    plane: Callable[[], "ControlPlane"]

    def apply(
        self, name: str, namespace: str, chart: str, version: str, values: dict[str, Any], rendered: bool
    ) -> None:
        """Run or change the program of a release that was made or changed."""
        from localcloud.control_plane.stand_ins.charts import apply
        from localcloud.control_plane.stand_ins.releases import Release

        release = Release(
            name=name, namespace=namespace, chart=chart, version=version, values=values, rendered=rendered
        )
        apply(self.plane(), release)

    def remove(self, namespace: str, name: str) -> None:
        """End the program of a release that is gone."""
        from localcloud.control_plane.stand_ins.charts import remove

        remove(self.plane(), namespace, name)


DEPLOYMENT = Kind("apps", "v1", "Deployment")


@dataclass(frozen=True)
class DeploymentStandIns:
    """Programs of the project that run in place of the pods of a control plane's Deployments.

    plane: finds it.
    project: folder of the Pulumi project.
    """

    plane: Callable[[], "ControlPlane"]
    project: Path

    def apply(self, kind: Kind, live: Mapping[str, Any]) -> None:
        """Run or change the program of an object that was made or changed, if it is a Deployment with one."""
        if kind == DEPLOYMENT:
            from localcloud.control_plane.stand_ins import deployments

            deployments.apply(self.plane(), live, self.project)

    def remove(self, kind: Kind, namespace: str | None, name: str) -> None:
        """End the program of an object that is gone, if it was a Deployment with one."""
        if kind == DEPLOYMENT:
            from localcloud.control_plane.stand_ins import deployments

            deployments.remove(self.plane(), namespace or "default", name)
