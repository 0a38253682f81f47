"""EKS clusters whose control planes do not run: EKS goes on with what it was asked for."""

from localcloud import report
from localcloud.cloud import Cloud
from localcloud.control_plane import ControlPlane, stand_ins
from localcloud.plugins.aws.eks_backend import note_endpoint
from localcloud.store import stores


def resume(cloud: Cloud) -> None:
    """Start what is not running of every cluster that EKS has, also of one that was cut off in its making.

    Raises Refusal when a program does not start.
    """
    homes = {name: eks for eks in stores(cloud, "eks") for name in eks.names("cluster")}
    planes = [plane.name for plane in ControlPlane.all(cloud)]
    for name in sorted({*homes, *planes}):
        plane = ControlPlane(cloud, name)
        if not plane.alive():
            reason = "again, on its data" if name in planes else "that EKS was asked for"
            report.say(f"Starting the control plane of {name} {reason}.")
        for sentence in stand_ins.resume(plane):
            report.say(f"{name} goes on without one of its programs: {sentence}")
        if name in homes:
            note_endpoint(plane, homes[name])
