"""The programs of charts: YuniKorn's scheduler and the Spark Operator's controller."""

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from localcloud.control_plane.api import Api, Object, path_of
from localcloud.control_plane.parallel import parallel_map
from localcloud.control_plane.plane import ControlPlane
from localcloud.control_plane.stand_ins import config_maps, pods, spark_operator, traefik, yunikorn
from localcloud.control_plane.stand_ins.accounts import account
from localcloud.control_plane.stand_ins.config_maps import ConfigMapMount
from localcloud.control_plane.stand_ins.processes import Command, Surroundings, files, run, url
from localcloud.control_plane.stand_ins.releases import Release, Releases

METRICS = "metrics"
"""What programs that serve metrics call that."""

CUSTOM_RESOURCES = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


@dataclass(frozen=True)
class StandIn:
    """How a chart's program is run here.

    servers: what it serves, a port each.
    objects: what the chart makes that the program needs; made here when the chart was not rendered.
    definitions: custom resources that the chart brings along; as Helm does, made once and then left alone.
    mounts: ConfigMaps that the program's pods mount.
    account: service account that the program has, and reaches pods; without, it is the administrator.
    services: name and port of a Service of the chart -> which of the servers is there.
    """

    servers: tuple[str, ...]
    command: Callable[[Release, Surroundings], Command]
    objects: Callable[[Release], list[Object]]
    definitions: Callable[[], list[Object]] = lambda: []
    mounts: Callable[[Release], Sequence[ConfigMapMount]] = lambda _: ()
    account: str | None = None
    services: Mapping[tuple[str, int], str] = field(default_factory=dict)


STAND_INS = {
    "yunikorn": StandIn((yunikorn.REST,), yunikorn.command, yunikorn.objects, services=yunikorn.SERVICES),
    "spark-operator": StandIn(
        (spark_operator.HEALTH, spark_operator.METRICS, spark_operator.PROFILES),
        spark_operator.command,
        spark_operator.objects,
        spark_operator.definitions,
        spark_operator.mounts,
    ),
    "traefik": StandIn(
        (traefik.WEB, traefik.WEB_TLS, traefik.HEALTH, traefik.METRICS),
        traefik.command,
        traefik.objects,
        account=traefik.ACCOUNT,
    ),
}
"""By the name of the chart."""


def apply(plane: ControlPlane, release: Release) -> bool:
    """Run what stands in for a release's pods, or run it anew where the release's values change its command.

    False when nothing stands in for this chart. Raises Refusal when the program does not start.
    """
    stand_in = STAND_INS.get(release.chart_name)
    if stand_in is None:
        return False
    previous = releases(plane).find(release.namespace, release.name)
    api, objects = plane.api(), stand_in.objects(release)
    if not release.rendered:
        _define(api, stand_in.definitions())
        api.apply_all(objects)
    _delete(api, _objects(previous), except_for=objects)
    _run(plane, release)
    releases(plane).keep(release)
    return True


def remove(plane: ControlPlane, namespace: str, name: str) -> None:
    """End what stands in for a release's pods, and delete what was made in the chart's place."""
    release = releases(plane).find(namespace, name)
    if release is not None:
        plane.process(release.key).stop()
        shutil.rmtree(files(plane, release.key), ignore_errors=True)
        _delete(plane.api(), _objects(release), except_for=[])
        releases(plane).drop(release)


def resume(plane: ControlPlane) -> None:
    """Run again what stood in for the pods of the plane's releases."""
    parallel_map(partial(_run, plane), releases(plane))


def yunikorn_url(plane: ControlPlane) -> str | None:
    """URL of YuniKorn's REST API; None while no YuniKorn runs."""
    urls = (url(plane, r.key, yunikorn.REST) for r in releases(plane) if r.chart_name == "yunikorn")
    return next(filter(None, urls), None)


def service_url(plane: ControlPlane, namespace: str, name: str, port: int) -> str | None:
    """URL of what serves a port of a chart's Service, whether the chart was rendered or not; None where that
    does not run, or is no chart's.
    """
    for release in releases(plane):
        server = STAND_INS[release.chart_name].services.get((name, port))
        if server is not None and release.namespace == namespace:
            return url(plane, release.key, server)
    return None


def ingress_url(plane: ControlPlane) -> str | None:
    """URL of the ingress controller, which tells pages apart by their host; None while none runs."""
    urls = (url(plane, r.key, traefik.WEB) for r in releases(plane) if r.chart_name == "traefik")
    return next(filter(None, urls), None)


def addresses(plane: ControlPlane) -> dict[str, str | None]:
    """Namespace and name of a release -> URL of its program, for its metrics; None while it does not run.

    Without YuniKorn, which has a page of its own.
    """
    return {
        f"{release.namespace}/{release.name}": url(plane, release.key, METRICS)
        for release in releases(plane)
        if METRICS in STAND_INS[release.chart_name].servers
    }


def page_urls(plane: ControlPlane) -> list[str]:
    """URLs of the hosts of all Ingresses, with wildcards, while an ingress controller runs."""
    address = ingress_url(plane)
    if address is None or not plane.alive():
        return []
    ingresses = plane.api().list("/apis/networking.k8s.io/v1/ingresses")
    hosts = {rule["host"] for ingress in ingresses for rule in ingress["spec"]["rules"] if "host" in rule}
    return [address.replace("127.0.0.1", host) for host in sorted(hosts)]


def releases(plane: ControlPlane) -> Releases:
    """Releases of the plane that something stands in for."""
    return Releases(plane.folder / "releases")


def _run(plane: ControlPlane, release: Release) -> None:
    stand_in = STAND_INS[release.chart_name]
    if mounts := stand_in.mounts(release):
        owner = f"release {release.namespace}/{release.name}"
        config_maps.write(plane.api(), owner, release.namespace, mounts, files(plane, release.key))
    command = partial(stand_in.command, release)
    if stand_in.account is None:
        run(plane, release.key, stand_in.servers, command)
    else:
        folder = account(plane, release.key, release.namespace, stand_in.account)
        run(
            plane,
            release.key,
            stand_in.servers,
            command,
            account=folder,
            pods=pods.variables(plane, "socks5"),
        )


def _objects(release: Release | None) -> list[Object]:
    """What was made in the place of a release's chart."""
    return [] if release is None or release.rendered else STAND_INS[release.chart_name].objects(release)


def _delete(api: Api, objects: list[Object], except_for: list[Object]) -> None:
    for path in {path_of(thing) for thing in objects} - {path_of(thing) for thing in except_for}:
        api.delete(path)


def _define(api: Api, definitions: list[Object]) -> None:
    """Make custom resources that are not there, and wait until the API server serves them."""
    existing = {crd["metadata"]["name"] for crd in api.list(CUSTOM_RESOURCES)} if definitions else set()
    missing = {name: crd for crd in definitions if (name := crd["metadata"]["name"]) not in existing}
    parallel_map(lambda crd: api.apply(path_of(crd), crd), missing.values())
    watch = api.follow(CUSTOM_RESOURCES)
    while missing:
        crd = next(watch)
        conditions = (crd.get("status") or {}).get("conditions") or []
        if any(c["type"] == "Established" and c["status"] == "True" for c in conditions):
            missing.pop(crd["metadata"]["name"], None)
