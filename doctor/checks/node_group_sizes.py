"""Bounds of node groups: Auto Scaling has those of the settings."""

from collections.abc import Iterator
from datetime import UTC, datetime

from doctor.account import Place
from doctor.finding import Finding, ok, warning
from doctor.scaling_groups import ScalingGroup, scaling_groups
from stacks.settings.cluster import NodeGroup
from stacks.settings.node_group_plan import NodeGroupPlan, bounds_at, node_group_plans


def bounds(place: Place) -> Iterator[Finding]:
    """Auto Scaling has the bounds of the settings, a schedule's included, of node groups that there are.

    `up` does not see what a schedule that was taken out, or a command, left behind.
    """
    moment = datetime.now(UTC)
    for cluster_name, cluster in place.clusters.items():
        plans = [
            (name, group, plan)
            for name, group in cluster.node_groups.items()
            for plan in node_group_plans(name, group, place.foundation.zones)
        ]
        eks_name = place.cluster_name(cluster_name)
        live = scaling_groups(place, eks_name, {plan.name for _, _, plan in plans})
        where, right = f"{place.name}/{cluster_name}", 0
        for name, group, plan in plans:
            if plan.name not in live:
                continue
            has, due = live[plan.name], bounds_at(group, plan, moment)
            if (has.bounds.minimum, has.maximum) == due:
                right += 1
                continue
            yield warning(
                where,
                f"Node group {plan.name} may have from {has.bounds.minimum} to {has.maximum} machines, and "
                f"by the settings from {due[0]} to {due[1]}.",
                _remedy(place, cluster_name, name, group, plan, has, due),
            )
        if right:
            yield ok(where, f"Auto Scaling has the bounds of the settings of {right} node groups.")


def _remedy(
    place: Place,
    cluster: str,
    name: str,
    group: NodeGroup,
    plan: NodeGroupPlan,
    has: ScalingGroup,
    due: tuple[int, int],
) -> str:
    (minimum, maximum), desired = due, has.bounds.desired
    sizes = f"minSize={minimum},maxSize={maximum}"
    if desired < minimum:
        # EKS refuses a minimum above the size.
        sizes += f",desiredSize={minimum}"
    command = (
        f"`aws eks update-nodegroup-config --cluster-name {place.cluster_name(cluster)} --nodegroup-name "
        f"{plan.name} --scaling-config {sizes}`"
    )
    if desired > maximum:
        generation = f" --generation {plan.generation}" if plan.retiring else ""
        command = (
            f"`moka shrink {place.settings.environment} {cluster} {name}{generation} --by "
            f"{desired - maximum}`, then {command}"
        )
    if plan.schedule:
        return f"The next time of its schedule sets them; before that: {command}."
    return f"Set the settings to what it has, or {command}."
