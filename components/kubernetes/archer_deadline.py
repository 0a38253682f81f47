"""Applications of Archer that come too late, refused by the API server itself.

A request that was held up on its way, by a worker or a network that stood still, may arrive when another
worker has long made the same application, and it has ended and is gone: then nothing is left by which the API
server would know that the job ran already. So each says until when it may be made
(`moka/submission/manifest.py`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pulumi

from moka.components.kubernetes.admission_policy import bound_policy, in_namespaces
from moka.submission.manifest import DEADLINE

POLICY_NAME = "moka-archer-deadline"
"""Name of the policy and of its binding."""


@dataclass(frozen=True, kw_only=True)
class ArcherDeadlineArgs:
    """What differs between clusters.

    namespaces: those in which Archer makes applications.
    """

    namespaces: Sequence[str]


class ArcherDeadline(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:ArcherDeadline`.

    Makes: a ValidatingAdmissionPolicy and its binding. It refuses, in these namespaces, an application that
    comes after the time until which it may be made.
    Outputs: `namespaces`, known only once the rules hold.
    """

    namespaces: pulumi.Output[Sequence[str]]

    def __init__(
        self, name: str, args: ArcherDeadlineArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("moka:kubernetes:ArcherDeadline", name, {}, opts)
        bound = bound_policy(name, POLICY_NAME, rules(args.namespaces), pulumi.ResourceOptions(parent=self))
        self.namespaces = bound.apply(lambda _: list(args.namespaces))
        self.register_outputs({"namespaces": self.namespaces})


def rules(namespaces: Sequence[str]) -> dict[str, Any]:
    """Spec of the ValidatingAdmissionPolicy, as Kubernetes writes it."""
    return in_namespaces(
        namespaces, (("sparkoperator.k8s.io", ("sparkapplications",)),), {"deadline": _DEADLINE}, VALIDATIONS
    )


_DEADLINE = (
    f"has(object.metadata.annotations) && '{DEADLINE}' in object.metadata.annotations "
    f"? object.metadata.annotations['{DEADLINE}'] : ''"
)

# The API server sets the time, whatever was sent, before it asks policies (kubernetes/kubernetes:
# staging/src/k8s.io/apiserver/pkg/registry/rest/create.go, BeforeCreate); CEL knows no other clock.
VALIDATIONS = {
    "request.operation != 'CREATE' || variables.deadline == '' "
    "|| timestamp(object.metadata.creationTimestamp) <= timestamp(variables.deadline)": (
        f"this application comes after the time in its annotation {DEADLINE}: it was held up on its way, "
        "and Archer makes another where its job still waits"
    ),
}
"""What must be true of an application, in CEL, and the message where it is not."""
