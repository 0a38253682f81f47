"""A cluster's scheduler, as YuniKorn 1.8 shares it out between the queues that we give it.

As read in apache/yunikorn-core v1.8.0, pkg/scheduler/objects:

- A pod is placed at a time, for the first queue that can: organizations, their projects and their tiers in
  the order of the highest tier that waits in them, and at the same tier of the part of the cluster that they
  have, since they are guaranteed nothing themselves (queue.go: TryAllocate; sorters.go:
  sortQueuesByPriorityAndFairness; resources.go: getFairShare). Within a tier, the application that was
  submitted first whose pod fits.
- No application begins while its queue has as many as it may have (queue.go: canRunApp).
- A pod that has waited as long as its tier does, and that is within what its queue is guaranteed, takes the
  place of pods of queues that have more than theirs: of its own tier and those below, of none whose tier is
  spared; those placed last go first, and of an application its driver last (preemption.go:
  CheckPreconditions, compareAllocationLess; queue.go: findEligiblePreemptionVictims). It is tried every 15 s.

What is simplified:

- A cluster is one large machine: whether a pod fits one of many is not looked at.
- A run is a gang: it begins when it has all of its pods, or after 15 minutes with those that it has
  (application.go: defaultPlaceholderTimeout; the Spark Operator asks for no other style than the default).
  With fewer pods it takes longer in proportion. Without any it starts from its beginning when it gets some.
- What is preempted is gone at once; placing takes no time; limits of users, and bounds of organizations and
  projects, are not there.
"""

from collections.abc import Iterable, Mapping, Sequence
from heapq import heappop, heappush
from typing import NamedTuple

from moka.allocation.fleet import FleetCluster, QueueHours
from moka.allocation.replay.queue_state import Application, Leaf
from moka.allocation.replay.runs import Run
from moka.quantities import MIB
from moka.queues.tiers import POLICIES, Policy, TierNumber
from moka.usage.queue_names import queue_names
from moka.usage.records import HOUR

SECOND = 1000
TRIED_EVERY = 15 * SECOND
GANG_WAITS = 900 * SECOND


class Outcome(NamedTuple):
    """What became of a run. started, finished: milliseconds since 1970, None where it never did. lost: pods
    that were preempted."""

    run: Run
    started: int | None
    finished: int | None
    lost: int


def replay(
    cluster: FleetCluster,
    queues: Iterable[QueueHours],
    runs: Iterable[Run],
    *,
    until: int,
    policies: Mapping[TierNumber, Policy] = POLICIES,
) -> list[Outcome]:
    """What becomes of runs on a cluster, in the order of their submission.

    queues: of any clusters; a queue that has none here is guaranteed nothing. until: milliseconds since 1970;
    what goes on then has no end.
    """
    scheduler = _Scheduler(cluster, queues, policies)
    return scheduler.play(sorted(runs, key=lambda run: run.submitted), until)


class _Project:
    """A queue with leaves below it. waits: by tier, how many of its leaves wait for pods."""

    __slots__ = ("cpu", "leaves", "memory")

    def __init__(self) -> None:
        self.cpu = self.memory = 0
        self.leaves: list[Leaf] = []


class _Organization:
    __slots__ = ("cpu", "memory", "projects")

    def __init__(self) -> None:
        self.cpu = self.memory = 0
        self.projects: dict[str, _Project] = {}


_Rank = tuple[int, float]
_Ranks = dict[_Organization | _Project, _Rank]
_Turn = tuple[_Rank, _Rank, int, int, Leaf]

_HOUR, _SUBMITTED, _ENDS, _GANG, _CLAIM = range(5)
"""What happens, those of a moment in this order."""


