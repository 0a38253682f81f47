"""Images: they exist, for the architectures of the nodes that pull them."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from doctor.account import NoAnswer, Place
from doctor.finding import Finding, not_checked, ok, problem, series, warning
from doctor.registries import (
    INDEX_TYPES,
    MANIFEST_TYPES,
    ImageNotFound,
    PublicRegistries,
    Reference,
    Unreachable,
    architectures,
)
from moka import catalog
from moka.catalog import Catalog, mirror_name
from moka.machines.instance_types import Architecture
from moka.machines.node_roles import ROLES, Role
from stacks.settings import Environment

ECR = re.compile(r"^(?P<account>\d{12})\.dkr\.ecr\.(?P<region>[a-z0-9-]+)\.amazonaws\.[a-z.]+$")

VERSION_SUFFIX = re.compile(r"-(1\.\d+)$")
"""Images for one version of Kubernetes say so at the end of their name in the catalog."""

SYSTEM_ROLES: frozenset[Role] = frozenset({"system"})
DRIVER_ROLES: frozenset[Role] = frozenset({"driver"})
JOB_ROLES: frozenset[Role] = frozenset({"driver", "executor"})
BOOTSTRAP_ROLES: frozenset[Role] = JOB_ROLES | {"shuffle"}

CHART_ROLES: Mapping[str, frozenset[Role]] = {
    "fluent-bit": frozenset(ROLES),
    "opentelemetry-collector": frozenset(ROLES),
}
"""Roles of the nodes that pods of a chart are on, where that is not only system."""

DEVICE_PLUGIN = "nvidia-device-plugin"

CURL = "curl"

IMAGE_ROLES: Mapping[str, frozenset[Role]] = {
    "busybox": CHART_ROLES["opentelemetry-collector"],
    "celeborn": SYSTEM_ROLES | {"shuffle"},
    CURL: BOOTSTRAP_ROLES,
    "pause": JOB_ROLES,
    DEVICE_PLUGIN: frozenset(ROLES),
}
"""The same for images of the catalog."""

THREADS = 8


@dataclass(frozen=True)
class Answer:
    """What a registry says of an image: its architectures, that it is missing, or why there is no answer."""

    architectures: frozenset[str] = frozenset()
    missing: bool = False
    failure: str = ""


@dataclass(frozen=True)
class Registries:
    """Public registries, and ECR's by the place's credentials."""

    place: Place
    public: PublicRegistries = field(default_factory=PublicRegistries)

    def answer(self, name: str) -> Answer:
        """Ask about an image, where it is pulled from."""
        image = Reference.of(name)
        ecr = ECR.match(image.host)
        try:
            if ecr is None:
                return Answer(architectures=frozenset(self.public.architectures(image)))
            return self._ecr_answer(image, ecr["account"], ecr["region"])
        except ImageNotFound:
            return Answer(missing=True)
        except Unreachable as error:
            return Answer(failure=str(error))
        except NoAnswer as error:
            return Answer(failure=f"{image.host}: {error.reason}")

    def _ecr_answer(self, image: Reference, account: str, region: str) -> Answer:
        version = {"imageDigest" if image.version.startswith("sha256:") else "imageTag": image.version}
        members = {"registryId": account, "repositoryName": image.repository, "imageIds": [version]}
        try:
            # First what cannot make ECR fetch anything: the next question is a pull.
            self.place.ask_in(region, "ecr", "describe_images", **members)
        except NoAnswer as error:
            if error.code not in ("ImageNotFoundException", "RepositoryNotFoundException"):
                raise
            if upstream := self._upstream(image, account):
                return Answer(architectures=frozenset(self.public.architectures(upstream)))
            raise ImageNotFound from None
        answer = self.place.ask_in(
            region, "ecr", "batch_get_image", **members, acceptedMediaTypes=[*INDEX_TYPES, *MANIFEST_TYPES]
        )
        manifest = json.loads(answer["images"][0]["imageManifest"])
        if "manifests" not in manifest:
            raise Unreachable(f"{image.host} has it for one architecture and does not say which")
        return Answer(architectures=frozenset(architectures(manifest, None)))

    def _upstream(self, image: Reference, account: str) -> Reference | None:
        """Where ECR fetches an image that it does not have yet, if it does."""
        registry = self.place.settings.registry
        if registry is None or self.place.settings.foundations[registry.foundation].account != account:
            return None
        host, _, repository = image.repository.partition("/")
        return Reference(host, repository, image.version) if host in registry.pull_through else None


@dataclass(frozen=True, kw_only=True)
class PulledImage:
    """An image that nodes pull.

    roles: of those nodes.
    if_missing, if_incomplete: what to do where it does not exist, or only for other architectures.
    own: it is pushed by its owners, perhaps to a repository that `up` is still to make.
    of_jobs: only jobs would lack it, not the platform.
    """

    roles: frozenset[Role]
    if_missing: str
    if_incomplete: str
    own: bool = False
    of_jobs: bool = False


def pulled_images(place: Place) -> Iterator[Finding]:
    """Every image that the environment pulls, asked once, at home."""
    if not place.home:
        return
    settings = place.settings
    charts = catalog.read(mirror=settings.charts.mirror, overrides=settings.charts.values)
    images = {**catalog_images(charts, settings), **settings_images(settings)}
    names = sorted(images)
    registries = Registries(place)
    with ThreadPoolExecutor(THREADS) as pool:
        answers = dict(zip(names, pool.map(registries.answer, names), strict=True))

    failures, complete = defaultdict(list), 0
    for name, answer in answers.items():
        image = images[name]
        if answer.failure:
            failures[answer.failure].append(name)
        elif answer.missing:
            finding = warning if image.own else problem
            yield finding(place.name, f"There is no image {name}.", image.if_missing)
        elif missing := sorted(architectures_of(settings, image.roles) - answer.architectures):
            finding = warning if image.of_jobs else problem
            existing = series(sorted(answer.architectures))
            yield finding(
                place.name,
                f"Image {name} exists for {existing}, not for {series(missing)}, and "
                f"{series(sorted(image.roles))} nodes pull it.",
                image.if_incomplete,
            )
        else:
            complete += 1
    for failure, unknown in failures.items():
        yield not_checked(place.name, f"Images {series(unknown)}: {failure}.")
    if complete:
        yield ok(place.name, f"{complete} images exist for all architectures of the nodes that pull them.")


def architectures_of(settings: Environment, roles: frozenset[Role]) -> set[Architecture]:
    """Architectures of the nodes with these roles."""
    groups = [group for cluster in settings.clusters.values() for group in cluster.node_groups.values()]
    return {group.architecture for group in groups if group.role in roles}


def catalog_images(charts: Catalog, settings: Environment) -> dict[str, PulledImage]:
    """The images of the catalog that an environment pulls, as its pods name them."""
    versions = {cluster.version for cluster in settings.clusters.values()}
    machines = [
        machine for cluster in settings.clusters.values() for machine in cluster.machines_of("executor")
    ]
    usage = {
        DEVICE_PLUGIN: any(machine.gpu for machine in machines),
        CURL: any(cluster.bootstrap for cluster in settings.clusters.values()),
    }
    idle_images = {charts.image(name) for name in usage.keys() & charts.images.keys() if not usage[name]}
    if charts.mirror:
        remedies = ("Copy it into the mirror.", "Copy all architectures of it.")
    else:
        remedies = ("Correct its tag in charts-values/charts.yaml.", "Take an image or node groups that fit.")
    return {
        name: PulledImage(roles=node_roles, if_missing=remedies[0], if_incomplete=remedies[1])
        for name, node_roles in image_roles(charts, versions).items()
        if name not in idle_images
    }


def settings_images(settings: Environment) -> dict[str, PulledImage]:
    """The images that the settings name."""
    jobs = dict.fromkeys(settings.spark.images.values(), JOB_ROLES)
    sidecars = dict.fromkeys(settings.services.sidecar_images, DRIVER_ROLES)
    services = dict.fromkeys([settings.history.image, *settings.services.images], SYSTEM_ROLES)
    return {
        name: PulledImage(
            roles=roles,
            if_missing="Push it once its repository is there, or correct its name in the settings.",
            if_incomplete="Build it for all of them.",
            own=True,
            of_jobs=name in jobs,
        )
        for name, roles in {**jobs, **services, **sidecars, **_bootstrap_images(settings)}.items()
    }


def _bootstrap_images(settings: Environment) -> dict[str, frozenset[Role]]:
    """Images of what nodes wait for, and the roles of the nodes that do."""
    roles: dict[str, frozenset[Role]] = {}
    for cluster in settings.clusters.values():
        for daemon in cluster.bootstrap.values():
            roles[daemon.image] = roles.get(daemon.image, frozenset()) | frozenset(daemon.roles)
    return roles


def image_roles(charts: Catalog, versions: set[str]) -> dict[str, frozenset[Role]]:
    """Every image of the catalog that clusters of these Kubernetes versions pull, as they name it, and the
    roles of the nodes that do."""
    roles = {
        mirror_name(public, charts.mirror): CHART_ROLES.get(chart.name, SYSTEM_ROLES)
        for chart in charts.charts.values()
        for public in chart.pulls
    }
    for name in charts.images:
        suffix = VERSION_SUFFIX.search(name)
        if suffix is None or suffix[1] in versions:
            roles[charts.image(name)] = IMAGE_ROLES.get(name, SYSTEM_ROLES)
    return roles
