"""What an environment sets differently in a chart, and what of it must fit to the rest."""

import math
from collections.abc import Iterator

from moka import catalog
from moka.images import DIGEST, TAG
from moka.jobs.job import DynamicAllocation
from moka.mistakes import Mistake, near
from moka.quantities import duration_seconds
from moka.sizes.daemon_sets import UPDATE_STRATEGIES, strategy_seconds
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


def releases(settings: Environment) -> Iterator[Mistake]:
    """Releases that there are not."""
    for release in settings.charts.values:
        if release not in catalog.releases():
            hint = near(release, catalog.releases())
            yield Mistake(f"charts.values.{release}", f"no release has that name; {hint}")


def daemon_sets(settings: Environment) -> Iterator[Mistake]:
    """Updates of what runs on every node that take the longer the more nodes there are."""
    for release, path in UPDATE_STRATEGIES.items():
        values = settings.charts.values.get(release, {})
        if path not in values:
            continue
        try:
            strategy_seconds(catalog.merge_values(catalog.file_values(release), values)[path])
        except ValueError as error:
            yield Mistake(f"charts.values.{release}.{path}", str(error))


def image_values(settings: Environment) -> Iterator[Mistake]:
    """Images of charts by a tag or digest that is none, or that is another image every day."""
    for path, setting in _overrides(settings):
        if setting and (problem := _image_problem(path, setting)):
            yield Mistake(path, f"is {setting!r}, {problem}")


def _image_problem(path: str, setting: object) -> str | None:
    """What is wrong with a value that names an image, as a clause."""
    text = str(setting)
    is_tag = path.endswith((".tag", ".imageTag"))
    if is_tag and not isinstance(setting, str):
        return "which YAML reads as no text; put the tag in quotes"
    if (is_tag and text == "latest") or (path.endswith(".image") and text.endswith(":latest")):
        return "another image every day; write the tag of a release"
    if is_tag and not TAG.fullmatch(text):
        return "which is no tag of an image; copy it from the registry"
    if path.endswith(".digest") and not DIGEST.fullmatch(text):
        return "but a digest is sha256: and 64 hexadecimal digits; copy it from the registry"
    return None


def numbers(settings: Environment) -> Iterator[Mistake]:
    """Numbers that neither JSON nor Helm has."""
    for path, setting in _overrides(settings):
        if isinstance(setting, float) and not math.isfinite(setting):
            yield Mistake(path, f"is {setting}, which is no number to Helm; correct it")


def _overrides(settings: Environment) -> Iterator[tuple[str, object]]:
    """Every value that the settings override in a release, by its path in the file."""
    for release, values in settings.charts.values.items():
        yield from _leaves(f"charts.values.{release}", values)


def _leaves(path: str, values: object) -> Iterator[tuple[str, object]]:
    """Every value that is no mapping and no list, by its path."""
    if isinstance(values, dict | list):
        for key, inner in values.items() if isinstance(values, dict) else enumerate(values):
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
