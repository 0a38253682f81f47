"""Versions of EKS add-ons, pinned for each Kubernetes version."""

from collections.abc import Mapping

ADDON_VERSIONS: Mapping[str, Mapping[str, str]] = {
    "1.33": {
        "vpc-cni": "v1.22.4-eksbuild.3",
        "kube-proxy": "v1.33.10-eksbuild.2",
        "eks-pod-identity-agent": "v1.3.10-eksbuild.3",
        "coredns": "v1.13.2-eksbuild.4",
        "aws-ebs-csi-driver": "v1.58.0-eksbuild.1",
    },
    "1.34": {
        "vpc-cni": "v1.22.4-eksbuild.3",
        "kube-proxy": "v1.34.6-eksbuild.2",
        "eks-pod-identity-agent": "v1.3.10-eksbuild.3",
        "coredns": "v1.13.2-eksbuild.4",
        "aws-ebs-csi-driver": "v1.58.0-eksbuild.1",
    },
    "1.35": {
        "vpc-cni": "v1.22.4-eksbuild.3",
        "kube-proxy": "v1.35.3-eksbuild.21",
        "eks-pod-identity-agent": "v1.3.10-eksbuild.3",
        "coredns": "v1.13.2-eksbuild.21",
        "aws-ebs-csi-driver": "v1.59.0-eksbuild.1",
    },
}
"""Kubernetes version -> add-on -> its version: what EKS offered in 2026, as public programs pin it; those of
1.33 and 1.34 in spring, those of 1.35 in autumn. Beside kube-proxy's they are 1.34's own versions in later
builds, or the next: the upgrade of a cluster is not to be one of its network as well.

Of the VPC CNI not an earlier one: with v1.22.4 comes v1.4.0 of its network policy agent, before which a pod
could be without its policies, by the names of pods and namespaces (aws/aws-network-policy-agent: bc504a4,
d145d20) or by connections that others had opened (8147f19).

`aws eks describe-addon-versions --kubernetes-version <version>` lists what there is today.
"""

NODE_ADDONS = ("vpc-cni", "kube-proxy", "eks-pod-identity-agent")
"""Without these no node becomes ready, or no pod on it gets permissions: installed before any node."""
