"""Which queues the jobs of a namespace may run in, enforced by the API server itself.

YuniKorn takes a pod into the queue that its labels name, whoever made it: its `submitacl` goes by the user
that an application says it is of.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pulumi

from moka.components.kubernetes.admission_policy import bound_policy, in_namespaces
from moka.names import QUEUE_CLAIMS

POLICY_NAME = QUEUE_CLAIMS

RESOURCES = (("sparkoperator.k8s.io", ("sparkapplications",)), ("", ("pods",)))
"""Of whatever else the operator makes applications, these are looked at."""

QUEUE_KEYS = ("yunikorn.apache.org/queue", "queue")
"""By which a pod names its queue: labels, and the first as an annotation as well. All that are there count,
whichever YuniKorn would take."""


@dataclass(frozen=True, kw_only=True)
class QueueClaimsArgs:
    """claims: namespace -> regular expressions (RE2) of the queues that its jobs may name, one at least."""

    claims: Mapping[str, Sequence[str]]


class QueueClaims(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:QueueClaims`.

    Makes: a ValidatingAdmissionPolicy and its binding. It refuses, in these namespaces, SparkApplications and
    pods that name another queue, or none.
    Outputs: `namespaces`, known only once the rules hold.
    """

    namespaces: pulumi.Output[Sequence[str]]

    def __init__(self, name: str, args: QueueClaimsArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("moka:kubernetes:QueueClaims", name, {}, opts)
        bound = bound_policy(name, POLICY_NAME, rules(args.claims), pulumi.ResourceOptions(parent=self))
        self.namespaces = bound.apply(lambda _: list(args.claims))
        self.register_outputs({"namespaces": self.namespaces})


def rules(claims: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Spec of the ValidatingAdmissionPolicy, as Kubernetes writes it."""
    return in_namespaces(list(claims), RESOURCES, variables(claims), VALIDATIONS)


VALIDATIONS = {
    # What was there before its namespace lost a queue goes on.
    "variables.queues == variables.before || size(variables.queues) > 0": (
        "a job of this namespace names a queue: root.<organization>.<project>.tier<n>"
    ),
    "variables.queues == variables.before "
    "|| variables.queues.all(queue, variables.allowed.exists(pattern, queue.matches(pattern)))": (
        "jobs of this namespace may not run in this queue; which they may, `claims` of the namespace in the "
        "settings says"
    ),
}
"""What must be true, in CEL, and the message where it is not."""


def variables(claims: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """What the rules build on, in CEL: the patterns of the namespace, and the queues named now and before."""
    allowed = json.dumps({name: list(patterns) for name, patterns in sorted(claims.items())})
    return {
        "allowed": f"{allowed}[object.metadata.namespace]",
        "queues": _queues("object"),
        "before": f"oldObject == null ? [''] : {_queues('oldObject')}",
    }


def _queues(thing: str) -> str:
    """The queues that a pod or an application names."""
    options = f"{thing}.spec.batchSchedulerOptions"
    of_pod = [
        *(_member(f"{thing}.metadata.labels", key) for key in QUEUE_KEYS),
        _member(f"{thing}.metadata.annotations", QUEUE_KEYS[0]),
    ]
    of_application = f"has({options}) && has({options}.queue) ? [{options}.queue] : []"
    return f"(request.resource.resource == 'pods' ? {' + '.join(of_pod)} : ({of_application}))"


def _member(mapping: str, key: str) -> str:
    return f"(has({mapping}) && '{key}' in {mapping} ? [{mapping}['{key}']] : [])"
