"""Queues: what each is guaranteed and may take, and whether a cluster can hold that."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, time
from itertools import pairwise

from moka.allocation.plan_bounds import PlanBounds
from moka.mistakes import Mistake, comma_list
from moka.names import ROOT_QUEUE, tier_queue
from moka.queues import QueueTree, Resources
from moka.queues.calendar import Calendar, Nodes
from moka.queues.claims import matching_queues
from moka.queues.definitions import Queues, Shared
from moka.queues.problems import Problem, problems
from moka.queues.rendering import queues_yaml
from moka.queues.resolution import AT, policies, resolve
from moka.queues.resources import quantity, total
from stacks.settings.environment import Environment

MAX_KIB = 900
"""Of `queues.yaml`: a ConfigMap has 1 MiB (kubernetes.io, "ConfigMaps"), and the keeper's copy, packed, is
there too."""


def trees(settings: Environment) -> Iterator[Mistake]:
    """What is wrong with the queues of some cluster; reported once where it is wrong on all."""
    mistakes: dict[Mistake, list[str]] = {}
    for clusters, _, queue_tree, unresolved in _trees(settings):
        for mistake in [*unresolved, *_tree_mistakes(settings.queues, queue_tree)]:
            mistakes.setdefault(mistake, []).extend(clusters)
    for mistake, clusters in mistakes.items():
        everywhere = len(clusters) == len(settings.clusters)
        yield mistake if everywhere else Mistake(mistake.at, f"{mistake.says} (on {comma_list(clusters)})")


def size(settings: Environment) -> Iterator[Mistake]:
    """More queues than a ConfigMap holds: the API server would refuse it."""
    for clusters, _, queue_tree, unresolved in _trees(settings):
        kib = 0 if unresolved else len(queues_yaml(queue_tree).encode()) // 1024
        if kib > MAX_KIB:
            yield Mistake(
                "queues",
                f"are {kib} KiB on {comma_list(clusters)}, and YuniKorn reads them from a ConfigMap, for "
                f"which they may have {MAX_KIB}; have fewer projects, or limits of users",
            )


def claims(settings: Environment) -> Iterator[Mistake]:
    """Claims of namespaces to queues that no cluster has."""
    paths = {path for cluster in settings.clusters for path, _ in settings.queue_tree(cluster).leaves()}
    for name, space in settings.job_namespaces.items():
        for number, claim in enumerate(space.claims or ()):
            if not matching_queues(paths, [claim.pattern]):
                tiers = comma_list(claim.tiers)
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
        for name in clusters:
            calendar = settings.queue_calendar(name)
            nodes = calendar.amounts(calendar.all_nodes)
            yield from _beyond_nodes(settings, name, capacity or Resources(), nodes)
            yield from _excess(name, calendar, calendar.all_nodes, queue_tree)


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


def _excess(name: str, calendar: Calendar, nodes: Nodes, tree: QueueTree) -> Iterator[Mistake]:
    """Guarantees beyond the capacity, or beyond what so many nodes have."""
    capacity = calendar.capacity_of(nodes)
    source = "its capacity" if capacity else "all its nodes for drivers and executors"
    guaranteed = total(queue.effective_guarantee for queue in tree.organizations)
    for resource, amount in guaranteed.amounts():
        if (most := (capacity or calendar.amounts(nodes)).get(resource)) is not None and amount > most:
            yield Mistake(
                AT,
                f"are guaranteed {quantity(resource, amount)} of {resource} in total, but cluster {name!r} "
                f"has {quantity(resource, most)} ({source}); guarantee less, or use weights",
            )


def schedules(settings: Environment) -> Iterator[Mistake]:
    """Promises beyond what a schedule leaves of a cluster, and schedules that no queue would follow."""
    today = datetime.combine(datetime.now(UTC), time(), UTC)
    for cluster in settings.clusters:
        calendar = settings.queue_calendar(cluster)
        if not calendar.scheduled:
            continue
        base, mistakes = _tree(settings.queues, cluster, calendar, calendar.all_nodes)
        # What is wrong with all nodes is told already.
        known_places = {mistake.at for mistake in mistakes}
        states = [(calendar.nodes(state), state) for state in calendar.states(today)]
        followed = False
        for nodes, state in sorted(states, key=lambda pair: sum(pair[0].values())):
            tree, mistakes = _tree(settings.queues, cluster, calendar, nodes)
            followed = followed or tree != base
            for mistake in mistakes:
                if mistake.at not in known_places:
                    known_places.add(mistake.at)
                    yield _by_schedule(cluster, calendar, state, mistake)
        if followed and settings.services.queue_keeper is None:
            yield Mistake(
                "services.queue_keeper",
                f"is not set, but a schedule of cluster {cluster!r} lowers what queues are shares of, and "
                "they would promise machines that are not there; set it",
            )


def plans(settings: Environment) -> Iterator[Mistake]:
    """Bounds of plans that nobody brings, or nobody has in force."""
    if settings.allocation.bounds == PlanBounds():
        return
    for service in ("archer", "queue_keeper"):
        if getattr(settings.services, service) is None:
            yield Mistake(
                "allocation",
                f"is for plans, but without services.{service} none takes effect; set that, or remove it",
            )


def _tree(queues: Queues, cluster: str, calendar: Calendar, nodes: Nodes) -> tuple[QueueTree, list[Mistake]]:
    """The queues of a cluster while it has so many nodes, and all that is wrong with them."""
    tree, unresolved = calendar.tree(queues, nodes)
    return tree, [*unresolved, *_tree_mistakes(queues, tree), *_excess(cluster, calendar, nodes, tree)]


def _by_schedule(cluster: str, calendar: Calendar, state: Mapping[str, str], mistake: Mistake) -> Mistake:
    """A mistake in queues as one in the schedules by which they have less."""
    changes = {name: calendar.node_groups[name].changes[change] for name, change in state.items()}
    lowered = [name for name, change in changes.items() if change.maximum < calendar.all_nodes[name]]
    first, *others = lowered
    time_zone = calendar.node_groups[first].time_zone
    beside = f", with {comma_list(f'{state[name]} of {name}' for name in others)}" if others else ""
    return Mistake(
        f"clusters.{cluster}.node_groups.{first}.schedule.{state[first]}.maximum",
        f"is {changes[first].maximum} from {changes[first].cron!r} ({time_zone}) on{beside}, and then "
        f"{mistake.at}: {mistake.says.partition(';')[0]}; use weights, or raise the maximum",
    )


def _tree_mistakes(queues: Queues, tree: QueueTree) -> Iterator[Mistake]:
    """What is wrong with a tree, where it stands in the settings."""
    findings = list(problems(tree))
    definitions = dict(_definitions(queues)) if findings else {}
    for problem in findings:
        yield _mistake(problem, *definitions[problem.path])
