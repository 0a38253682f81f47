"""Queues: what each is guaranteed and may take, and whether a cluster can hold that."""

from collections.abc import Iterator
from itertools import pairwise

from moka.machines.instance_types import instance_type
from moka.mistakes import Mistake, listed
from moka.names import ROOT_QUEUE, tier_queue
from moka.quantities import MIB
from moka.queues import QueueTree, Resources
from moka.queues.claims import named
from moka.queues.definitions import Queues, Shared
from moka.queues.problems import Problem, problems
from moka.queues.resolution import AT, policies, resolve
from moka.queues.resources import quantity, total
from stacks.settings.cluster import Cluster
from stacks.settings.environment import Environment


def trees(settings: Environment) -> Iterator[Mistake]:
    """What is wrong with the queues of some cluster; reported once where it is wrong on all."""
    mistakes: dict[Mistake, list[str]] = {}
    for clusters, _, queue_tree, unresolved in _trees(settings):
        tree_problems = list(problems(queue_tree))
        definitions = dict(_definitions(settings.queues)) if tree_problems else {}
        for mistake in [
            *unresolved,
            *(_mistake(problem, *definitions[problem.path]) for problem in tree_problems),
        ]:
            mistakes.setdefault(mistake, []).extend(clusters)
    for mistake, clusters in mistakes.items():
        everywhere = len(clusters) == len(settings.clusters)
        yield mistake if everywhere else Mistake(mistake.at, f"{mistake.says} (on {listed(clusters)})")


def claims(settings: Environment) -> Iterator[Mistake]:
    """Claims of namespaces to queues that no cluster has."""
    paths = {path for cluster in settings.clusters for path, _ in settings.queue_tree(cluster).leaves()}
    for name, space in settings.job_namespaces.items():
        for number, claim in enumerate(space.claims or ()):
            if not named(paths, [claim.pattern]):
                tiers = listed(claim.tiers)
                yield Mistake(
                    f"job_namespaces.{name}.claims.{number}",
                    f"names queues that there are not: {claim.organization}.{claim.project}, tiers {tiers}; "
                    "correct it, or add them to `queues`",
                )


def _trees(
    settings: Environment,
) -> Iterator[tuple[list[str], Resources | None, QueueTree, list[Mistake]]]:
    """Each different tree once: its clusters, their capacity, the tree, and what could not be resolved."""
    clusters: dict[Resources | None, list[str]] = {}
    for cluster in settings.clusters:
        clusters.setdefault(settings.capacity(cluster), []).append(cluster)
    for capacity, names in clusters.items():
        yield names, capacity, *resolve(settings.queues, capacity)


def _definitions(queues: Queues) -> Iterator[tuple[str, tuple[str, Shared]]]:
    """Every queue by its path: where it stands in the settings, and its definition there."""
    for organization_name, organization in queues.organizations.items():
        path, at = f"{ROOT_QUEUE}.{organization_name}", f"{AT}.{organization_name}"
        yield path, (at, organization)
        for project_name, project in organization.projects.items():
            project_path, project_at = f"{path}.{project_name}", f"{at}.projects.{project_name}"
            yield project_path, (project_at, project)
            for number, tier in project.tiers.items():
                yield f"{project_path}.{tier_queue(number)}", (f"{project_at}.tiers.{number}", tier)


def _mistake(problem: Problem, at: str, definition: Shared) -> Mistake:
    """A problem of the tree as a mistake in the setting that it comes from."""
    field, _, resource = problem.at.rpartition(".")
    if field == "guaranteed" and definition.weight is not None:
        return Mistake(f"{at}.weight", f"its guaranteed {resource} {problem.says}")
    if field.endswith("maximum"):
        index = field.removesuffix("maximum").removeprefix("limits.").rstrip(".")
        maximum = definition.limits[int(index)].maximum if index else definition.maximum
        if maximum is not None and maximum.percent is not None:
            return Mistake(f"{at}.{field}.percent", f"its {resource} {problem.says}")
    return Mistake(f"{at}.{problem.at}" if problem.at else at, problem.says)


