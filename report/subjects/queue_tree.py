"""Queues as a preview has them: `queues.yaml` in ConfigMap `yunikorn-configs`, read back.

Format: https://yunikorn.apache.org/docs/user_guide/queue_config
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from moka.names import ROOT_QUEUE
from moka.quantities import memory_bytes, millicores
from moka.queues.rendering import YUNIKORN_NAMES
from previews import State
from previews.values import at, known, mapping, sequence, text

CONFIG_MAP = "kubernetes:core/v1:ConfigMap"
NAME, KEY = "yunikorn-configs", "queues.yaml"

READERS: Mapping[str, Callable[[str], int]] = {"cpu": millicores, "memory": memory_bytes, "gpu": int}

Amounts = Mapping[str, int]
"""Resource -> amount: thousandths of a core, bytes, GPUs."""


@dataclass(frozen=True, kw_only=True)
class QueueState:
    """A queue. jobs: that may run at a time; None without a bound of its own. rest: all else as it stands."""

    guaranteed: Amounts
    maximum: Amounts
    jobs: int | None
    leaf: bool
    rest: Mapping[str, Any] = field(default_factory=dict)


def queue_states(state: State | None) -> Mapping[str, QueueState] | None:
    """Path -> queue of a ConfigMap; None where it has no queues, or they are not known. Raises ValueError."""
    content = mapping(state.inputs.get("data")).get(KEY) if state else None
    if not isinstance(content, str) or not known(content):
        return None
    try:
        document = yaml.load(content, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        roots = document["partitions"][0]["queues"]
        return dict(_walk("", roots))
    except (yaml.YAMLError, TypeError, KeyError, IndexError, AttributeError) as error:
        raise ValueError(f"{KEY} of {NAME} is no configuration of YuniKorn: {error}") from None


def is_queues(state: State) -> bool:
    """Whether a ConfigMap is that of YuniKorn's queues."""
    return text(at(state.inputs, "metadata.name")) == NAME


def _walk(parent: str, queues: Any) -> Iterator[tuple[str, QueueState]]:
    for queue in sequence(queues):
        path = f"{parent}.{queue['name']}" if parent else str(queue["name"])
        children = sequence(queue.get("queues"))
        resources = mapping(queue.get("resources"))
        if path != ROOT_QUEUE:
            yield (
                path,
                QueueState(
                    guaranteed=_amounts(resources.get("guaranteed")),
                    maximum=_amounts(resources.get("max")),
                    jobs=queue.get("maxapplications"),
                    leaf=not children,
                    rest={key: queue[key] for key in ("properties", "limits", "submitacl") if key in queue},
                ),
            )
        yield from _walk(path, children)


def _amounts(value: Any) -> Amounts:
    amounts = mapping(value)
    return {name: READERS[name](str(amounts[key])) for name, key in YUNIKORN_NAMES.items() if key in amounts}
