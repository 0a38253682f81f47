"""Job namespaces whose applications come from Archer only, enforced by the API server itself.

Nobody needs to be up for it. What is deleted is not looked at, nor is the status that the operator writes: a
stop by hand, an administrator, garbage collection and the operator go on as before.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pulumi

from moka.components.kubernetes.admission_policy import ADMINS, bound_policy, in_namespaces
from moka.components.kubernetes.driver_finalizer import SERVICE as DRIVER_FINALIZER_SERVICE
from moka.names import ARCHER_GROUP, DRIVER_FINALIZER_NAMESPACE
from moka.submission.manifest import ATTEMPT_LABEL, FINALIZER, JOB_LABEL

POLICY_NAME = "moka-archer-only"
"""Name of the policy and of its binding."""

DRIVER_KEEPER = f"system:serviceaccount:{DRIVER_FINALIZER_NAMESPACE}:{DRIVER_FINALIZER_SERVICE}"
"""Takes `timeToLiveSeconds` off an application while its driver outlives it
(services/driver_finalizer/lifetime.py)."""

# Of a ScheduledSparkApplication the operator itself would make applications.
RESOURCES = (
    ("sparkoperator.k8s.io", ("sparkapplications", "scheduledsparkapplications", "sparkconnects")),
    ("", ("pods",)),
)


@dataclass(frozen=True, kw_only=True)
class ArcherOnlyArgs:
    """What differs between clusters.

    namespaces: those that take applications of Archer only.
    trusted: regular expressions of the users of Kubernetes who make the pods of applications.
    """

    namespaces: Sequence[str]
    trusted: Sequence[str]


class ArcherOnly(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:ArcherOnly`.

    Makes: a ValidatingAdmissionPolicy and its binding. It refuses, in these namespaces, applications that did
    not come from Archer, changes of those that did, and pods made by hand that say they are of such a one.
    Outputs: `namespaces`, known only once the rules hold.
    """

    namespaces: pulumi.Output[Sequence[str]]

    def __init__(self, name: str, args: ArcherOnlyArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("moka:kubernetes:ArcherOnly", name, {}, opts)
        bound = bound_policy(
            name, POLICY_NAME, rules(args.namespaces, args.trusted), pulumi.ResourceOptions(parent=self)
        )
        self.namespaces = bound.apply(lambda _: list(args.namespaces))
        self.register_outputs({"namespaces": self.namespaces})


def rules(namespaces: Sequence[str], trusted: Sequence[str]) -> dict[str, Any]:
    """Spec of the ValidatingAdmissionPolicy, as Kubernetes writes it."""
    return in_namespaces(namespaces, RESOURCES, variables(trusted), VALIDATIONS)


VALIDATIONS = {
    # Administrators too: who mends by hand deletes; who wants this otherwise changes the settings.
    "variables.pod || request.operation != 'CREATE' || variables.archer": (
        "this namespace takes jobs of Archer only: submit it by archer submit"
    ),
    "variables.pod || request.operation != 'UPDATE' || variables.may || variables.keeps "
    "|| object.spec == oldObject.spec": (
        "an application of this namespace does not change: stop its job by archer stop, and submit "
        "it anew by archer submit"
    ),
    # An administrator may, where Archer is no more and something waits for its finalizer.
    "variables.pod || request.operation != 'UPDATE' || variables.may "
    "|| (variables.said == variables.before && variables.held)": (
        f"labels {JOB_LABEL} and {ATTEMPT_LABEL} and finalizer {FINALIZER} are Archer's: leave them as they "
        "are, and stop its job by archer stop"
    ),
    "!variables.pod || variables.said == variables.before || variables.makes": (
        f"only the pods of Archer's jobs have the label {JOB_LABEL}: leave it out, and submit a job "
        "by archer submit"
    ),
}
"""What must be true of an application or a pod, in CEL, and the message where it is not."""


def variables(trusted: Sequence[str]) -> dict[str, str]:
    """What the rules build on, in CEL.

    Whether it is a pod; whether Archer asks, somebody who may change what is Archer's, one who makes its
    pods, or the one who lets drivers live; Archer's labels now and before; and whether its finalizer is still
    there.
    """
    user, patterns = "request.userInfo", json.dumps(sorted(trusted))
    return {
        "pod": "request.resource.resource == 'pods'",
        "archer": f"'{ARCHER_GROUP}' in {user}.groups",
        "may": f"variables.archer || '{ADMINS}' in {user}.groups",
        "makes": f"variables.may || {patterns}.exists(pattern, {user}.username.matches(pattern))",
        "keeps": f"{user}.username == '{DRIVER_KEEPER}'",
        "said": _labels("object"),
        "before": f"oldObject == null ? ['', ''] : {_labels('oldObject')}",
        "held": f"oldObject == null || !{_has('oldObject')} || {_has('object')}",
    }


def _labels(thing: str) -> str:
    expressions = (
        f"(has({thing}.metadata.labels) && '{label}' in {thing}.metadata.labels "
        f"? {thing}.metadata.labels['{label}'] : '')"
        for label in (JOB_LABEL, ATTEMPT_LABEL)
    )
    return f"[{', '.join(expressions)}]"


def _has(thing: str) -> str:
    return f"(has({thing}.metadata.finalizers) && '{FINALIZER}' in {thing}.metadata.finalizers)"
