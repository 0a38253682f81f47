"""Ways out that network policies of our services have."""

from collections.abc import Iterable, Sequence

import pulumi_kubernetes as k8s

from moka.components.kubernetes.job_network import ANYWHERE, DNS_PORT, METADATA, POD_IDENTITY
from moka.components.kubernetes.peers import peer
from moka.names import SYSTEM_NAMESPACE

Peer = k8s.networking.v1.NetworkPolicyPeerArgs
Rule = k8s.networking.v1.NetworkPolicyEgressRuleArgs


def to(peers: Sequence[Peer], ports: Iterable[int], protocols: Sequence[str] = ("TCP",)) -> Rule:
    """To some peers, at their ports."""
    return Rule(
        to=peers,
        ports=[
            k8s.networking.v1.NetworkPolicyPortArgs(port=port, protocol=protocol)
            for port in ports
            for protocol in protocols
        ],
    )


def names() -> Rule:
    """To who knows the addresses of names."""
    return to([peer(SYSTEM_NAMESPACE, {"k8s-app": "kube-dns"})], [DNS_PORT], ["UDP", "TCP"])


def anywhere(ports: Iterable[int]) -> Rule:
    """To ports whose addresses are not known here, but for the machine's metadata."""
    return to(_networks(ANYWHERE), sorted(set(ports)))


def pod_identity() -> Rule:
    """To the Pod Identity agent of the node."""
    return to(_networks(POD_IDENTITY), [80])


def _networks(cidrs: Iterable[str]) -> list[Peer]:
    return [
        Peer(
            ip_block=k8s.networking.v1.IPBlockArgs(
                cidr=cidr, except_=[str(METADATA)] if cidr == "0.0.0.0/0" else None
            )
        )
        for cidr in cidrs
    ]
