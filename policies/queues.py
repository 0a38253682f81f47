"""YuniKorn's queues and the priorities of jobs: what is critical runs, and nothing starves."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import yaml

from moka.names import ALLOW_PREEMPTION, priority_class, tier_queue
from policies.pack.resource import Resource, mapping, sequence, text
from policies.pack.rule import Parameters, Subject, Violations
from policies.pack.types import CONFIG_MAP, PRIORITY_CLASS

QUEUES = Subject("queues", "Queues and priorities: what is critical runs, and nothing starves")

QUEUE_GUIDE = "https://yunikorn.apache.org/docs/user_guide/queue_config"
PREEMPTION_GUIDE = "https://yunikorn.apache.org/docs/design/preemption"
DECISION = "docs/decisions/0011-queues.md"

Queue = Mapping[str, Any]


def leaves_of(config_map: Resource) -> Iterator[tuple[str, Queue]]:
    """Path and definition of each leaf queue; none where the queues are not known, or are no queues."""
    for path, queue in queues_of(config_map):
        if not sequence(queue.get("queues")) and queue.get("parent") is not True:
            yield path, queue


def queues_of(config_map: Resource) -> Iterator[tuple[str, Queue]]:
    """Path and definition of each queue."""
    content = text(mapping(config_map.get("data")).get("queues.yaml"))
    try:
        document = yaml.load(content, Loader=_LOADER) if content else {}
    except yaml.YAMLError:
        return
    for partition in sequence(mapping(document).get("partitions")):
        yield from _below("", sequence(mapping(partition).get("queues")))


_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _below(parent: str, queues: Sequence[Any]) -> Iterator[tuple[str, Queue]]:
    for queue in map(mapping, queues):
        path = f"{parent}.{queue.get('name')}" if parent else str(queue.get("name"))
        yield path, queue
        yield from _below(path, sequence(queue.get("queues")))


def _is_critical(path: str) -> bool:
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
    content = text(mapping(config_map.get("data")).get("queues.yaml"))
    try:
        document = yaml.load(content, Loader=_LOADER) if content else {"partitions": []}
    except yaml.YAMLError as error:
        yield (
            f"queues.yaml of {config_map.object_name} is not YAML ({' '.join(str(error).split())}): "
            "correct it."
        )
        return
    if "partitions" not in mapping(document):
        yield (
            f"queues.yaml of {config_map.object_name} has no partitions: write it like charts-values' "
            "example."
        )


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
        policy = mapping(queue.get("properties")).get("preemption.policy")
        if _is_critical(path) and policy != "disabled":
            yield f"Jobs in {path} can be preempted: set its property preemption.policy to disabled."


@QUEUES.rule(
    "tier-1-guaranteed",
    CONFIG_MAP,
    severity="high",
    why="Without a guarantee, a critical job waits for whatever else is running.",
    references=(QUEUE_GUIDE, DECISION),
)
def tier_1_guaranteed(config_map: Resource, _: Parameters) -> Violations:
    """Queues of tier 1 are guaranteed what they need."""
    for path, queue in leaves_of(config_map):
        guaranteed = mapping(mapping(queue.get("resources")).get("guaranteed"))
        if _is_critical(path) and not any(_positive(amount) for amount in guaranteed.values()):
            yield f"{path} is guaranteed nothing: give it a guaranteed amount, or a weight."


@QUEUES.rule(
    "queue-bounded",
    CONFIG_MAP,
    severity="medium",
    why="One queue takes the whole cluster, and keeps it until its jobs end.",
    references=(QUEUE_GUIDE, DECISION),
)
def queue_bounded(config_map: Resource, _: Parameters) -> Violations:
    """Every leaf queue has a maximum, its own or of a queue above it."""
    bounded = [
        path for path, queue in queues_of(config_map) if mapping(mapping(queue.get("resources")).get("max"))
    ]
    for path, _queue in leaves_of(config_map):
        if not any(path == above or path.startswith(f"{above}.") for above in bounded):
            yield f"{path} may take the whole cluster: give it, or its organization, a maximum."


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
        resources = mapping(queue.get("resources"))
        for name, most in mapping(resources.get("max")).items():
            if not _positive(most):
                yield f"{path} may hold no {name}: raise its maximum, or remove the queue."
        if queue.get("maxapplications", 1) == 0:
            yield f"{path} may run no application: raise maxapplications."


def _positive(amount: object) -> bool:
    return str(amount).strip().rstrip("KMGTPEikmu") not in ("", "0", "0.0")


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
    """The priority class of tier 1 lets nobody preempt its pods, and may preempt others."""
    if priority.object_name != priority_class(1):
        return
    annotations = mapping(priority.get("metadata.annotations"))
    if text(annotations.get(ALLOW_PREEMPTION)) == "true":
        yield f"Pods of {priority.object_name} can be preempted: annotate {ALLOW_PREEMPTION}: 'false'."
    if priority.get("preemptionPolicy", "PreemptLowerPriority") == "Never":
        yield f"Pods of {priority.object_name} wait for others: set preemptionPolicy to PreemptLowerPriority."


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
        yield f"PriorityClass {priority.object_name} is at {value}: stay at {parameters['at_most']} or below."


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
        yield f"PriorityClass {priority.object_name} is everybody's: take globalDefault out."
