"""The add-ons that every cluster has, configured for nodes with roles."""

from collections.abc import Mapping
from functools import partial
from math import ceil
from typing import Any

import pulumi

from moka.addon_versions import ADDON_VERSIONS
from moka.components.aws.addons import Addon, AddonIdentity
from moka.names import ROLE_LABEL, ZONE_LABEL

ON_SYSTEM_NODES = {ROLE_LABEL: "system"}

COREFILE = """\
.:53 {
    errors
    health {
        lameduck 30s
    }
    ready
    kubernetes cluster.local in-addr.arpa ip6.arpa {
        pods insecure
        fallthrough in-addr.arpa ip6.arpa
    }
    prometheus :9153
    forward . /etc/resolv.conf
    cache 30
    loop
    reload
    loadbalance
}
"""
"""EKS's own, but for `lameduck`: with 5 s, a large cluster still queries a replica that is gone."""

POD_IDENTITY_AGENT = {"tolerations": [{"operator": "Exists"}]}
"""The VPC CNI waits for the agent, so the agent must not wait for the node to be ready."""

EBS_CSI_DRIVER = {
    "controller": {"nodeSelector": ON_SYSTEM_NODES},
    "node": {"tolerateAllTaints": True},
}

IDENTITIES = {
    "vpc-cni": AddonIdentity(service_account="aws-node", policies=("AmazonEKS_CNI_Policy",)),
    # Volumes of its own cluster only: by the session tag eks-cluster-name, and a tag that the driver gives
    # them from v1.58 on, of the cluster that EKS tells it (kubernetes-sigs/aws-ebs-csi-driver#2918).
    "aws-ebs-csi-driver": AddonIdentity(
        service_account="ebs-csi-controller-sa", policies=("AmazonEBSCSIDriverEKSClusterScopedPolicy",)
    ),
}


def cluster_addons(
    version: str, *, region: str, pod_subnets: pulumi.Input[Mapping[str, Any]], nodes: int, vcpus: int
) -> dict[str, Addon]:
    """The add-ons of a cluster, by name.

    version: Kubernetes version, one of ADDON_VERSIONS.
    region: AWS region.
    pod_subnets: zone -> subnet of its pods; none where pods are in the nodes' subnets.
    nodes, vcpus: as many as the cluster can ever have.
    """
    configurations: Mapping[str, pulumi.Input[Mapping[str, Any]]] = {
        "vpc-cni": pulumi.Output.from_input(pod_subnets).apply(partial(vpc_cni_configuration, region)),
        "eks-pod-identity-agent": POD_IDENTITY_AGENT,
        "coredns": coredns_configuration(nodes, vcpus),
        "aws-ebs-csi-driver": EBS_CSI_DRIVER,
    }
    return {
        name: Addon(version=pinned, configuration=configurations.get(name, {}), identity=IDENTITIES.get(name))
        for name, pinned in ADDON_VERSIONS[version].items()
    }


def vpc_cni_configuration(region: str, pod_subnets: Mapping[str, str]) -> dict[str, Any]:
    """Configuration of the VPC CNI: addresses by prefixes of 16, and network policies are enforced.

    With subnets for pods, the add-on makes an ENIConfig a zone, named as the zone: no node comes before it.
    These name no security groups: pods have those of their node.
    """
    env = {"ENABLE_PREFIX_DELEGATION": "true", "WARM_PREFIX_TARGET": "1"}
    configuration: dict[str, Any] = {"enableNetworkPolicy": "true", "env": env}
    if not pod_subnets:
        return configuration
    return {
        **configuration,
        "env": {
            **env,
            "AWS_VPC_K8S_CNI_CUSTOM_NETWORK_CFG": "true",
            "ENI_CONFIG_LABEL_DEF": ZONE_LABEL,
        },
        "eniConfig": {
            "create": True,
            "region": region,
            "subnets": {zone: {"id": subnet} for zone, subnet in sorted(pod_subnets.items())},
        },
    }


def coredns_configuration(nodes: int, vcpus: int) -> dict[str, Any]:
    """Configuration of CoreDNS, on system nodes, spread over zones and nodes.

    EKS counts the replicas, max(nodes/16, vCPUs/256), between two and what the full cluster needs (source:
    https://docs.aws.amazon.com/eks/latest/userguide/coredns-autoscaling.html; the add-on's schema takes 2 to
    1000). No cache on each node: docs/decisions/0046-names-at-ten-thousand-pods.md.
    """
    return {
        "autoScaling": {"enabled": True, "minReplicas": 2, "maxReplicas": max_coredns_replicas(nodes, vcpus)},
        "corefile": COREFILE,
        "nodeSelector": ON_SYSTEM_NODES,
        "topologySpreadConstraints": [
            {
                "maxSkew": 1,
                "topologyKey": key,
                "whenUnsatisfiable": "ScheduleAnyway",
                "labelSelector": {"matchLabels": {"k8s-app": "kube-dns"}},
            }
            for key in (ZONE_LABEL, "kubernetes.io/hostname")
        ],
    }


def max_coredns_replicas(nodes: int, vcpus: int) -> int:
    """Replicas of CoreDNS in a full cluster, one a zone at the least."""
    return min(max(3, ceil(nodes / 16), ceil(vcpus / 256)), 1000)
