"""Who goes first: the priority classes of jobs, a tier each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as k8s

from moka.components.ordering import known_after
from moka.names import ALLOW_PREEMPTION, priority_class


@dataclass(frozen=True, kw_only=True)
class Priority:
    """One priority class, whose pods may preempt others.

    value: higher goes first; a change replaces the class.
    can_be_preempted: YuniKorn may preempt its pods. (`false` there only makes them the last choice; that
    tier 1 is spared for certain is the queues' doing.)
    description: for whom it is.
    """

    value: int
    description: str
    can_be_preempted: bool = True


CLASSES: Mapping[str, Priority] = {
    priority_class(1): Priority(value=3_000, description="The most critical jobs", can_be_preempted=False),
    priority_class(2): Priority(value=2_000, description="Jobs with a deadline"),
    priority_class(3): Priority(value=1_000, description="Jobs that can wait"),
}

PREEMPTION_POLICY = "PreemptLowerPriority"
"""Of all: YuniKorn takes back what a queue is guaranteed for pods of such a class only (yunikorn-core v1.8.0,
pkg/scheduler/objects/preemption.go: CheckPreconditions); from whom, its queues say."""


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
                preemption_policy=PREEMPTION_POLICY,
                opts=pulumi.ResourceOptions(
                    parent=self,
                    # The API server changes neither, and a name is there once: pods of a class that is being
                    # replaced are refused for a moment, and made again by whoever makes them.
                    replace_on_changes=["value", "preemptionPolicy"],
                    delete_before_replace=True,
                ),
            )
            for key, priority in args.classes.items()
        ]
        self.names = known_after(list(args.classes), *[priority_class.id for priority_class in classes])
        self.register_outputs({"names": self.names})