def tier_policies(settings: Environment) -> Iterator[Mistake]:
    """Tier 1 as a victim, and tiers that wait longer than those below them."""
    policy = settings.queues.tiers.get(1)
    if policy and policy.preemption not in (None, "disabled"):
        yield Mistake(
            "queues.tiers.1.preemption",
            f"is {policy.preemption!r}, but tier 1 must never be preempted; remove it",
        )
    for (upper, first), (lower, second) in pairwise(sorted(policies(settings.queues).items())):
        if first.delay_seconds > second.delay_seconds:
            at = upper if upper in settings.queues.tiers else lower
            yield Mistake(
                f"queues.tiers.{at}.delay_seconds",
                f"makes tier {upper} wait {first.delay_seconds} s, longer than the {second.delay_seconds} s "
                f"of tier {lower}; the more critical tier has to wait less",
            )
        if second.preemption == "disabled" and first.preemption != "disabled":
            yield Mistake(
                f"queues.tiers.{lower}.preemption",
                f"is 'disabled', so that nobody takes from tier {lower}, but others take from tier {upper}, "
                "which is more critical; set it to 'disabled' there, too, or remove it",
            )


def capacities(settings: Environment) -> Iterator[Mistake]:
    """Capacities that the nodes of a cluster could never have, and guarantees beyond the capacity."""
    for clusters, capacity, queue_tree, _ in _trees(settings):
        guaranteed = total(queue.effective_guarantee for queue in queue_tree.organizations)
        for name in clusters:
            nodes = _nodes(settings.clusters[name])
            yield from _beyond_nodes(settings, name, capacity or Resources(), nodes)
            yield from _beyond_capacity(name, guaranteed, capacity, nodes)


def _beyond_nodes(
    settings: Environment, name: str, capacity: Resources, nodes: Resources
) -> Iterator[Mistake]:
    at = f"clusters.{name}.capacity" if settings.clusters[name].capacity else "queues.capacity"
    for resource, amount in capacity.amounts():
        if (most := nodes.get(resource)) is not None and amount > most:
            yield Mistake(
                f"{at}.{resource}",
                f"is {quantity(resource, amount)}, but nodes for drivers and executors of cluster {name!r} "
                f"have at most {quantity(resource, most)}; lower it, set `capacity` of the cluster, or raise "
                "the maximum of its node groups",
            )


def _beyond_capacity(
    name: str, guaranteed: Resources, capacity: Resources | None, nodes: Resources
) -> Iterator[Mistake]:
    source = "its capacity" if capacity else "all its nodes for drivers and executors"
    for resource, amount in guaranteed.amounts():
        if (most := (capacity or nodes).get(resource)) is not None and amount > most:
            yield Mistake(
                AT,
                f"are guaranteed {quantity(resource, amount)} of {resource} in total, but cluster {name!r} "
                f"has {quantity(resource, most)} ({source}); guarantee less, or use weights",
            )


def _nodes(cluster: Cluster) -> Resources:
    """Resources of all nodes for jobs, at their maximum; None of what the names of types do not tell."""
    cpu: int | None = 0
    memory: int | None = 0
    for group in cluster.groups_of("driver", "executor"):
        types = [instance_type(name) for name in group.instance_types]
        cpu = _add(cpu, [machine.vcpus for machine in types], group.maximum * 1000)
        memory = _add(memory, [machine.memory_mib for machine in types], group.maximum * MIB)
    return Resources(cpu=cpu, memory=memory)


def _add(total: int | None, amounts: list[int | None], times: int) -> int | None:
    """The total and so many of the largest amount; None as soon as one amount is not known."""
    known = [amount for amount in amounts if amount is not None]
    return None if total is None or len(known) < len(amounts) else total + max(known) * times
