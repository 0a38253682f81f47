"""YuniKorn's queues and the priorities of jobs: what is critical runs, and nothing starves."""

from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from moka.names import ALLOW_PREEMPTION, priority_class, tier_queue
from moka.quantities import millicores
from policies.pack.objects import where
from policies.pack.resource import YAML_LOADER, Resource, at, mapping, member, sequence, text
from policies.pack.rule import Parameters, Subject, Violations
from policies.pack.types import CONFIG_MAP, PRIORITY_CLASS

QUEUES = Subject("queues", "Queues and priorities: what is critical runs, and nothing starves")

QUEUE_GUIDE = "https://yunikorn.apache.org/docs/user_guide/queue_config"
PREEMPTION_GUIDE = "https://yunikorn.apache.org/docs/design/preemption"
DECISION = "docs/decisions/0011-queues.md"

Queue = Mapping[str, Any]


def leaves_of(config_map: Resource) -> Iterator[tuple[str, Queue]]:
    """Path and definition of each leaf queue."""
    for path, queue in queues_of(config_map):
        if not sequence(queue.get("queues")) and queue.get("parent") is not True:
            yield path, queue


def queues_of(config_map: Resource) -> Iterator[tuple[str, Queue]]:
    """Path and definition of each queue; none where the queues are not known, or are no queues."""
    try:
        document = _document(config_map)
    except (ValueError, yaml.YAMLError):
        return
    for partition in sequence(mapping(document).get("partitions")):
        yield from _below("", at(partition, "queues"), MAX_DEPTH)


def _document(config_map: Resource) -> Any:
    """What `queues.yaml` of a ConfigMap says; None where there is none. Raises YAMLError or ValueError."""
    content = text(member(config_map.get("data"), "queues.yaml"))
    return yaml.load(content, Loader=YAML_LOADER) if content else None


MAX_DEPTH = 20
"""Of queues in queues: YAML may have a queue within itself."""


def _below(parent: str, queues: Any, depth: int) -> Iterator[tuple[str, Queue]]:
    for queue in map(mapping, sequence(queues) if depth else ()):
        path = f"{parent}.{queue.get('name')}" if parent else str(queue.get("name"))
        yield path, queue
        yield from _below(path, queue.get("queues"), depth - 1)


def is_critical(path: str) -> bool:
    """Whether a leaf queue is of tier 1."""
    return path.rpartition(".")[2] == tier_queue(1)


@QUEUES.rule(
    "queues-readable",
    CONFIG_MAP,
    severity="critical",
    why="YuniKorn keeps its last queues, and says so in its log only.",
    references=(QUEUE_GUIDE,),
)
def queues_readable(config_map: Resource, _: Parameters) -> Violations:
    """The queues of YuniKorn are YAML that it reads."""
    try:
        document = _document(config_map)
    except (ValueError, yaml.YAMLError) as error:
        reason = " ".join(str(error).split()).rstrip(".")
        yield f"The queues.yaml of {where(config_map)} is not YAML ({reason}): correct it."
        return
    if document is not None and not sequence(mapping(document).get("partitions")):
        yield f"The queues.yaml of {where(config_map)} has no partitions: list them, `default` first."


@QUEUES.rule(
    "tier-1-not-preempted",
    CONFIG_MAP,
    severity="critical",
    why=(
        "The most critical jobs would be ended for others; YuniKorn's annotation only makes them the "
        "last choice."
    ),
    references=(PREEMPTION_GUIDE, DECISION),
)
def tier_1_not_preempted(config_map: Resource, _: Parameters) -> Violations:
    """Nothing preempts jobs of tier 1."""
    for path, queue in leaves_of(config_map):
        policy = member(queue.get("properties"), "preemption.policy")
        if is_critical(path) and policy != "disabled":
            yield (
                f"Jobs in {path} of {where(config_map)} can be preempted: set its property "
                "preemption.policy to disabled."
            )


@QUEUES.rule(
    "tier-1-guaranteed",
    CONFIG_MAP,
    severity="high",
    why=(
        "Without a guarantee, a critical job waits for whatever else is running; what a queue above is "
        "guaranteed, tiers 2 and 3 in it have as well, and keep."
    ),
    references=(QUEUE_GUIDE, DECISION),
)
def tier_1_guaranteed(config_map: Resource, _: Parameters) -> Violations:
    """Queues of tier 1 are guaranteed what they need, by an amount of their own."""
    for path, queue in leaves_of(config_map):
        guarantee = mapping(at(queue, "resources.guaranteed"))
        if is_critical(path) and not any(_positive(amount) for amount in guarantee.values()):
            yield (
                f"Queue {path} of {where(config_map)} is guaranteed nothing itself: give it an amount, or a "
                "weight in the settings."
            )


