"""Programs that really run in place of pods, which kwok would only pretend to run."""

from localcloud.control_plane.plane import ControlPlane
from localcloud.control_plane.stand_ins import charts, deployments


def resume(plane: ControlPlane) -> list[str]:
    """Start what is not running of a control plane, the programs in place of pods included.

    Returns a sentence for each program in place of a Deployment's pods that does not start. Raises Refusal
    when another does not.
    """
    plane.start()
    charts.resume(plane)
    return deployments.resume(plane)
