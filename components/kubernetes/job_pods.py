"""What a pod of a job namespace must be, enforced by the API server itself.

YuniKorn's admission controller gives pods its scheduler and the user who made them, but while it is away all
pods are let in as they are. These rules need nothing to be up but the API server, and no other namespace has
them.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pulumi

from moka.components.kubernetes.admission_policy import ADMINS, bound_policy, in_namespaces
from moka.names import JOB_NAMESPACE_LABEL, SCHEDULER, USER_INFO

POLICY_NAME = "moka-job-pods"
"""Name of the policy and of its binding."""


@dataclass(frozen=True, kw_only=True)
class JobPodsArgs:
    """What differs between clusters.

    namespaces: those whose pods are looked at.
    trusted: regular expressions of the users of Kubernetes who may say for which user a pod is.
    own_nodes: namespaces whose pods have nodes of their own (`moka.dev/job-namespace`) and run on no others.
    """

    namespaces: Sequence[str]
    trusted: Sequence[str]
    own_nodes: Sequence[str] = ()


class JobPods(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:JobPods`.

    Makes: a ValidatingAdmissionPolicy and its binding. It refuses, in these namespaces, pods
    that YuniKorn would not place, and pods that say for which user they are though their maker may not; where
    some namespaces have nodes of their own, also pods that would go to another's, or miss theirs.
    Outputs: `namespaces`, known only once the rules hold.
    """

    namespaces: pulumi.Output[Sequence[str]]

    def __init__(self, name: str, args: JobPodsArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("moka:kubernetes:JobPods", name, {}, opts)
        bound = bound_policy(
            name,
            POLICY_NAME,
            rules(args.namespaces, args.trusted, args.own_nodes),
            pulumi.ResourceOptions(parent=self),
        )
        self.namespaces = bound.apply(lambda _: list(args.namespaces))
        self.register_outputs({"namespaces": self.namespaces})


def rules(namespaces: Sequence[str], trusted: Sequence[str], own_nodes: Sequence[str] = ()) -> dict[str, Any]:
    """Spec of the ValidatingAdmissionPolicy, as Kubernetes writes it."""
    validations = {**VALIDATIONS, **(_nodes_apart(own_nodes) if own_nodes else {})}
    return in_namespaces(namespaces, [("", ("pods",))], variables(trusted), validations)


VALIDATIONS = {
    # A pod that names its node is on it without having been in a queue.
    f"request.operation != 'CREATE' || (object.spec.schedulerName == '{SCHEDULER}' "
    "&& !has(object.spec.nodeName))": (
        f"YuniKorn places the pods of this namespace: set spec.schedulerName to {SCHEDULER}, and no "
        "spec.nodeName"
    ),
    # Nothing on a node is evicted for such a pod's disk or memory but others (pkg/kubelet/eviction).
    "request.operation != 'CREATE' || !has(object.spec.priorityClassName) "
    "|| !object.spec.priorityClassName.startsWith('system-')": (
        "no pod of a job is critical for a node or the cluster: leave spec.priorityClassName to its tier"
    ),
    "request.operation != 'CREATE' || variables.said in ['', variables.own] || variables.trusted": (
        f"only the Spark Operator and its jobs may say for which user a pod is: leave {USER_INFO} out"
    ),
    "request.operation != 'UPDATE' || variables.said == variables.before": (
        f"the user whom a pod is for does not change: leave {USER_INFO} as it is"
    ),
}
"""What must be true of a pod, in CEL, and the message where it is not."""


def _nodes_apart(own_nodes: Sequence[str]) -> dict[str, str]:
    """Pods of these namespaces are on their own nodes, and those of no other are."""
    owners, label = json.dumps(sorted(own_nodes)), JOB_NAMESPACE_LABEL
    selector, tolerations = "object.spec.nodeSelector", "object.spec.tolerations"
    return {
        f"request.operation != 'CREATE' || !(request.namespace in {owners}) || (has({selector}) "
        f"&& '{label}' in {selector} && {selector}['{label}'] == request.namespace)": (
            "the jobs of this namespace run on nodes of their own: "
            f"set spec.nodeSelector {label} to the namespace"
        ),
        # Without a key, a toleration is for all taints. A pod that is there may get further ones.
        f"!has({tolerations}) || (oldObject != null && has(oldObject.spec.tolerations) "
        f"&& oldObject.spec.tolerations == {tolerations}) || {tolerations}.all(one, "
        f"has(one.key) && one.key != '' && (one.key != '{label}' "
        "|| (has(one.value) && one.value == request.namespace)))": (
            f"nodes of another namespace's jobs are not for pods of this one: tolerate {label} with "
            "the namespace as its value only, and nothing without a key"
        ),
    }


def variables(trusted: Sequence[str]) -> dict[str, str]:
    """What the rules build on, in CEL: the user whom the pod names, whom it named, and who may name one."""
    patterns, user = json.dumps(sorted(trusted)), "request.userInfo"
    return {
        "said": _annotation("object"),
        "before": f"oldObject == null ? '' : ({_annotation('oldObject')})",
        # As the admission controller writes it for the user who makes a pod without it.
        "own": f"""'{{"user":"' + {user}.username + '","groups":["' + {user}.groups.join('","') + '"]}}'""",
        "trusted": (
            f"'{ADMINS}' in {user}.groups || {patterns}.exists(pattern, {user}.username.matches(pattern))"
        ),
    }


def _annotation(pod: str) -> str:
    return (
        f"has({pod}.metadata.annotations) && '{USER_INFO}' in {pod}.metadata.annotations "
        f"? {pod}.metadata.annotations['{USER_INFO}'] : ''"
    )
