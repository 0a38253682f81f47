"""How many addresses of its VPC a node takes for its pods."""

import math

from moka.machines.node_roles import ROLES, Role

PREFIX_ADDRESSES = 16
"""Addresses of a prefix (/28): with prefix delegation, the VPC CNI takes addresses by the prefix."""


def pod_addresses(role: Role, max_pods: int | None = None) -> int:
    """Addresses that a node takes for its pods at most, in whole prefixes.

    max_pods: pods a node, by default the role's.

    No warm prefix comes on top: a node with addresses for all the pods that it may have takes no more
    (source: aws/amazon-vpc-cni-k8s, pkg/ipamd/ipamd.go, isDatastorePoolTooLow).
    """
    return math.ceil((max_pods or ROLES[role].max_pods) / PREFIX_ADDRESSES) * PREFIX_ADDRESSES
