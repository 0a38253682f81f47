"""The priority classes of jobs, for API servers on which no stack makes them."""

from localcloud.control_plane.api import Api
from moka.components.kubernetes.priority_classes import CLASSES, PREEMPTION_POLICY
from moka.names import ALLOW_PREEMPTION


def apply_priority_classes(api: Api) -> None:
    """Make them as the component does; where they are there already, nothing changes."""
    for name, priority in CLASSES.items():
        api.apply(
            f"/apis/scheduling.k8s.io/v1/priorityclasses/{name}",
            {
                "apiVersion": "scheduling.k8s.io/v1",
                "kind": "PriorityClass",
                "metadata": {
                    "name": name,
                    "annotations": {ALLOW_PREEMPTION: str(priority.can_be_preempted).lower()},
                },
                "value": priority.value,
                "preemptionPolicy": PREEMPTION_POLICY,
            },
        )
