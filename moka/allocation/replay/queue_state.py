"""What queues of a cluster have and wait for, while runs are replayed."""

from bisect import insort
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from moka.allocation.fleet import HOURS, Amounts
from moka.allocation.replay.runs import Run
from moka.quantities import MIB
from moka.queues.tiers import Policy

ENDLESS = 1 << 62
"""Of what has no maximum."""


@dataclass(slots=True, eq=False)
class Application:
    """A run in the scheduler.

    order: by which those of a queue are tried. have: pods that it has. since: when it got the latest.
    work: milliseconds of one pod that are left. began: when it first had all of its pods; None before that.
    counted: when `work` was last right. version: of what is known of its end, which changes with its pods.
    """

    run: Run
    order: tuple[int, int]
    have: int = 0
    since: int = 0
    work: int = 0
    counted: int = 0
    began: int | None = None
    waiting_since: int = 0
    version: int = 0
    started: int | None = None
    finished: int | None = None
    lost: int = 0

    @property
    def lacks(self) -> int:
        """Pods that it waits for."""
        return self.run.pods - self.have

    def __lt__(self, other: "Application") -> bool:
        return self.order < other.order


@dataclass(slots=True, eq=False)
class Leaf:
    """A leaf queue.

    waiting: its applications that wait for pods, in the order in which they are tried.
    running: those that have a pod, the one that got a pod last at the end. partial: of those, how many wait
    for more.
    sizes: how many pods of which cores and memory it waits for. number: in the order in which leaves came.
    """

    path: str
    tier: int
    policy: Policy
    hours: Sequence[Amounts]
    cpu: int = 0
    memory: int = 0
    guaranteed_cpu: int = 0
    guaranteed_memory: int = 0
    maximum_cpu: int = ENDLESS
    maximum_memory: int = ENDLESS
    applications: int = ENDLESS
    waiting: list[Application] = field(default_factory=list)
    running: dict[Application, None] = field(default_factory=dict)
    partial: int = 0
    sizes: dict[tuple[int, int], int] = field(default_factory=dict)
    checked: int | None = None
    number: int = 0

    def at(self, hour: int) -> None:
        """Have the amounts of an hour of the day."""
        if not self.hours:
            return
        amounts = self.hours[hour % HOURS]
        self.guaranteed_cpu = amounts.guaranteed.cpu or 0
        self.guaranteed_memory = (amounts.guaranteed.memory or 0) // MIB
        maximum = amounts.maximum
        self.maximum_cpu = ENDLESS if maximum is None or maximum.cpu is None else maximum.cpu
        self.maximum_memory = ENDLESS if maximum is None or maximum.memory is None else maximum.memory // MIB
        self.applications = amounts.max_applications

    def wait(self, application: Application) -> None:
        """Have an application wait for the pods that it lacks."""
        insort(self.waiting, application)
        size = application.run.cpu, application.run.memory
        self.sizes[size] = self.sizes.get(size, 0) + application.lacks
        if application.have:
            self.partial += 1

    def give(self, application: Application, pods: int, now: int) -> None:
        """Give a waiting application pods."""
        run = application.run
        if application.have:
            self.partial -= 1
        application.have += pods
        application.since = now
        self.cpu += run.cpu * pods
        self.memory += run.memory * pods
        self.running.pop(application, None)
        self.running[application] = None
        self._count(run, -pods)
        if application.lacks:
            self.partial += 1
        else:
            self.waiting.remove(application)

    def take(self, application: Application, pods: int) -> None:
        """Take pods of an application, which does not wait for any afterwards."""
        run = application.run
        if application.lacks:
            self.forget(application)
        application.have -= pods
        self.cpu -= run.cpu * pods
        self.memory -= run.memory * pods
        if not application.have:
            del self.running[application]

    def forget(self, application: Application) -> None:
        """Have an application wait no more."""
        self.waiting.remove(application)
        self._count(application.run, -application.lacks)
        if application.have:
            self.partial -= 1

    def next(self, free_cpu: int, free_memory: int) -> Application | None:
        """The first application a pod of which can be placed."""
        room_cpu = min(free_cpu, self.maximum_cpu - self.cpu)
        room_memory = min(free_memory, self.maximum_memory - self.memory)
        # Plain loops: this is asked for every pod.
        for cpu, memory in self.sizes:
            if cpu <= room_cpu and memory <= room_memory:
                break
        else:
            return None
        full = len(self.running) >= self.applications
        if full and not self.partial:
            return None
        for application in self.waiting:
            if full and not application.have:
                continue
            if application.run.cpu <= room_cpu and application.run.memory <= room_memory:
                return application
        return None

    def over(self) -> bool:
        """Whether it has more than it is guaranteed of anything."""
        return self.cpu > self.guaranteed_cpu or self.memory > self.guaranteed_memory

    def within(self, cpu: int, memory: int) -> bool:
        """Whether a pod more is within what it is guaranteed."""
        return self.cpu + cpu <= self.guaranteed_cpu and self.memory + memory <= self.guaranteed_memory

    def may_claim(self) -> bool:
        """Whether any pod that it waits for is within what it is guaranteed."""
        cpu, memory = self.guaranteed_cpu - self.cpu, self.guaranteed_memory - self.memory
        return any(size[0] <= cpu and size[1] <= memory for size in self.sizes)

    def victims(self) -> Iterator[Application]:
        """Its applications, the one that got a pod last first."""
        return reversed(self.running)

    def _count(self, run: Run, pods: int) -> None:
        size = run.cpu, run.memory
        self.sizes[size] += pods
        if not self.sizes[size]:
            del self.sizes[size]
