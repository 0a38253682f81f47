"""Programs that really run in place of pods, which kwok would only pretend to run."""

from localcloud.control_plane.plane import ControlPlane
from localcloud.control_plane.stand_ins import charts, deployments


def resume(plane: ControlPlane) -> None:
    """Start what is not running of a control plane, the programs in place of pods included.

    Raises Refusal when a program does not start.
    """
    plane.start()
    charts.resume(plane)
    deployments.resume(plane)
