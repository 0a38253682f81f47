"""What an environment sets differently in a chart, and what of it must fit to the rest."""

from collections.abc import Iterator

from moka.jobs.job import DynamicAllocation
from moka.mistakes import Mistake
from moka.quantities import duration_seconds
from stacks.settings.environment import Environment

AUTOSCALER, SCALE_DOWN_DELAY = "cluster-autoscaler", "extraArgs.scale-down-unneeded-time"
"""Release and path of its value: how long a node is unneeded before Cluster Autoscaler removes it."""

IDLE_SECONDS: int = DynamicAllocation.model_fields["idle_seconds"].default
"""Seconds that an executor without work stays, unless its job says otherwise."""


def value(settings: Environment, release: str, path: str) -> object:
    """A value that the settings override in a release, by its path with dots; None where they do not."""
    section: object = settings.charts.values.get(release)
    for key in path.split("."):
        section = section.get(key) if isinstance(section, dict) else None
    return section


def scale_down_delay(settings: Environment) -> Iterator[Mistake]:
    """Nodes that would go before their executors do: the next stage of the same job waits for new ones."""
    delay = value(settings, AUTOSCALER, SCALE_DOWN_DELAY)
    if delay is None:
        return
    at = f"charts.values.{AUTOSCALER}.{SCALE_DOWN_DELAY}"
    seconds = duration_seconds(str(delay))
    if seconds is None:
        yield Mistake(at, f"is {delay!r}, which is no duration; write one such as 10m or 1h30m")
    elif seconds <= IDLE_SECONDS:
        yield Mistake(
            at,
            f"is {delay}, but idle executors stay for {IDLE_SECONDS}s by default; choose a longer time, or "
            "nodes go before their executors do",
        )
