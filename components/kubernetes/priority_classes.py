"""Who goes first: the priority classes of jobs, a tier each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as k8s

from moka.components.ordering import known_after
from moka.names import ALLOW_PREEMPTION, priority_class


@dataclass(frozen=True, kw_only=True)
class Priority:
    """One priority class.

    value: higher goes first; a change replaces the class.
    preempts: its pods may preempt others.
    can_be_preempted: YuniKorn may preempt its pods. (`false` there only makes them the last choice; that
    tier 1 is spared for certain is the queues' doing.)
    description: for whom it is.
    """

    value: int
    description: str
    preempts: bool = True
    can_be_preempted: bool = True


CLASSES: Mapping[str, Priority] = {
    priority_class(1): Priority(value=3_000, description="The most critical jobs", can_be_preempted=False),
    priority_class(2): Priority(value=2_000, description="Jobs with a deadline"),
    priority_class(3): Priority(value=1_000, description="Jobs that can wait", preempts=False),
}


@dataclass(frozen=True, kw_only=True)
class PriorityClassesArgs:
    """classes: by name."""

    classes: Mapping[str, Priority]


class PriorityClasses(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:PriorityClasses`.

    Makes: a scheduling.v1.PriorityClass each.
    Outputs: `names`, known only once all of them are there: pods that name one before are refused.
    """

    names: pulumi.Output[Sequence[str]]

    def __init__(
        self, name: str, args: PriorityClassesArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("moka:kubernetes:PriorityClasses", name, {}, opts)

        classes = [
            k8s.scheduling.v1.PriorityClass(
                f"{name}-{key}",
                metadata=k8s.meta.v1.ObjectMetaArgs(
                    name=key, annotations={ALLOW_PREEMPTION: str(priority.can_be_preempted).lower()}
                ),
                value=priority.value,
                description=priority.description,
                preemption_policy="PreemptLowerPriority" if priority.preempts else "Never",
                opts=pulumi.ResourceOptions(parent=self),
            )
            for key, priority in args.classes.items()
        ]
        self.names = known_after(list(args.classes), *[priority_class.id for priority_class in classes])
        self.register_outputs({"names": self.names})
