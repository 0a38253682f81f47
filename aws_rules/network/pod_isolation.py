"""NetworkPolicies: what Kubernetes' own documentation says that they allow.

https://kubernetes.io/docs/concepts/services-networking/network-policies/
"""

from collections.abc import Iterator, Mapping
from ipaddress import IPv4Network, ip_network
from typing import Any, Literal

from aws_rules.network.answers import Member, Network
from aws_rules.network.places import Pod

Direction = Literal["Egress", "Ingress"]


def policies_against(
    network: Network, pod: Pod, direction: Direction, peer: Pod | IPv4Network, port: int, protocol: str
) -> list[str]:
    """Names of the policies that isolate a pod in a direction, where none of them allows the connection."""
    selecting = [policy for policy in network.policies if _isolates(policy, pod, direction)]
    if any(_allows(network, policy, direction, peer, port, protocol) for policy in selecting):
        return []
    return sorted(str(policy["metadata"]["name"]) for policy in selecting)


def _isolates(policy: Member, pod: Pod, direction: Direction) -> bool:
    spec = policy["spec"]
    kinds = spec.get("policyTypes") or ["Ingress", *(["Egress"] if spec.get("egress") else [])]
    return (
        policy["metadata"].get("namespace", "default") == pod.namespace
        and direction in kinds
        and _selects(spec.get("podSelector") or {}, pod.labels)
    )


def _allows(
    network: Network, policy: Member, direction: Direction, peer: Pod | IPv4Network, port: int, protocol: str
) -> bool:
    peers, rules = ("to", "egress") if direction == "Egress" else ("from", "ingress")
    own = policy["metadata"].get("namespace", "default")
    return any(
        (not rule.get(peers) or any(_is_peer(network, peer_rule, own, peer) for peer_rule in rule[peers]))
        and (
            not rule.get("ports") or any(_has_port(port_rule, port, protocol) for port_rule in rule["ports"])
        )
        for rule in policy["spec"].get(rules) or ()
    )


def _is_peer(network: Network, selector: Member, own_namespace: str, peer: Pod | IPv4Network) -> bool:
    block = selector.get("ipBlock")
    if isinstance(peer, IPv4Network):
        return block is not None and _in_block(block, peer)
    if block is not None:
        # Addresses of pods are those of their subnet, and come with them: nothing is translated in a VPC.
        subnet = network.find("Subnets", peer.interface.subnet)
        return subnet is not None and _in_block(block, IPv4Network(subnet["CidrBlock"]))
    namespaces = selector.get("namespaceSelector")
    if namespaces is None:
        in_namespace = peer.namespace == own_namespace
    else:
        in_namespace = _selects(namespaces, namespace_labels(network, peer.namespace))
    return in_namespace and _selects(selector.get("podSelector") or {}, peer.labels)


def namespace_labels(network: Network, name: str) -> Mapping[str, str]:
    """Labels of a namespace, with its name, which Kubernetes adds."""
    return {"kubernetes.io/metadata.name": name, **network.namespaces.get(name, {})}


def _in_block(block: Member, peer: IPv4Network) -> bool:
    return _within(peer, block["cidr"]) and not any(
        _overlaps(peer, exception) for exception in block.get("except") or ()
    )


def _within(network: IPv4Network, cidr: str) -> bool:
    block = ip_network(cidr)
    return isinstance(block, IPv4Network) and network.subnet_of(block)


def _overlaps(network: IPv4Network, cidr: str) -> bool:
    block = ip_network(cidr)
    return isinstance(block, IPv4Network) and network.overlaps(block)


def _has_port(rule: Member, port: int, protocol: str) -> bool:
    first = rule.get("port")
    if rule.get("protocol", "TCP").lower() != protocol:
        return False
    # A named port is one of the pod's own; which number it is, is not known here.
    return first is None or isinstance(first, str) or first <= port <= rule.get("endPort", first)


def _selects(selector: Member, labels: Mapping[str, str]) -> bool:
    return all(
        labels.get(key) == value for key, value in (selector.get("matchLabels") or {}).items()
    ) and all(_meets(expression, labels) for expression in _expressions(selector))


def _expressions(selector: Member) -> Iterator[Mapping[str, Any]]:
    yield from selector.get("matchExpressions") or ()


def _meets(expression: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    key, values = expression["key"], expression.get("values") or ()
    match expression["operator"]:
        case "In":
            return labels.get(key) in values
        case "NotIn":
            return labels.get(key) not in values
        case "Exists":
            return key in labels
        case _:
            return key not in labels
