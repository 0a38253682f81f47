"""EKS add-ons, pinned for each Kubernetes version."""

from components.aws.addons import Addon

ADDONS: dict[str, dict[str, Addon]] = {
    "1.34": {
        "vpc-cni": Addon(version="v1.20.4-eksbuild.1"),
        "kube-proxy": Addon(version="v1.34.1-eksbuild.2"),
        "coredns": Addon(version="v1.12.4-eksbuild.1"),
        "eks-pod-identity-agent": Addon(version="v1.3.9-eksbuild.3"),
        "aws-ebs-csi-driver": Addon(version="v1.53.0-eksbuild.1"),
    },
}
"""Kubernetes version -> add-on -> version and configuration.

`aws eks describe-addon-versions --kubernetes-version <version>` lists what there is.
"""
