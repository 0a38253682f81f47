"""Versions of EKS add-ons. AWS publishes no file of them: these few stand in for its list.

Kubernetes' minor version is taken from the cluster where the add-on is versioned with it.
"""

# Add-on -> its version, `{minor}` for Kubernetes' minor version.
VERSIONS = {
    "vpc-cni": "v1.20.4-eksbuild.2",
    "kube-proxy": "v1.{minor}.0-eksbuild.2",
    "coredns": "v1.12.4-eksbuild.1",
    "eks-pod-identity-agent": "v1.3.9-eksbuild.3",
    "aws-ebs-csi-driver": "v1.53.0-eksbuild.1",
    "aws-efs-csi-driver": "v2.1.14-eksbuild.1",
    "aws-mountpoint-s3-csi-driver": "v2.2.1-eksbuild.1",
    "snapshot-controller": "v8.3.0-eksbuild.1",
    "metrics-server": "v0.8.0-eksbuild.3",
    "eks-node-monitoring-agent": "v1.4.1-eksbuild.1",
    "amazon-cloudwatch-observability": "v4.6.0-eksbuild.1",
}
DEFAULT_VERSION = "v1.0.0-eksbuild.1"


def latest(name: str, kubernetes: str) -> str:
    """The latest version of an add-on for a version of Kubernetes such as `1.35`."""
    return VERSIONS.get(name, DEFAULT_VERSION).format(minor=kubernetes.split(".")[1])
