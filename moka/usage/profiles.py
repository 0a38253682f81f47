"""Profiles: the amounts that were in use over time, made of YuniKorn's events as they come.

A `Profiler` knows what runs, and no more: it gives out an interval when its amount changes or an hour is
full, so that what it gives out follows from the events only, and not from when it was asked. What it knows
is saved as a state (`state`, `resumed`), and goes on from the next event, by its id.

Events are followed by id, in `/ws/v1/events/batch`. The stream has no ids, is closed to a reader who is 1,000
events behind, and does not say what was lost (yunikorn-core v1.8.0, pkg/events/event_streaming.go). Whatever
cannot be known is a gap, with its reason:

- The scheduler started anew (`InstanceUUID`): what it had since the last event that was read is lost. Its own
  events, from id 0, tell of every pod that it found.
- The ring of events (500,000 by charts-values/yunikorn.yaml) was faster than the reader: what runs is then
  read from `/applications/active` (`seed`), and events go on after the last id before that.

YuniKorn itself drops events, and says so only in its metric of events that were not channeled, once 100,000
of them wait (event_system.go: AddEvent). An allocation whose end was dropped is forgotten with its
application.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from moka.usage.events import Amount, Event, UnreadableEvent, amount, event
from moka.usage.meter import ApplicationUsage, Meter
from moka.usage.records import HOUR, Gap, Interval

NANOS = 1_000_000
"""In a millisecond."""

CLOCK_SLACK = 10_000
"""Milliseconds by which an event may be older than one before it: its time is taken before it waits."""

ANSWER = 10_000
"""Events of an answer at most. From a ring that has run full YuniKorn adds others to them, of any ids, where
the ring ends further away than an answer is long: `pos + count - capacity` is of numbers without a sign
(yunikorn-core v1.8.0, pkg/events/event_ringbuffer.go: getEventsFromID)."""

PENDING = 100_000
"""Allocations whose node was told, and whose application was not: those of other schedulers never are."""

STATE = 2
"""Version of what a state has in it."""

READABLE_STATES = (1, STATE)


class ProfileBatch(NamedTuple):
    """What a Profiler gave out.

    says: what is wrong with what it was told, a sentence each.
    usages: of applications that are gone.
    """

    intervals: list[Interval]
    gaps: list[Gap]
    says: list[str]
    usages: list[ApplicationUsage]


NOTHING = Amount(0, 0, 0)


class InvalidState(ValueError):
    """A state that no Profiler saved; the message is a sentence."""


class _Slot:
    """What a workflow has in a queue on machines of a type, since when."""

    __slots__ = ("allocations", "applications", "cpu", "gpu", "key", "memory", "since")

    def __init__(self, key: tuple[str, str, str], since: int) -> None:
        self.key, self.since = key, since
        self.cpu = self.memory = self.gpu = self.applications = self.allocations = 0


class _Application:
    """An application with its allocations, each with the type of its machine.

    workflow: asked for once, with its first allocation; None before.
    replaced: type of the machine of the placeholder that was replaced last.
    counted: type of machine on which the application counts.
    """

    __slots__ = ("allocations", "counted", "queue", "replaced", "workflow")

    def __init__(self, queue: str, workflow: str | None = None) -> None:
        self.queue, self.workflow = queue, workflow
        self.replaced = self.counted = ""
        self.allocations: dict[str, tuple[Amount, str]] = {}


class Profiler:
    """Makes intervals of the events of one cluster's scheduler.

    cluster: name in the settings.
    workflow_of: the workflow of an application by YuniKorn's id; empty where it is of none.
    instance_type_of: the type of a node; empty where nobody knows.
    """

    def __init__(
        self,
        cluster: str,
        workflow_of: Callable[[str], str] = lambda application: "",
        instance_type_of: Callable[[str], str] = lambda node: "",
    ) -> None:
        self.cluster = cluster
        self.next_id: int = 0
        """The event to ask for."""
        self.needs_seed: bool = False
        """Whether events say nothing until what runs is known."""
        self._workflow_of = workflow_of
        self._instance_type_of = instance_type_of
        self._instance = ""
        self._applications: dict[str, _Application] = {}
        self._nodes: dict[str, str] = {}
        self._slots: dict[tuple[str, str, str], _Slot] = {}
        self._now = 0
        self._clock = 0
        self._gap: tuple[int, str] | None = None
        self._meter = Meter()
        self._out = ProfileBatch([], [], [], [])

    @property
    def given_out(self) -> int:
        """Intervals that are to be taken."""
        return len(self._out.intervals)

    @property
    def running_allocations(self) -> int:
        """Allocations that it knows."""
        return sum(slot.allocations for slot in self._slots.values())

    def batch(self, answer: Mapping[str, Any]) -> None:
        """Take an answer of `/ws/v1/events/batch?start=<next_id>&count=<ANSWER>`."""
        instance, lowest = str(answer["InstanceUUID"]), int(answer["LowestID"])
        if instance != self._instance:
            if self._instance:
                self.lose("The scheduler started anew.")
            # The events in this answer may be later ones: they were asked for by the id of another instance.
            asked_from_start = self.next_id == 0
            self._instance, self.next_id, self.needs_seed = instance, lowest, lowest > 0
            if not asked_from_start or self.needs_seed:
                return
        elif lowest > self.next_id:
            self.lose(f"{lowest - self.next_id} events were overwritten before they were read.")
            self.next_id, self.needs_seed = lowest, True
            return
        for record in (answer["EventRecords"] or ())[:ANSWER]:
            self.next_id += 1
            if not self.needs_seed:
                try:
                    if (change := event(record)) is not None:
                        self.change(change)
                except UnreadableEvent as error:
                    self._out.says.append(f"{self.cluster}: event {self.next_id - 1} {error}.")

    def seed(self, applications: Iterable[Mapping[str, Any]], next_id: int, at: int) -> None:
        """Take what runs from `/ws/v1/partition/default/applications/active`.

        next_id: after the last event that there was before this was asked for. at: milliseconds since 1970.
        """
        self._tick(at)
        self.next_id, self.needs_seed = max(next_id, self.next_id), False
        for answer in applications:
            name = str(answer["applicationID"])
            self._add_application(name, str(answer["queueName"]))
            for allocation in answer.get("allocations") or ():
                resources, node = amount(allocation.get("resource") or {}), str(allocation.get("nodeId", ""))
                self._add(name, str(allocation["allocationKey"]), resources, node)

    def change(self, change: Event) -> None:
        """Take a change."""
        self._tick(change.at // NANOS)
        match change.what:
            case "node":
                self._nodes[change.allocation] = change.node
                if len(self._nodes) > PENDING:
                    del self._nodes[next(iter(self._nodes))]
            case "allocation":
                node = self._nodes.pop(change.allocation, "")
                self._add(change.application, change.allocation, change.amount, node)
            case "allocation gone":
                self._remove(change.application, change.allocation, change.replaced)
                self._meter.end(change.application, change.allocation, change.kind, self._now)
            case "application":
                self._add_application(change.application, change.queue)
            case "application gone":
                self._remove_application(change.application)
                self._meter.gone(change.application, self._now)

    def advance(self, at: int) -> None:
        """Give out what is in use up to the last full hour before a time: nothing has to change for it."""
        hour = at - at % HOUR
        for slot in self._slots.values():
            self._give_out(slot, hour)
        # What is lost after it is lost from then on, and not from the last event on.
        self._now = max(self._now, hour)
        self._meter.settle(self._now)

    def lose(self, reason: str) -> None:
        """Give out what is known, and know nothing from the last event on, for a reason."""
        for slot in self._slots.values():
            self._give_out(slot, self._now)
        self._slots.clear()
        self._applications.clear()
        self._nodes.clear()
        self._meter.lose(self._now)
        if self._gap is None:
            self._gap = self._now, reason

    def take(self) -> ProfileBatch:
        """What has been given out since it was last taken."""
        self._out.usages.extend(self._meter.take())
        out, self._out = self._out, ProfileBatch([], [], [], [])
        return out

    def state(self) -> dict[str, Any]:
        """What to go on from, as JSON; what was given out until then is taken, and kept, before it is."""
        return {
            "version": STATE,
            "cluster": self.cluster,
            "instance": self._instance,
            "next_id": self.next_id,
            "needs_seed": self.needs_seed,
            "now": self._now,
            "clock": self._clock,
            "gap": self._gap,
            "applications": {
                name: [
                    application.queue,
                    application.workflow,
                    application.replaced,
                    application.counted,
                    application.allocations,
                ]
                for name, application in self._applications.items()
            },
            "nodes": self._nodes,
            "slots": [[*slot.key, slot.since] for slot in self._slots.values()],
            "meter": self._meter.state(),
        }

    @classmethod
    def resumed(
        cls,
        state: Mapping[str, Any],
        workflow_of: Callable[[str], str] = lambda application: "",
        instance_type_of: Callable[[str], str] = lambda node: "",
    ) -> "Profiler":
        """One that goes on from a state. Raises InvalidState."""
        try:
            if state["version"] not in READABLE_STATES:
                readable = " and ".join(map(str, READABLE_STATES))
                raise InvalidState(
                    f"The state is of version {state['version']}, but only {readable} can be read."
                )
            profiler = cls(state["cluster"], workflow_of, instance_type_of)
            profiler._instance, profiler.next_id = state["instance"], int(state["next_id"])
            profiler.needs_seed = bool(state["needs_seed"])
            profiler._now, profiler._clock = int(state["now"]), int(state["clock"])
            profiler._gap = (int(state["gap"][0]), str(state["gap"][1])) if state["gap"] else None
            profiler._nodes = {str(key): str(node) for key, node in state["nodes"].items()}
            for name, (queue, workflow, replaced, counted, allocations) in state["applications"].items():
                application = profiler._applications[name] = _Application(queue, workflow)
                for key, (resources, instance_type) in allocations.items():
                    profiler._hold(application, key, Amount(*resources), instance_type)
                application.replaced = replaced
                profiler._count_on(application, counted)
            since = {(queue, workflow, kind): int(at) for queue, workflow, kind, at in state["slots"]}
            for slot in profiler._slots.values():
                slot.since = since[slot.key]
            if state["version"] == 1:
                # It did not say what applications used: what they have counts from now on.
                profiler._meter_what_runs()
            else:
                profiler._meter = Meter.resumed(state["meter"])
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            if isinstance(error, InvalidState):
                raise
            raise InvalidState(
                f"This is no state of a profiler: {type(error).__name__} at {error}."
            ) from None
        return profiler

    def _tick(self, at: int) -> None:
        """Time goes on to that of an event, and never back: what is given out would be given out twice."""
        if at < self._clock - CLOCK_SLACK:
            seconds = (self._clock - at) / 1000
            sentence = (
                f"The scheduler's clock went back by {seconds:.0f} s: until it has made up, no time passes."
            )
            self._out.gaps.append(Gap(cluster=self.cluster, began=self._now, ended=self._now, says=sentence))
        self._clock = at
        self._now = max(self._now, at)
        if self._gap is not None:
            began, sentence = self._gap
            # Nothing is known before the first event that there ever was.
            if began:
                self._out.gaps.append(Gap(cluster=self.cluster, began=began, ended=self._now, says=sentence))
            self._gap = None

    def _add_application(self, name: str, queue: str) -> None:
        application = self._applications.get(name)
        if application is not None and application.queue == queue:
            return
        if application is not None:
            self._remove_application(name)
        self._applications[name] = _Application(queue)

    def _remove_application(self, name: str) -> None:
        if (application := self._applications.pop(name, None)) is None or not application.allocations:
            return
        self._out.says.append(
            f"{self.cluster}: {name} is gone, but the end of {len(application.allocations)} of its "
            "allocations was never told: they are taken to have ended with it."
        )
        for key in list(application.allocations):
            self._let_go(application, key)

    def _add(self, name: str, key: str, resources: Amount, node: str) -> None:
        if name not in self._applications:
            self._out.says.append(f"{self.cluster}: {name} has an allocation, but no queue was told of it.")
            self._add_application(name, "")
        application = self._applications[name]
        if application.workflow is None:
            application.workflow = self._workflow_of(name)
        if key not in application.allocations:
            instance_type = self._instance_type_of(node) if node else application.replaced
            self._hold(application, key, resources, instance_type)
            self._meter.begin(name, key, resources, instance_type, self._now)

    def _meter_what_runs(self) -> None:
        for name, application in self._applications.items():
            for key, (resources, instance_type) in application.allocations.items():
                self._meter.begin(name, key, resources, instance_type, self._now)

    def _remove(self, name: str, key: str, replaced: bool) -> None:
        application = self._applications.get(name)
        if application is not None and key in application.allocations:
            instance_type = self._let_go(application, key)
            if replaced:
                application.replaced = instance_type

    def _hold(self, application: _Application, key: str, resources: Amount, instance_type: str) -> None:
        application.allocations[key] = resources, instance_type
        self._change(application, instance_type, resources, 1)
        if len(application.allocations) == 1:
            application.counted = instance_type
            self._change(application, instance_type, NOTHING, 0, 1)

    def _let_go(self, application: _Application, key: str) -> str:
        resources, instance_type = application.allocations.pop(key)
        self._change(application, instance_type, resources, -1)
        if not application.allocations:
            self._change(application, application.counted, NOTHING, 0, -1)
        return instance_type

    def _count_on(self, application: _Application, instance_type: str) -> None:
        """Count an application that has allocations on another type of machine than that of its first one."""
        if application.allocations and application.counted != instance_type:
            self._change(application, application.counted, NOTHING, 0, -1)
            self._change(application, instance_type, NOTHING, 0, 1)
        application.counted = instance_type

    def _change(
        self,
        application: _Application,
        instance_type: str,
        resources: Amount,
        sign: int,
        applications: int = 0,
    ) -> None:
        """Count an allocation that came (1) or went (-1), or an application."""
        key = application.queue, application.workflow or "", instance_type
        slot = self._slots.get(key)
        if slot is None:
            slot = self._slots[key] = _Slot(key, since=self._now)
        self._give_out(slot, self._now)
        slot.cpu += sign * resources.cpu
        slot.memory += sign * resources.memory
        slot.gpu += sign * resources.gpu
        slot.allocations += sign
        slot.applications += applications
        if not slot.allocations and not slot.applications:
            del self._slots[key]

    def _give_out(self, slot: _Slot, until: int) -> None:
        """Give out what a slot had until a time, cut at full hours."""
        queue, workflow, instance_type = slot.key
        while slot.since < until:
            ended = min(until, slot.since - slot.since % HOUR + HOUR)
            self._out.intervals.append(
                Interval(
                    cluster=self.cluster,
                    queue=queue,
                    workflow=workflow,
                    instance_type=instance_type,
                    began=slot.since,
                    ended=ended,
                    cpu=slot.cpu,
                    memory=slot.memory,
                    gpu=slot.gpu,
                    applications=slot.applications,
                    allocations=slot.allocations,
                )
            )
            slot.since = ended
