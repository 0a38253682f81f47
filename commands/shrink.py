"""`moka shrink`: machines of a node group are emptied, and end."""

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from time import sleep
from typing import TYPE_CHECKING, Annotated, Any, Protocol

import typer

from commands.arguments import EnvironmentArgument
from commands.celeborn import drain_refusal, poll_intervals
from commands.celeborn_api import (
    EMPTY,
    LEAVING,
    NORMAL,
    Celeborn,
    CelebornError,
    ForwardingForbidden,
    Pods,
    Worker,
)
from commands.group_sizes import FollowUp, GroupSizes, after, follow_up, is_fixed, kept
from commands.machines_api import (
    IN_SERVICE,
    Node,
    Nodes,
    PodOnMachine,
    terminate,
)
from commands.refusals import exit_on
from doctor.scaling_groups import ScalingGroup, scaling_groups
from moka.as_of import InvalidDay, as_of
from moka.machines.departure import DepartureRefused, departing
from moka.names import CELEBORN_NAMESPACE
from stacks.settings import Environment, InvalidDocument, load
from stacks.settings.cluster import Generation
from stacks.settings.node_group_plan import node_group_plans

if TYPE_CHECKING:
    from doctor.account import Place

INTERRUPTED = 130
"""Exit status, as shells have it for Ctrl-C."""

Say = Callable[[str, str, Sequence[str]], None]
"""(machine, what is with it, what it waits for)."""


class ShrinkRefused(Exception):
    """Why no machine goes, or no further one, as a sentence."""


def shrink(
    environment: EnvironmentArgument,
    cluster: Annotated[str, typer.Argument(metavar="CLUSTER", help="A cluster of the settings.")],
    group: Annotated[str, typer.Argument(metavar="GROUP", help="A node group of that cluster.")],
    by: Annotated[int, typer.Option(metavar="N", min=1, help="How many machines go.")],
    generation: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER", min=1, help="Of this generation of the group; by default the present one."
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say which machines would go, and what is on them.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON document a line.")] = False,
    context: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Context of the kubeconfig; by default the current one."),
    ] = None,
) -> None:
    """Empty machines of a node group, then end them.

    It cordons those with the least to wait for, and waits for their drivers; executors are evicted, by which
    Spark decommissions them, and Celeborn's workers first give up their data. An empty machine ends, and its
    group is one smaller: EKS's minimum is lowered first where it has to be, and of a group of fixed size the
    maximum after it. At the end it says what to set in the settings. Nodes that somebody cordoned by hand
    stay as they are. Interrupted, the same command goes on with the machines that it had chosen.

    \b
    Examples:
      moka shrink prod batch-a executor-amd64 --by 3 --dry-run
      moka shrink prod batch-a executor-amd64 --by 3
      moka shrink prod batch-a shuffle --generation 1 --by 6

    \b
    Exit status: 0 they have ended, 1 it was refused or failed,
    2 wrong settings or arguments, 130 interrupted.
    """
    say, say_bounds, say_follow_up = (
        (_say_json, _say_bounds_json, _say_follow_up_json) if as_json else (_say, _say_bounds, _say_follow_up)
    )
    with exit_on(InvalidDocument):
        settings = load(environment)
        groups = _managed_groups(settings, cluster, group, generation)
    group_settings, eks_name = settings.clusters[cluster].node_groups[group], settings.eks_name(cluster)
    path = f"clusters.{cluster}.node_groups.{group}"
    # One that retires has no sizes in the settings.
    present = generation in (None, group_settings.generation)
    fixed = present and is_fixed(group_settings)
    with _refusals():
        place = _place(settings, cluster)
        nodes = Nodes(context)
        scaling = _scaling(place, eks_name, groups)
        bounds = {name: scaling_group.bounds for name, scaling_group in scaling.items()}
        if fixed and sum(group_bounds.desired for group_bounds in bounds.values()) - by < len(bounds):
            raise ShrinkRefused(
                f"{group} keeps {len(bounds)} of its machines at least, one in each managed group: ask for "
                "fewer, or take the group out of the settings."
            )
        choice = _choose(nodes, eks_name, scaling, by)
        if dry_run:
            pods = nodes.pods(choice)
            for node in choice:
                say(node.name, "would go", [str(pod) for pod in pods[node.name]])
            then = after(bounds, Counter(node.group for node in choice))
            if present and (follow := follow_up(group_settings, path, then)):
                say_follow_up(follow)
            return
        departure = Departure(
            nodes=nodes,
            celeborn=lambda: Celeborn(Pods(context, CELEBORN_NAMESPACE)),
            sizes=GroupSizes(place=place, cluster=eks_name, fixed=fixed, say=say_bounds),
            end=lambda node: terminate(place, node.instance),
            say=say,
            left=list(choice),
        )
        try:
            departure.run()
        except KeyboardInterrupt:
            typer.echo(_interruption(choice, departure.left), err=True)
            raise typer.Exit(INTERRUPTED) from None
        then = {
            name: scaling_group.bounds for name, scaling_group in _scaling(place, eks_name, groups).items()
        }
        if present and (follow := follow_up(group_settings, path, then)):
            say_follow_up(follow)


