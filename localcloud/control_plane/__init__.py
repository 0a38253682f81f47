"""A Kubernetes control plane per EKS cluster: real programs on loopback, and machines that kwok simulates."""

from localcloud.control_plane.plane import ControlPlane

__all__ = ["ControlPlane"]
