"""What an environment sets differently in a chart, and what of it must fit to the rest."""

import math
from collections.abc import Iterator

from moka.jobs.job import DynamicAllocation
from moka.mistakes import Mistake
from moka.quantities import duration_seconds
from stacks.settings.environment import Environment
from stacks.settings.foundation import Foundation

AUTOSCALER, SCALE_DOWN_DELAY = "cluster-autoscaler", "extraArgs.scale-down-unneeded-time"
"""Release and path of its value: how long a node is unneeded before Cluster Autoscaler removes it."""

DOCKER_HUB_PULLS = 100
"""Images that an IPv4 address may pull in 6 hours without an account: https://docs.docker.com/docker-hub/usage/"""

IDLE_SECONDS: int = DynamicAllocation.model_fields["idle_seconds"].default
"""Seconds that an executor without work stays, unless its job says otherwise."""


def value(settings: Environment, release: str, path: str) -> object:
    """A value that the settings override in a release, by its path with dots; None where they do not."""
    section: object = settings.charts.values.get(release)
    for key in path.split("."):
        section = section.get(key) if isinstance(section, dict) else None
    return section


def tags(settings: Environment) -> Iterator[Mistake]:
    """Images of charts by a tag that is another image every day."""
    for release, values in settings.charts.values.items():
        for path, tag in _leaves(f"charts.values.{release}", values):
            is_tag = path.endswith((".tag", ".imageTag"))
            if (is_tag and tag == "latest") or (path.endswith(".image") and str(tag).endswith(":latest")):
                yield Mistake(path, f"is {tag!r}, another image every day; write the tag of a release")


def _leaves(path: str, values: object) -> Iterator[tuple[str, object]]:
    """Every value that is no mapping, by its path."""
    if isinstance(values, dict):
        for key, inner in values.items():
            yield from _leaves(f"{path}.{key}", inner)
    else:
        yield path, values


def docker_hub(settings: Environment) -> Iterator[Mistake]:
    """More nodes behind an address than Docker Hub serves: Fluent Bit's image, on each of them, is its."""
    if settings.charts.mirror:
        return
    for name, foundation in settings.foundations.items():
        nodes = max(_nodes_behind_an_address(settings, name, foundation), default=0)
        if nodes > DOCKER_HUB_PULLS:
            yield Mistake(
                "charts.mirror",
                f"is not set, but up to {nodes} nodes of foundation {name!r} pull images from Docker Hub "
                f"behind one address, which may pull {DOCKER_HUB_PULLS} in 6 hours; set it to a registry of "
                "your own, which `moka mirror` fills",
            )


def _nodes_behind_an_address(settings: Environment, name: str, foundation: Foundation) -> Iterator[int]:
    """Nodes, at most, behind each NAT gateway; none where the network is not ours and they are not known."""
    if foundation.network is None:
        return
    by_zone = dict.fromkeys(foundation.zones, 0)
    for cluster in settings.clusters_of(name).values():
        for group in cluster.node_groups.values():
            zones = group.effective_zones(foundation.zones)
            for zone in by_zone.keys() & set(zones):
                by_zone[zone] += math.ceil(group.maximum / len(zones))
    yield from by_zone.values() if foundation.network.nat == "zonal" else [_all_nodes(settings, name)]


def _all_nodes(settings: Environment, foundation: str) -> int:
    clusters = settings.clusters_of(foundation).values()
    return sum(group.maximum for cluster in clusters for group in cluster.node_groups.values())


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