def _interruption(choice: Sequence[Node], remainder: Sequence[Node]) -> str:
    """What somebody reads who interrupted it."""
    summary = f"Stopped. Ended: {len(choice) - len(remainder)}."
    if not remainder:
        return f"{summary} None is left: `moka doctor` says which bounds differ from the settings."
    names = ", ".join(node.name for node in remainder)
    return (
        f"{summary} Still cordoned: {names}; the same command with --by {len(remainder)} goes on, "
        "`kubectl uncordon` keeps one."
    )


class Sizes(Protocol):
    """Bounds of managed groups, which follow as machines go."""

    def make_room(self, group: str, number: int) -> None:
        """Lower a minimum below which so many machines could not end."""

    def close(self, group: str) -> None:
        """Do what follows once machines have ended."""


@dataclass(kw_only=True)
class Departure:
    """Machines on their way out.

    sizes: of their groups.
    end: ends a machine for good.
    left: those that have not ended yet, all of them nodes of the cluster.
    """

    nodes: Nodes
    celeborn: Callable[[], Celeborn]
    sizes: Sizes
    end: Callable[[Node], None]
    say: Say
    left: list[Node]
    _evicted: set[PodOnMachine] = field(default_factory=set)
    _said: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _sent: set[str] = field(default_factory=set)

    def run(self) -> None:
        """Cordon them, and wait until all have ended."""
        for node in self.left:
            if not node.leaving:
                self.nodes.cordon(node)
        intervals = poll_intervals()
        while self.step():
            sleep(next(intervals))

    def step(self) -> bool:
        """Do what can be done now; whether machines are left."""
        present = {node.name: node for node in self.nodes.of_groups(sorted({n.group for n in self.left}))}
        for node in [node for node in self.left if node.name not in present]:
            self.left.remove(node)
            self.say(node.name, "is gone", [])
        for node in [node for node in self.left if not present[node.name].leaving]:
            self.left.remove(node)
            self.say(node.name, "was uncordoned by hand, and stays", [])
        pods = self.nodes.pods(self.left)
        workers = self._drain([pod for node in self.left for pod in pods[node.name] if pod.stay == "worker"])
        for node in [node for node in self.left if pods[node.name]]:
            waits = tuple(filter(None, (self._wait(pod, workers) for pod in pods[node.name])))
            if waits != self._said.get(node.name):
                self._said[node.name] = waits
                self.say(node.name, "waits", waits)
        self._end([node for node in self.left if not pods[node.name]])
        return bool(self.left)

    def _end(self, empty: Sequence[Node]) -> None:
        """End empty machines, group by group: with a lower minimum the autoscaler, too, may choose some."""
        for group, number in sorted(Counter(node.group for node in empty).items()):
            self.sizes.make_room(group, number)
            for node in [node for node in empty if node.group == group]:
                self.end(node)
                self.left.remove(node)
                self.say(node.name, "ends", [])
            self.sizes.close(group)

    def _wait(self, pod: PodOnMachine, workers: Mapping[str, str]) -> str:
        """Do what can be done for a pod, and say what its machine waits for."""
        match pod.stay:
            case "driver":
                return f"driver {pod} to finish"
            case "single":
                return f"{pod} to finish, which nothing would make again"
            case "worker" if reason := workers.get(pod.name):
                return reason
        if pod not in self._evicted:
            if not self.nodes.evict(pod):
                return f"{pod}, which its disruption budget keeps for now"
            self._evicted.add(pod)
        return f"{pod} to stop"

    def _drain(self, pods: Sequence[PodOnMachine]) -> dict[str, str]:
        """Have workers of Celeborn give up their data; pod -> what it waits for, of those that have some."""
        if not pods:
            return {}
        try:
            celeborn = self.celeborn()
            workers = celeborn.workers()
            waits = {}
            for pod in pods:
                if worker := workers.get(pod.name):
                    waits[pod.name] = self._drain_worker(celeborn, worker, workers)
                else:
                    waits[pod.name] = f"{pod}, which Celeborn's masters do not know now"
            return {name: reason for name, reason in waits.items() if reason}
        except CelebornError as error:
            return {pod.name: f"{pod}: {error}" for pod in pods}

    def _drain_worker(self, celeborn: Celeborn, worker: Worker, workers: dict[str, Worker]) -> str:
        if worker.state == EMPTY:
            return ""
        if worker.state != NORMAL:
            self._sent.discard(worker.pod)
        elif worker.pod not in self._sent:
            if reason := drain_refusal([worker], workers):
                return f"{worker.pod}: {reason}"
            celeborn.send("DECOMMISSIONTHENIDLE", [worker])
            # The masters know of it with the worker's next heartbeat.
            self._sent.add(worker.pod)
        workers[worker.pod] = replace(worker, state=LEAVING)
        return f"{worker.pod} to have no more data that a job needs"


