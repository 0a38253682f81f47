"""Network policies: which pods are isolated no more, and what reaches those that are.

https://kubernetes.io/docs/concepts/services-networking/network-policies/: a pod that a policy selects is
isolated, but for what all policies that select it allow; a pod that none selects is open to all.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from previews import Preview, State, Step
from previews.values import at, mapping, sequence, text
from report.model import Finding
from report.subjects.openings import EVERYWHERE
from report.words import code, listing

NETWORK_POLICY = "kubernetes:networking.k8s.io/v1:NetworkPolicy"

DIRECTIONS = {"Ingress": ("ingress", "from"), "Egress": ("egress", "to")}


@dataclass(frozen=True)
class Isolated:
    """Pods that are isolated in a direction, in a namespace of a cluster."""

    provider: str
    namespace: str
    selector: str
    direction: str

    def holds(self, other: "Isolated") -> bool:
        """Whether the other pods are isolated by this one as well."""
        scope = (self.provider, self.namespace, self.direction)
        return scope == (other.provider, other.namespace, other.direction) and (
            self.selector in ("{}", other.selector)
        )


Rules = Mapping[Isolated, list[str]]
"""Isolated pods -> what is allowed, a rule each, as JSON."""


def isolation(preview: Preview) -> Iterator[Finding]:
    """What opens by changes of network policies."""
    if not any(preview.changes_of(NETWORK_POLICY)):
        return
    before, after = (_sides(preview, old=old) for old in (True, False))
    open_now: dict[tuple[str, str], list[str]] = {}
    losses = [isolated for isolated in before if not any(other.holds(isolated) for other in after)]
    for isolated in losses:
        if not any(other.holds(isolated) for other in losses if other != isolated):
            pods = "all pods" if isolated.selector == "{}" else f"pods {code(isolated.selector)}"
            open_now.setdefault((isolated.namespace, pods), []).append(isolated.direction.lower())
    for (namespace, pods), directions in open_now.items():
        yield Finding(
            weight="look",
            says=f"**No network policy isolates {pods} of namespace {code(namespace)} any more "
            f"({listing(sorted(set(directions)))}): everything in the network reaches them, and they it.**",
        )
    yield from _wider(before, after)


def _wider(before: Rules, after: Rules) -> Iterator[Finding]:
    for isolated, rules in after.items():
        had = [
            rule
            for old, old_rules in before.items()
            if isolated.holds(old) or old.holds(isolated)
            for rule in old_rules
        ]
        if not any(other.holds(isolated) or isolated.holds(other) for other in before):
            continue
        for rule in dict.fromkeys(rules):
            if rule not in had:
                yield Finding(weight="look", says=_sentence(isolated, json.loads(rule)))


def _sentence(isolated: Isolated, rule: Mapping[str, Any]) -> str:
    pods = "all pods" if isolated.selector == "{}" else f"pods {code(isolated.selector)}"
    peer = rule["peer"]
    place = "anything" if peer is None else code(_peer(peer))
    if mapping(mapping(peer).get("ipBlock")).get("cidr") in EVERYWHERE:
        place = "the internet"
    ports = "" if rule["port"] is None else f" on {code(_port(rule['port']))}"
    verb = "are reached from" if isolated.direction == "Ingress" else "reach"
    return f"In namespace {code(isolated.namespace)}, {pods} {verb} {place}{ports}."


def _peer(peer: Mapping[str, Any]) -> str:
    block = mapping(peer.get("ipBlock"))
    return str(block["cidr"]) if "cidr" in block else json.dumps(peer, sort_keys=True)


def _port(port: Mapping[str, Any]) -> str:
    return f"{port.get('protocol', 'TCP')} {port.get('port', 'any port')}"


def _sides(preview: Preview, *, old: bool) -> Rules:
    rules: dict[Isolated, list[str]] = {}
    for step in preview.of(NETWORK_POLICY):
        state = step.old if old else step.new
        if state is not None:
            for isolated, allowed in _policy(step, state):
                rules.setdefault(isolated, []).extend(allowed)
    return rules


def _policy(step: Step, state: State) -> Iterator[tuple[Isolated, list[str]]]:
    spec = mapping(state.inputs.get("spec"))
    kinds = sequence(spec.get("policyTypes")) or ["Ingress", *(["Egress"] if spec.get("egress") else [])]
    namespace = text(at(state.inputs, "metadata.namespace"), "default")
    selector = json.dumps(mapping(spec.get("podSelector")), sort_keys=True)
    for direction, (rules, peers) in DIRECTIONS.items():
        if direction in kinds:
            # The logical name of the provider stays when the provider is replaced.
            provider = state.provider.split("::")[-2] if "::" in state.provider else ""
            isolated = Isolated(provider, namespace, selector, direction)
            yield (
                isolated,
                [
                    json.dumps({"peer": peer, "port": port}, sort_keys=True)
                    for rule in map(mapping, sequence(spec.get(rules)))
                    for peer in _mappings(rule.get(peers))
                    for port in _mappings(rule.get("ports"))
                ],
            )


def _mappings(value: Any) -> list[Mapping[str, Any] | None]:
    """The peers or ports of a rule; None for any, where it names none."""
    return [mapping(part) for part in sequence(value)] or [None]