class _Scheduler:
    def __init__(
        self,
        cluster: FleetCluster,
        queues: Iterable[QueueHours],
        policies: Mapping[TierNumber, Policy],
    ) -> None:
        self.cluster = cluster
        self.hours = {queue.queue: queue.hours for queue in queues if queue.cluster == cluster.name}
        self.policies = policies
        self.organizations: dict[str, _Organization] = {}
        self.leaves: dict[str, Leaf] = {}
        self.waiting: dict[Leaf, int] = {}
        """Leaves that may wait for pods, each with its number."""
        self.parents: dict[Leaf, tuple[_Organization, _Project]] = {}
        self.free_cpu = self.free_memory = self.cpu = self.memory = 0
        self.events: list[tuple[int, int, int, object, int]] = []
        self.number = 0
        self.now = 0

    def play(self, runs: Sequence[Run], until: int) -> list[Outcome]:
        applications = [
            Application(run=run, order=(run.submitted, number), work=run.work)
            for number, run in enumerate(runs)
        ]
        if not applications:
            return []
        for path in self.hours:
            self._leaf(path)
        first = runs[0].submitted
        self._tell(first - first % HOUR, _HOUR, None)
        remainder, position = len(applications), 0
        while remainder:
            at = self.events[0][0] if self.events else until
            if position < len(applications):
                at = min(at, runs[position].submitted)
            if at >= until:
                break
            self.now = at
            while self.events and self.events[0][0] == at:
                _, kind, _, subject, version = heappop(self.events)
                remainder -= self._happen(kind, subject, version)
            while position < len(applications) and runs[position].submitted == at:
                self._submit(applications[position])
                position += 1
            self._schedule()
        return [
            Outcome(application.run, application.started, application.finished, application.lost)
            for application in applications
        ]

    def _tell(self, at: int, kind: int, subject: object, version: int = 0) -> None:
        self.number += 1
        heappush(self.events, (at, kind, self.number, subject, version))

    def _happen(self, kind: int, subject: object, version: int) -> int:
        """Have something happen; how many runs ended by it."""
        if kind == _HOUR:
            self._turn()
        elif isinstance(subject, Leaf):
            subject.checked = None
            self._claim(subject)
        elif isinstance(subject, Application) and subject.version == version and subject.finished is None:
            if kind == _ENDS:
                self._end(subject)
                return 1
            if subject.began is None and subject.have:
                self._begin(subject)
        return 0

    def _turn(self) -> None:
        """An hour begins."""
        hour = self.now // HOUR % 24
        capacity = self.cluster.capacity(hour)
        cpu, memory = capacity.cpu or 0, (capacity.memory or 0) // MIB
        self.free_cpu += cpu - self.cpu
        self.free_memory += memory - self.memory
        self.cpu, self.memory = cpu, memory
        for leaf in self.leaves.values():
            leaf.at(hour)
        self._tell(self.now + HOUR, _HOUR, None)

    def _leaf(self, path: str) -> Leaf:
        if path not in self.leaves:
            names = queue_names(path)
            tier: TierNumber = next(tier for tier in self.policies if tier == names.tier)
            leaf = Leaf(path=path, tier=tier, policy=self.policies[tier], hours=self.hours.get(path, ()))
            organization = self.organizations.setdefault(names.organization, _Organization())
            project = organization.projects.setdefault(names.project, _Project())
            project.leaves.append(leaf)
            project.leaves.sort(key=lambda leaf: leaf.tier)
            leaf.at(self.now // HOUR)
            leaf.number = len(self.leaves)
            self.leaves[path] = leaf
            self.parents[leaf] = organization, project
        return self.leaves[path]

    def _submit(self, application: Application) -> None:
        application.waiting_since = self.now
        self._wait(self._leaf(application.run.queue), application)

    def _wait(self, leaf: Leaf, application: Application) -> None:
        leaf.wait(application)
        self.waiting[leaf] = leaf.number

    def _give(self, leaf: Leaf, application: Application, pods: int) -> None:
        self._work(application)
        first = not application.have
        leaf.give(application, pods, self.now)
        self._use(leaf, application.run, pods)
        if application.began is not None or not application.lacks:
            self._begin(application)
        elif first:
            self._tell(self.now + GANG_WAITS, _GANG, application, application.version)

    def _take(self, leaf: Leaf, application: Application, pods: int) -> None:
        """Preempt pods, which the application asks for again."""
        self._work(application)
        leaf.take(application, pods)
        self._use(leaf, application.run, -pods)
        application.lost += pods
        application.waiting_since = self.now
        if not application.have:
            application.began, application.work = None, application.run.work
            application.version += 1
        elif application.began is not None:
            self._begin(application)
        self._wait(leaf, application)

    def _use(self, leaf: Leaf, run: Run, pods: int) -> None:
        cpu, memory = run.cpu * pods, run.memory * pods
        self.free_cpu -= cpu
        self.free_memory -= memory
        for parent in self.parents[leaf]:
            parent.cpu += cpu
            parent.memory += memory

    def _work(self, application: Application) -> None:
        """Count what it has done."""
        if application.began is not None:
            application.work -= (self.now - application.counted) * application.have
        application.counted = self.now

    def _begin(self, application: Application) -> None:
        """It works with the pods that it has from now on."""
        self._work(application)
        if application.began is None:
            application.began = self.now
            if application.started is None:
                application.started = self.now
        application.version += 1
        ends = self.now + -(-max(application.work, 0) // application.have)
        self._tell(ends, _ENDS, application, application.version)

    def _end(self, application: Application) -> None:
        leaf, pods = self._leaf(application.run.queue), application.have
        leaf.take(application, pods)
        self._use(leaf, application.run, -pods)
        application.finished = self.now

    def _schedule(self) -> None:
        """Place all pods that can be."""
        if not self.waiting:
            return
        self.waiting = {leaf: number for leaf, number in self.waiting.items() if leaf.sizes}
        waiting = sorted(self.waiting, key=self.waiting.__getitem__)
        if not waiting:
            return
        cpu = sum(size[0] * pods for leaf in waiting for size, pods in leaf.sizes.items())
        memory = sum(size[1] * pods for leaf in waiting for size, pods in leaf.sizes.items())
        if cpu <= self.free_cpu and memory <= self.free_memory:
            # All of it fits, in whatever order.
            for leaf in waiting:
                while (application := leaf.next(self.free_cpu, self.free_memory)) is not None:
                    self._give(leaf, application, self._fitting(leaf, application))
            return
        self._in_turns(waiting)
        for leaf in waiting:
            if leaf.checked is None and leaf.waiting and self._claimant(leaf) is not None:
                self._expect(leaf)

    def _fitting(self, leaf: Leaf, application: Application) -> int:
        """Pods of an application that fit, at least one."""
        run = application.run
        return min(
            application.lacks,
            *(
                room // size
                for room, size in (
                    (min(self.free_cpu, leaf.maximum_cpu - leaf.cpu), run.cpu),
                    (min(self.free_memory, leaf.maximum_memory - leaf.memory), run.memory),
                )
                if size
            ),
        )

    def _in_turns(self, waiting: Iterable[Leaf]) -> None:
        """Place pods one at a time, each for the queue whose turn it is."""
        open_leaves: dict[_Organization, list[Leaf]] = {}
        for leaf in waiting:
            if leaf.next(self.free_cpu, self.free_memory) is not None:
                open_leaves.setdefault(self.parents[leaf][0], []).append(leaf)
        if not open_leaves:
            return
        ranks = self._ranks(waiting)
        # Of each organization, the leaf whose turn it is: a pod changes what its own organization has only.
        turns = {parent: self._turn_of(leaves, ranks) for parent, leaves in open_leaves.items()}
        while turns:
            leaf = min(turns.values())[-1]
            organization, project = self.parents[leaf]
            application = leaf.next(self.free_cpu, self.free_memory)
            if application is not None:
                self._give(leaf, application, 1)
                ranks[organization] = ranks[organization][0], self._share(organization)
                ranks[project] = ranks[project][0], self._share(project)
            leaves = open_leaves[organization]
            if application is None or not leaf.sizes:
                leaves.remove(leaf)
            if application is not None and not leaf.sizes:
                ranks = self._ranks(waiting)
                turns = {parent: self._turn_of(some, ranks) for parent, some in open_leaves.items() if some}
            elif leaves:
                turns[organization] = self._turn_of(leaves, ranks)
            else:
                del turns[organization]

    def _turn_of(self, leaves: Iterable[Leaf], ranks: "_Ranks") -> "_Turn":
        """The leaf of an organization whose turn it is, after what puts it in order."""
        parents = self.parents
        return min(
            (ranks[parents[leaf][0]], ranks[parents[leaf][1]], leaf.tier, leaf.number, leaf)
            for leaf in leaves
        )

    def _ranks(self, waiting: Iterable[Leaf]) -> "_Ranks":
        """Of each queue with leaves below it, the highest tier that waits there, and what it has."""
        ranks: _Ranks = {}
        for leaf in waiting:
            if leaf.sizes:
                for parent in self.parents[leaf]:
                    rank = ranks.get(parent)
                    if rank is None or leaf.tier < rank[0]:
                        ranks[parent] = leaf.tier, self._share(parent)
        return ranks

    def _share(self, parent: "_Organization | _Project") -> float:
        """What a queue that is guaranteed nothing itself has of the cluster."""
        return max(parent.cpu / self.cpu, parent.memory / self.memory)

    def _claimant(self, leaf: Leaf) -> Application | None:
        """The first application of a queue that may take what the queue is guaranteed from others."""
        full = len(leaf.running) >= leaf.applications
        if (full and not leaf.partial) or not leaf.may_claim():
            return None
        return next(
            (
                application
                for application in leaf.waiting
                if leaf.within(application.run.cpu, application.run.memory)
                and not (full and not application.have)
            ),
            None,
        )

    def _expect(self, leaf: Leaf) -> None:
        """Have a queue claim what it is guaranteed, once its pods have waited long enough."""
        claimant = self._claimant(leaf)
        if claimant is not None:
            due = claimant.waiting_since + leaf.policy.delay_seconds * SECOND
            leaf.checked = max(due, self.now + 1)
            self._tell(leaf.checked, _CLAIM, leaf)

    def _claim(self, leaf: Leaf) -> None:
        """Take what a queue is guaranteed from those that have more than they are."""
        delay = leaf.policy.delay_seconds * SECOND
        while (claimant := self._claimant(leaf)) is not None:
            if self.now < claimant.waiting_since + delay or not self._room_for(leaf, claimant.run):
                break
            self._give(leaf, claimant, 1)
        if claimant is not None:
            leaf.checked = max(claimant.waiting_since + delay, self.now + TRIED_EVERY)
            self._tell(leaf.checked, _CLAIM, leaf)

    def _room_for(self, leaf: Leaf, run: Run) -> bool:
        """Make room for a pod, if that can be had from others."""
        if leaf.policy.preemption == "fence":
            return self.free_cpu >= run.cpu and self.free_memory >= run.memory
        victims: list[tuple[Leaf, Application]] = []
        others = [
            other
            for other in self.leaves.values()
            if other is not leaf
            and other.policy.preemption != "disabled"
            and other.policy.priority <= leaf.policy.priority
            and other.over()
        ]
        have_cpu, have_memory = self.free_cpu, self.free_memory
        candidates = sorted(
            (
                (application.have == 1, -application.since, application.order, other, application)
                for other in others
                for application in other.victims()
            ),
            key=lambda candidate: candidate[:3],
        )
        plan: dict[Application, int] = {}
        freed: dict[Leaf, list[int]] = {}
        for last_pods_too in (False, True):
            for _, _, _, other, application in candidates:
                victim = application.run
                lost = freed.setdefault(other, [0, 0])
                spare = application.have - plan.get(application, 0) - (0 if last_pods_too else 1)
                while (have_cpu < run.cpu or have_memory < run.memory) and spare > 0:
                    cpu, memory = other.cpu - lost[0] - victim.cpu, other.memory - lost[1] - victim.memory
                    if not (cpu >= other.guaranteed_cpu and memory >= other.guaranteed_memory):
                        break
                    lost[0] += victim.cpu
                    lost[1] += victim.memory
                    have_cpu += victim.cpu
                    have_memory += victim.memory
                    plan[application] = plan.get(application, 0) + 1
                    victims.append((other, application))
                    spare -= 1
        if have_cpu < run.cpu or have_memory < run.memory:
            return False
        for other, application in dict.fromkeys(victims):
            self._take(other, application, plan[application])
        return True