def _managed_groups(settings: Environment, cluster: str, group: str, generation: int | None) -> list[str]:
    """Names in EKS of the managed groups that a generation of a group is, zone by zone.

    Raises InvalidDocument.
    """
    if cluster not in settings.clusters:
        raise InvalidDocument(
            f"{settings.environment} has no cluster {cluster!r}; it has {', '.join(settings.clusters)}."
        )
    present = settings.clusters[cluster].node_groups
    if group not in present:
        raise InvalidDocument(f"{cluster} has no node group {group!r}; it has {', '.join(present)}.")
    group_settings, number = present[group], generation or present[group].generation
    if number > group_settings.generation:
        raise InvalidDocument(
            f"{group} has no generation {number}; the present one is {group_settings.generation}."
        )
    # One that retires is still there when the settings no longer have it: `up` waits for what runs on it.
    shapes = [
        group_settings.model_copy(
            update={
                "retiring": {
                    number: Generation(instance_types=group_settings.instance_types, per_zone=per_zone),
                    **group_settings.retiring,
                }
            }
        )
        if number < group_settings.generation
        else group_settings
        for per_zone in (True, False)
    ]
    zones = settings.zones_of(cluster)
    plans = [plan for shape in shapes for plan in node_group_plans(group, shape, zones)]
    return list(dict.fromkeys(plan.name for plan in plans if plan.generation == number))


