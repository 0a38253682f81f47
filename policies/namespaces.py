"""Namespaces: what is in which, and what holds for all that is in one."""

from collections.abc import Sequence, Set

from moka.names import PLATFORM_NAMESPACES
from policies.pack.objects import is_named, where
from policies.pack.resource import UNKNOWN, Resource, at, fully_known, member, sequence, text
from policies.pack.rule import Parameters, StackViolations, Violations
from policies.pack.types import (
    CONFIG_MAP,
    INGRESS,
    NAMESPACE,
    NETWORK_POLICY,
    OBJECTS,
    QUOTA,
    RELEASE,
    SECRET,
    SERVICE,
    WORKLOADS,
)
from policies.workloads import PODS

ENFORCED = "pod-security.kubernetes.io/enforce"
"""Label of a namespace: which pods the API server takes there."""

NAMESPACED = (RELEASE, CONFIG_MAP, INGRESS, NETWORK_POLICY, QUOTA, SECRET, SERVICE, *WORKLOADS)
"""Types that are in the namespace default if they name none."""


@PODS.rule(
    "not-in-default-namespace",
    OBJECTS,
    severity="medium",
    why="No quota, network policy or role is meant for it.",
    references=("CIS 4.5.2",),
)
def not_in_default_namespace(resource: Resource, _: Parameters) -> Violations:
    """Nothing is in the namespace default."""
    field = "namespace" if resource.type == RELEASE else "metadata.namespace"
    if resource.get(field, "default" if resource.type in NAMESPACED else "") == "default":
        yield f"{where(resource)} is in the namespace default: give it one of its own."


@PODS.rule(
    "namespace-pod-security",
    NAMESPACE,
    severity="medium",
    why="A pod that somebody makes by hand is judged by nobody else.",
    references=("CIS 4.2.1", "https://kubernetes.io/docs/concepts/security/pod-security-admission/"),
    privileged=[],
)
def namespace_pod_security(namespace: Resource, parameters: Parameters) -> Violations:
    """Namespaces refuse pods that reach for their host."""
    level = member(namespace.get("metadata.labels"), ENFORCED, "privileged")
    if level in ("", "privileged") and not is_named(namespace, parameters["privileged"]):
        yield f"{where(namespace)} takes any pod: label it {ENFORCED}=baseline, or restricted."


DIRECTIONS = frozenset({"Ingress", "Egress"})

Pods = tuple[str, frozenset[str]]
"""Those with one of these values of a label."""


def is_job_namespace(namespace: Resource) -> bool:
    """Whether jobs run in a namespace: it is neither the platform's nor Kubernetes' own."""
    name = namespace.object_name
    return name not in PLATFORM_NAMESPACES and not name.startswith("kube-")


@PODS.stack_rule(
    "default-deny",
    NAMESPACE,
    NETWORK_POLICY,
    severity="high",
    why="Jobs run code of many; without it any of them reaches every other pod and all that the VPC does.",
    references=("CIS 4.3.2", "https://docs.aws.amazon.com/eks/latest/best-practices/network-security.html"),
)
def default_deny(resources: Sequence[Resource], _: Parameters) -> StackViolations:
    """Nothing goes in or out of a job namespace that is not let."""
    policies = [policy for policy in resources if policy.type == NETWORK_POLICY]
    for namespace in resources:
        if namespace.type != NAMESPACE or not is_job_namespace(namespace):
            continue
        own = [policy for policy in policies if is_in(policy, namespace)]
        denials = {direction for policy in own for direction in _denials(policy, own)}
        if missing := sorted(DIRECTIONS - denials):
            kinds = " and ".join(missing)
            yield namespace, f"{where(namespace)} has no NetworkPolicy that denies {kinds}: add one."
        for policy in own:
            if any({} in sequence(policy.get(f"spec.{direction.lower()}")) for direction in DIRECTIONS):
                yield policy, f"{where(policy)} lets everything through: name who may, and what."
            for rule in sequence(policy.get("spec.ingress")):
                if any(map(_is_anybody, sequence(at(rule, "from")))):
                    yield policy, f"{where(policy)} lets everybody in: name who may."


def _is_anybody(peer: object) -> bool:
    """Whether a peer of a NetworkPolicy is every pod of the cluster, or every address."""
    pods, spaces = at(peer, "podSelector"), at(peer, "namespaceSelector")
    return at(peer, "ipBlock.cidr") in ("0.0.0.0/0", "::/0") or (spaces == {} and pods in (None, {}))


def is_in(resource: Resource, namespace: Resource) -> bool:
    """Whether an object is in a namespace, or may be: by what it reads where the names are not known."""
    if resource.provider != namespace.provider:
        return False
    if resource.get("metadata.namespace") is UNKNOWN:
        return namespace.urn in resource.reads.get("metadata", (namespace.urn,))
    return namespace.get("metadata.name") is UNKNOWN or resource.namespace == namespace.object_name


def _denials(policy: Resource, own: Sequence[Resource]) -> Set[str]:
    """The directions in which a policy lets nothing through for any pod of its namespace, or may do so.

    own: all policies of the namespace. One may leave out pods that another isolates: no pod may do more, and
    each is in one list of the VPC CNI instead of two.
    """
    silent = {kind for kind in _directions(policy) if not _has_some(policy.get(f"spec.{kind.lower()}", []))}
    labels, expressions = _selector(policy)
    if _has_some(labels):
        return set()
    if not _has_some(expressions) or not fully_known(expressions):
        return silent
    left_out = _pods(expressions, "NotIn")
    if left_out is None:
        return set()
    directions = [_directions(other_policy) for other_policy in own if _may_be_for(other_policy, left_out)]
    return silent & {kind for kinds in directions for kind in kinds}


def _directions(policy: Resource) -> Set[str]:
    """The directions in which a policy isolates, or may."""
    kinds = policy.get("spec.policyTypes", ["Ingress"])
    return DIRECTIONS & set(map(text, sequence(kinds))) if fully_known(kinds) else DIRECTIONS


def _selector(policy: Resource) -> tuple[object, object]:
    return policy.get("spec.podSelector.matchLabels", {}), policy.get("spec.podSelector.matchExpressions", [])


def _may_be_for(policy: Resource, pods: Pods) -> bool:
    """Whether a policy is for just these pods, or for all, as far as is known."""
    labels, expressions = _selector(policy)
    if _has_some(labels):
        return False
    return not fully_known(expressions) or not expressions or _pods(expressions, "In") == pods


def _pods(expressions: object, operator: str) -> Pods | None:
    """The pods that a selector of one expression names; None where it is another selector."""
    if len(sequence(expressions)) != 1:
        return None
    [expression] = sequence(expressions)
    if at(expression, "operator") != operator:
        return None
    return text(at(expression, "key")), frozenset(map(text, sequence(at(expression, "values"))))


def _has_some(value: object) -> bool:
    return value is not UNKNOWN and bool(value)
