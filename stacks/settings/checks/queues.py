"""Queues: what each is promised and may take, and whether a cluster can hold that."""

from collections.abc import Iterator
from itertools import pairwise

from moka.machines.instance_types import instance_type
from moka.mistakes import Mistake, listed
from moka.names import ROOT_QUEUE, tier_queue
from moka.queues import QueueTree, Resources
from moka.queues.definitions import Queues, Shared
from moka.queues.problems import Problem, problems, promised
from moka.queues.quantities import MIB, text
from moka.queues.resolution import AT, policies, tree
from moka.queues.shares import total
from stacks.settings.cluster import Cluster
from stacks.settings.environment import Environment

FOR_JOBS = ("driver", "executor")
"""Roles of nodes on which pods of jobs run."""

NODES = "nodes for drivers and executors at the most"


def trees(settings: Environment) -> Iterator[Mistake]:
    """What is wrong with the tree of some cluster; told once where it is wrong on all."""
    wrong: dict[Mistake, list[str]] = {}
    for clusters, _, made, mistakes in _made(settings):
        found = list(problems(made))
        places = dict(_places(settings.queues)) if found else {}
        for mistake in [*mistakes, *(_told(problem, *places[problem.path]) for problem in found)]:
            wrong.setdefault(mistake, []).extend(clusters)
    for mistake, where in wrong.items():
        everywhere = len(where) == len(settings.clusters)
        yield mistake if everywhere else Mistake(mistake.at, f"{mistake.says} (on {listed(where)})")


def _made(
    settings: Environment,
) -> Iterator[tuple[list[str], Resources | None, QueueTree, list[Mistake]]]:
    """The trees that there are, each once: on which clusters, of what capacity, and what went wrong."""
    alike: dict[Resources | None, list[str]] = {}
    for cluster in settings.clusters:
        alike.setdefault(settings.capacity(cluster), []).append(cluster)
    for capacity, clusters in alike.items():
        yield clusters, capacity, *tree(settings.queues, capacity)


def _places(queues: Queues) -> Iterator[tuple[str, tuple[str, Shared]]]:
    """Every queue by its path: where it stands in the settings, and what is said of it there."""
    for organization, of_organization in queues.organizations.items():
        path, at = f"{ROOT_QUEUE}.{organization}", f"{AT}.{organization}"
        yield path, (at, of_organization)
        for project, of_project in of_organization.projects.items():
            yield f"{path}.{project}", (f"{at}.projects.{project}", of_project)
            for number, tier in of_project.tiers.items():
                yield (
                    f"{path}.{project}.{tier_queue(number)}",
                    (f"{at}.projects.{project}.tiers.{number}", tier),
                )


def _told(problem: Problem, at: str, said: Shared) -> Mistake:
    """A problem of the tree, where the settings say what it comes from."""
    what, _, resource = problem.at.rpartition(".")
    if what == "guaranteed" and said.weight is not None:
        return Mistake(f"{at}.weight", f"its guaranteed {resource} {problem.says}")
    if what.endswith("maximum"):
        index = what.removesuffix("maximum").removeprefix("limits.").rstrip(".")
        maximum = said.limits[int(index)].maximum if index else said.maximum
        if maximum is not None and maximum.percent is not None:
            return Mistake(f"{at}.{what}.percent", f"its {resource} {problem.says}")
    return Mistake(f"{at}.{problem.at}" if problem.at else at, problem.says)


def tier_policies(settings: Environment) -> Iterator[Mistake]:
    """Tier 1 as a victim, and tiers that wait longer than those below them."""
    own = settings.queues.tiers.get(1)
    if own and own.preemption not in (None, "disabled"):
        yield Mistake(
            "queues.tiers.1.preemption",
            f"is {own.preemption!r}, and nothing may ever be taken from tier 1; leave it out",
        )
    for (upper, first), (lower, second) in pairwise(sorted(policies(settings.queues).items())):
        if first.delay_seconds > second.delay_seconds:
            at = upper if upper in settings.queues.tiers else lower
            yield Mistake(
                f"queues.tiers.{at}.delay_seconds",
                f"makes tier {upper} wait {first.delay_seconds} s, longer than the {second.delay_seconds} s "
                f"of tier {lower}; the more critical tier waits less",
            )


def capacities(settings: Environment) -> Iterator[Mistake]:
    """More stated than the nodes of a cluster could ever have, and more promised than there is."""
    for clusters, stated, made, _ in _made(settings):
        together = total(Resources(**promised(queue)) for queue in made.organizations)
        for name in clusters:
            there = _nodes(settings.clusters[name])
            yield from _stated(settings, name, stated or Resources(), there)
            yield from _promised(name, together, stated or there, "capacity" if stated else NODES)


def _stated(settings: Environment, name: str, stated: Resources, there: Resources) -> Iterator[Mistake]:
    at = f"clusters.{name}.capacity" if settings.clusters[name].capacity else "queues.capacity"
    for resource, amount in stated.amounts():
        if (most := there.get(resource)) is not None and amount > most:
            yield Mistake(
                f"{at}.{resource}",
                f"is {text(resource, amount)}, and nodes for drivers and executors of cluster {name!r} "
                f"have {text(resource, most)} at the most; lower it, state `capacity` of the cluster, or "
                "raise the maximum of its node groups",
            )


def _promised(name: str, together: Resources, room: Resources, whose: str) -> Iterator[Mistake]:
    for resource, amount in together.amounts():
        if (most := room.get(resource)) is not None and amount > most:
            yield Mistake(
                AT,
                f"are promised {text(resource, amount)} of {resource} together, and cluster {name!r} "
                f"has {text(resource, most)} ({whose}); promise less, or by weight",
            )


def _nodes(cluster: Cluster) -> Resources:
    """What nodes for jobs have when all are there; nothing is said of what names of types do not tell."""
    cpu: int | None = 0
    memory: int | None = 0
    for group in cluster.node_groups.values():
        if group.role in FOR_JOBS:
            types = [instance_type(name) for name in group.instance_types]
            cpu = _more(cpu, [each.vcpus for each in types], group.maximum * 1000)
            memory = _more(memory, [each.memory_mib for each in types], group.maximum * MIB)
    return Resources(cpu=cpu, memory=memory)


def _more(so_far: int | None, of_types: list[int | None], times: int) -> int | None:
    """The largest type counts; None as soon as one is not known."""
    known = [each for each in of_types if each is not None]
    return None if so_far is None or len(known) < len(of_types) else so_far + max(known) * times