def _place(settings: Environment, cluster: str) -> "Place":
    """The account and region of a cluster, with the credentials at hand."""
    from doctor.account import SessionClients
    from doctor.credentials import enter, session

    foundation = settings.clusters[cluster].foundation
    places, _ = enter(settings, SessionClients(session()), as_of(os.environ))
    for place in places:
        if place.name == foundation:
            return place
    raise ShrinkRefused(
        f"The credentials at hand are not of the account of {foundation}: `moka doctor "
        f"{settings.environment} --only credentials` says more."
    )


def _scaling(place: "Place", cluster: str, groups: Sequence[str]) -> dict[str, ScalingGroup]:
    """Managed group -> its Auto Scaling group, of those that there are. Raises ShrinkRefused and NoAnswer."""
    scaling = scaling_groups(place, cluster, groups)
    if not scaling:
        raise ShrinkRefused(f"EKS has no node group {', '.join(groups)} of {cluster}: was it deployed?")
    return {name: scaling[name] for name in groups if name in scaling}


def _choose(nodes: Nodes, cluster: str, scaling: Mapping[str, ScalingGroup], number: int) -> list[Node]:
    """The nodes whose machines go. Raises DepartureRefused and ShrinkRefused."""
    instances = {
        instance
        for group in scaling.values()
        for instance, state in group.instances.items()
        if state == IN_SERVICE
    }
    members = nodes.of_groups(list(scaling))
    present = {node.name: node for node in members if node.instance in instances}
    if members and not present:
        raise ShrinkRefused(
            f"None of the nodes {', '.join(node.name for node in members[:3])} is a machine of {cluster}: "
            "the kubeconfig is that of another cluster; name its context with --context."
        )
    pods = nodes.pods(present.values())
    machines = [node.machine(pods[node.name]) for node in present.values()]
    choice = departing(
        machines, number, kept({name: group.bounds for name, group in scaling.items()}, number)
    )
    return [present[machine.name] for machine in choice]


@contextmanager
def _refusals() -> Iterator[None]:
    """What keeps machines from going is one sentence on stderr, exit status 1."""
    from kubernetes.client import ApiException
    from kubernetes.config import ConfigException
    from urllib3.exceptions import HTTPError

    from doctor.account import NoAnswer
    from doctor.credentials import CredentialsError

    try:
        yield
    except (
        ShrinkRefused,
        DepartureRefused,
        CredentialsError,
        ForwardingForbidden,
        ConfigException,
        InvalidDay,
    ) as error:
        typer.echo(error, err=True)
    except NoAnswer as error:
        typer.echo(f"{error.reason}. What is cordoned stays so; run this again to go on.", err=True)
    except ApiException as error:
        typer.echo(f"The API server answers {error.status} {error.reason}: check your permissions.", err=True)
    except HTTPError as error:
        typer.echo(f"The API server cannot be reached ({error}); run this again to go on.", err=True)
    else:
        return
    raise typer.Exit(1)


def _say(machine: str, state: str, waits: Sequence[str]) -> None:
    print(f"{machine} {state}{': ' if waits else ''}{_excerpt(waits)}", flush=True)


def _excerpt(waits: Sequence[str]) -> str:
    more = f" and {len(waits) - 3} more" if len(waits) > 3 else ""
    return f"{', '.join(waits[:3])}{more}"


def _say_bounds(group: str, minimum: int, maximum: int) -> None:
    print(f"{group} may have from {minimum} to {maximum} machines", flush=True)


def _say_follow_up(follow: FollowUp) -> None:
    print(follow.sentence, flush=True)


def _say_bounds_json(group: str, minimum: int, maximum: int) -> None:
    print(json.dumps({"group": group, "minimum": minimum, "maximum": maximum}), flush=True)


def _say_follow_up_json(follow: FollowUp) -> None:
    print(json.dumps({"settings": dict(follow.settings), "message": follow.sentence}), flush=True)


def _say_json(machine: str, state: str, waits: Sequence[str]) -> None:
    document: dict[str, Any] = {"machine": machine, "state": state, "waits": list(waits)}
    print(json.dumps(document), flush=True)