@QUEUES.rule(
    "queue-bounded",
    CONFIG_MAP,
    severity="medium",
    why="One queue takes the whole cluster, and keeps it until its jobs end.",
    references=(QUEUE_GUIDE, DECISION),
)
def queue_bounded(config_map: Resource, _: Parameters) -> Violations:
    """Every leaf queue has a maximum, its own or of a queue above it."""
    bounded_paths = [path for path, queue in queues_of(config_map) if mapping(at(queue, "resources.max"))]
    for path, _queue in leaves_of(config_map):
        if not any(path == above or path.startswith(f"{above}.") for above in bounded_paths):
            yield (
                f"Queue {path} of {where(config_map)} may take the whole cluster: give it, or one above "
                "it, a maximum."
            )


@QUEUES.rule(
    "queue-not-starved",
    CONFIG_MAP,
    severity="high",
    why="A queue that may hold nothing takes jobs, and never runs one.",
    references=(QUEUE_GUIDE,),
)
def queue_not_starved(config_map: Resource, _: Parameters) -> Violations:
    """No queue's maximum is nothing, or less than it is guaranteed."""
    for path, queue in queues_of(config_map):
        queue_name = f"Queue {path} of {where(config_map)}"
        most, guarantee = (mapping(at(queue, f"resources.{bound}")) for bound in ("max", "guaranteed"))
        for name, amount in most.items():
            # Of GPUs and the like, none is an amount as any other.
            if name in NEEDED and not _positive(amount):
                yield f"{queue_name} may hold no {name}: raise its maximum, or remove the queue."
            elif _number(guarantee.get(name)) > _number(amount):
                yield f"{queue_name} may hold less {name} than it is guaranteed: raise its maximum."
        if queue.get("maxapplications") == 0:
            yield f"{queue_name} may run no application: raise maxapplications."


NEEDED = ("memory", "vcore")
"""What every pod takes."""


def _positive(amount: object) -> bool:
    return _number(amount) > 0


def _number(amount: object) -> float:
    """Thousandths of an amount, of cores, bytes or anything else; 0 for what is none."""
    try:
        return float(millicores(str(amount)))
    except ValueError:
        return 0.0


@QUEUES.rule(
    "tier-1-priority",
    PRIORITY_CLASS,
    severity="high",
    why=(
        "YuniKorn takes pods whose class allows it first, and those of a lower class before those of a "
        "higher."
    ),
    references=(PREEMPTION_GUIDE, DECISION),
)
def tier_1_priority(priority: Resource, _: Parameters) -> Violations:
    """The priority class of tier 1 lets nobody preempt its pods."""
    if priority.object_name != priority_class(1):
        return
    # Without the annotation, YuniKorn takes `true`: YUNIKORN-1463.
    if member(priority.get("metadata.annotations"), ALLOW_PREEMPTION, "true") == "true":
        yield f"Pods of {where(priority)} can be preempted: annotate {ALLOW_PREEMPTION}: 'false'."


@QUEUES.rule(
    "guarantees-taken-back",
    PRIORITY_CLASS,
    severity="medium",
    why="YuniKorn takes back what a queue is guaranteed only for pods whose class may preempt others.",
    references=(PREEMPTION_GUIDE, DECISION),
)
def guarantees_taken_back(priority: Resource, _: Parameters) -> Violations:
    """The priority class of each tier may preempt others."""
    tiers = {priority_class(tier) for tier in (1, 2, 3)}
    if priority.object_name in tiers and priority.get("preemptionPolicy") == "Never":
        yield f"Pods of {where(priority)} wait for others: set preemptionPolicy to PreemptLowerPriority."


@QUEUES.rule(
    "priority-below-system",
    PRIORITY_CLASS,
    severity="high",
    why="Jobs at the system's priorities push network and storage off their nodes.",
    references=("https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/",),
    at_most=1_000_000,
)
def priority_below_system(priority: Resource, parameters: Parameters) -> Violations:
    """Jobs come after what the platform needs to run."""
    value = priority.get("value", 0)
    if isinstance(value, int | float) and value > parameters["at_most"]:
        yield f"{where(priority)} is at {value}: stay at {parameters['at_most']} or below."


@QUEUES.rule(
    "priority-not-default",
    PRIORITY_CLASS,
    severity="medium",
    why="Every pod that names no class gets it, those of the platform as well.",
    references=("https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/",),
)
def priority_not_default(priority: Resource, _: Parameters) -> Violations:
    """No priority class of jobs is everybody's."""
    if priority.get("globalDefault", False) is True:
        yield f"{where(priority)} is everybody's: take globalDefault out."
