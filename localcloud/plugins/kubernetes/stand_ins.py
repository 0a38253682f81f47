"""Tells a release's control plane to run programs in place of the release's pods."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

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
