"""What an environment sets differently in a chart, and what of it must fit to the rest."""

import re
from collections.abc import Iterator

from moka.jobs.job import DynamicAllocation
from moka.mistakes import Mistake
from stacks.settings.environment import Environment

SCALE_IN = ("cluster-autoscaler", "extraArgs", "scale-down-unneeded-time")
"""Release and path of its value: how long nobody needs a node until Cluster Autoscaler takes it away."""

SECONDS = {"h": 3600, "m": 60, "s": 1}


def scale_in(settings: Environment) -> Iterator[Mistake]:
    """Nodes that would go before their executors do: the next stage of the same job waits for new ones."""
    said: object = settings.charts.values
    for key in SCALE_IN:
        said = said.get(key) if isinstance(said, dict) else None
    if said is None:
        return
    at = f"charts.values.{'.'.join(SCALE_IN)}"
    delay = seconds(said)
    if delay is None:
        yield Mistake(at, f"is {said!r}, which is no duration; write one such as 10m or 1h30m")
    elif delay <= (idle := idle_seconds()):
        yield Mistake(
            at,
            f"is {said}, and executors without work stay for {idle}s by default; take longer than that, or "
            "nodes go before their executors do",
        )


def idle_seconds() -> int:
    """Seconds that an executor without work stays, unless its job says otherwise."""
    return int(DynamicAllocation.model_fields["idle_seconds"].default)


def seconds(duration: object) -> float | None:
    """A duration as Go writes it, `1h30m`; None where it is none."""
    parts = re.findall(r"(\d+(?:\.\d+)?)(h|m|s)", str(duration))
    if not parts or "".join(number + unit for number, unit in parts) != duration:
        return None
    return sum(float(number) * SECONDS[unit] for number, unit in parts)
