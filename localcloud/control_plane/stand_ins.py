"""Programs that really run in place of the pods of a chart, which kwok would only pretend to run."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from localcloud.control_plane import spark_operator, workloads, yunikorn
from localcloud.control_plane.api import Api, Object, path_of
from localcloud.control_plane.command import Command, Surroundings
from localcloud.control_plane.releases import Release, Releases
from localcloud.control_plane.running import port_of, run
from localcloud.control_plane.side_by_side import side_by_side

if TYPE_CHECKING:
    from localcloud.control_plane.plane import ControlPlane

__all__ = ["Release", "release_deployed", "release_removed", "resume", "yunikorn_url"]

CUSTOM_RESOURCES = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


@dataclass(frozen=True)
class StandIn:
    """How a chart's program is run here.

    ports: what it serves, a port each.
    objects: what the chart makes that the program needs; made here when the chart was not rendered.
    definitions: custom resources that the chart brings along; as Helm does, made once and then left alone.
    """

    ports: tuple[str, ...]
    command: Callable[[Release, Surroundings], Command]
    objects: Callable[[Release], list[Object]]
    definitions: Callable[[], list[Object]] = lambda: []


STAND_INS = {
    "yunikorn": StandIn((yunikorn.REST,), yunikorn.command, yunikorn.objects),
    "spark-operator": StandIn(
        (spark_operator.HEALTH, spark_operator.METRICS, spark_operator.PROFILES),
        spark_operator.command,
        spark_operator.objects,
        spark_operator.definitions,
    ),
}
"""By the name of the chart."""


def release_deployed(plane: "ControlPlane", release: Release) -> bool:
    """Run what stands in for a release's pods, or run it anew where its values changed what it is told.

    False when nothing stands in for this chart. Raises Refusal when the program does not start.
    """
    stand_in = STAND_INS.get(release.chart_name)
    if stand_in is None:
        return False
    before = releases(plane).find(release.namespace, release.name)
    api, wanted = plane.api(), stand_in.objects(release)
    if not release.rendered:
        _define(api, stand_in.definitions())
        api.apply_all(wanted)
    _delete(api, _made(before), kept=wanted)
    _run(plane, release, stand_in)
    releases(plane).keep(release)
    return True


def release_removed(plane: "ControlPlane", namespace: str, name: str) -> None:
    """End what stands in for a release's pods, and delete what was made in the chart's place."""
    release = releases(plane).find(namespace, name)
    if release is not None:
        plane.process(release.key).stop()
        _delete(plane.api(), _made(release), kept=[])
        releases(plane).drop(release)


def resume(plane: "ControlPlane") -> None:
    """Run again what stood in for the pods of the plane's releases and Deployments."""
    side_by_side(lambda release: _run(plane, release, STAND_INS[release.chart_name]), releases(plane))
    workloads.resume(plane)


def yunikorn_url(plane: "ControlPlane") -> str | None:
    """YuniKorn's REST API; None while no YuniKorn runs."""
    for release in releases(plane):
        if release.chart_name == "yunikorn" and plane.process(release.key).alive():
            return f"http://127.0.0.1:{plane.ports[port_of(release.key, yunikorn.REST)]}"
    return None


def releases(plane: "ControlPlane") -> Releases:
    """Releases of the plane that something stands in for."""
    return Releases(plane.folder / "releases")


def _run(plane: "ControlPlane", release: Release, stand_in: StandIn) -> None:
    run(plane, release.key, stand_in.ports, partial(stand_in.command, release))


def _made(release: Release | None) -> list[Object]:
    if release is None or release.rendered:
        return []
    return STAND_INS[release.chart_name].objects(release)


def _delete(api: Api, made: list[Object], kept: list[Object]) -> None:
    for path in {path_of(one) for one in made} - {path_of(one) for one in kept}:
        api.delete(path)


def _define(api: Api, definitions: list[Object]) -> None:
    """Make custom resources that are not there, and wait until the API server serves them."""
    there = {one["metadata"]["name"] for one in api.list(CUSTOM_RESOURCES)} if definitions else set()
    absent = [one for one in definitions if one["metadata"]["name"] not in there]
    side_by_side(lambda one: api.apply(path_of(one), one), absent)
    waiting = {one["metadata"]["name"] for one in absent}
    watching = api.follow(CUSTOM_RESOURCES)
    while waiting:
        found = next(watching)
        conditions = (found.get("status") or {}).get("conditions") or []
        if any(one["type"] == "Established" and one["status"] == "True" for one in conditions):
            waiting.discard(found["metadata"]["name"])
