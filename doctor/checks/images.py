"""Images: there, in the architectures of the nodes that pull them."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from doctor.account import Place, Unanswered
from doctor.finding import Finding, listed, not_checked, ok, problem, warning
from doctor.registries import INDEXES, MANIFESTS, NoImage, Public, Reference, Unreachable, architectures
from moka import catalog
from moka.catalog import Catalog, mirror_name
from moka.machines.instance_types import Architecture
from moka.machines.node_roles import ROLES, Role
from stacks.settings import Environment

ECR = re.compile(r"^(?P<account>\d{12})\.dkr\.ecr\.(?P<region>[a-z0-9-]+)\.amazonaws\.[a-z.]+$")

OF_A_VERSION = re.compile(r"-(1\.\d+)$")
"""Images for one version of Kubernetes say so at the end of their name in the catalog."""

SYSTEM: frozenset[Role] = frozenset({"system"})
JOBS: frozenset[Role] = frozenset({"driver", "executor"})

CHARTS_ELSEWHERE: Mapping[str, frozenset[Role]] = {
    "fluent-bit": frozenset(ROLES),
    "opentelemetry-collector": frozenset(ROLES),
}
"""Roles of the nodes that pods of a chart are on, where that is not system alone."""

IMAGES_ELSEWHERE: Mapping[str, frozenset[Role]] = {"celeborn": SYSTEM | {"shuffle"}, "pause": JOBS}
"""The same for images of the catalog."""

THREADS = 8


@dataclass(frozen=True)
class Answer:
    """What a registry says of an image: its architectures, or why it does not say."""

    has: frozenset[str] = frozenset()
    missing: bool = False
    silent: str = ""


@dataclass(frozen=True)
class Registries:
    """Public registries, and ECR's by the place's credentials."""

    place: Place
    public: Public = field(default_factory=Public)

    def answer(self, name: str) -> Answer:
        """Ask about an image, where it is pulled from."""
        image = Reference.of(name)
        ecr = ECR.match(image.host)
        try:
            if ecr is None:
                return Answer(has=frozenset(self.public.architectures(image)))
            return self._of_ecr(image, ecr["account"], ecr["region"])
        except NoImage:
            return Answer(missing=True)
        except Unreachable as error:
            return Answer(silent=str(error))
        except Unanswered as error:
            return Answer(silent=f"{image.host}: {error.reason}")

    def _of_ecr(self, image: Reference, account: str, region: str) -> Answer:
        version = {"imageDigest" if image.version.startswith("sha256:") else "imageTag": image.version}
        where = {"registryId": account, "repositoryName": image.repository, "imageIds": [version]}
        try:
            # First what cannot make ECR fetch anything: the next question is a pull.
            self.place.ask_in(region, "ecr", "describe_images", **where)
        except Unanswered as error:
            if error.code not in ("ImageNotFoundException", "RepositoryNotFoundException"):
                raise
            if upstream := self._upstream(image, account):
                return Answer(has=frozenset(self.public.architectures(upstream)))
            raise NoImage from None
        answer = self.place.ask_in(
            region, "ecr", "batch_get_image", **where, acceptedMediaTypes=[*INDEXES, *MANIFESTS]
        )
        manifest = json.loads(answer["images"][0]["imageManifest"])
        if "manifests" not in manifest:
            raise Unreachable(f"{image.host} has one architecture of it, and says not which")
        return Answer(has=frozenset(architectures(manifest, None)))

    def _upstream(self, image: Reference, account: str) -> Reference | None:
        """Where ECR fetches an image that it does not have yet, if it does."""
        registry = self.place.settings.registry
        if registry is None or self.place.settings.foundations[registry.foundation].account != account:
            return None
        host, _, repository = image.repository.partition("/")
        return Reference(host, repository, image.version) if host in registry.pull_through else None


@dataclass(frozen=True, kw_only=True)
class Pulled:
    """An image that nodes pull.

    roles: of those nodes. if_missing, if_lacking: what to do where it is not there, or for another
    architecture only.
    own: somebody pushes it, perhaps to a repository that `up` is still to make.
    of_jobs: it is jobs that would lack it, not the platform.
    """

    roles: frozenset[Role]
    if_missing: str
    if_lacking: str
    own: bool = False
    of_jobs: bool = False


def pullable(place: Place) -> Iterator[Finding]:
    """Every image that the environment pulls, asked once, at home."""
    if not place.home:
        return
    settings = place.settings
    charts = catalog.read(mirror=settings.charts.mirror, overrides=settings.charts.values)
    pulled = {**of_catalog(charts, settings), **of_ones_own(settings)}
    names = sorted(pulled)
    registries = Registries(place)
    with ThreadPoolExecutor(THREADS) as pool:
        answers = dict(zip(names, pool.map(registries.answer, names), strict=True))

    silent, fine = defaultdict(list), 0
    for name, answer in answers.items():
        image = pulled[name]
        if answer.silent:
            silent[answer.silent].append(name)
        elif answer.missing:
            told = warning if image.own else problem
            yield told(place.name, f"There is no image {name}.", image.if_missing)
        elif lacking := sorted(needed(settings, image.roles) - answer.has):
            told = warning if image.of_jobs else problem
            yield told(
                place.name,
                f"Image {name} is there for {listed(sorted(answer.has))}, not for {listed(lacking)}, and "
                f"{listed(sorted(image.roles))} nodes pull it.",
                image.if_lacking,
            )
        else:
            fine += 1
    for reason, unknown in silent.items():
        yield not_checked(place.name, f"Images {listed(unknown)}: {reason}.")
    if fine:
        yield ok(
            place.name, f"{fine} images are there, each for the architectures of the nodes that pull it."
        )


def needed(settings: Environment, roles: frozenset[Role]) -> set[Architecture]:
    """Architectures of the nodes with these roles."""
    groups = [group for cluster in settings.clusters.values() for group in cluster.node_groups.values()]
    return {group.architecture for group in groups if group.role in roles}


def of_catalog(charts: Catalog, settings: Environment) -> dict[str, Pulled]:
    """The images of the catalog that an environment pulls, as its pods name them."""
    versions = {cluster.version for cluster in settings.clusters.values()}
    roles = images(charts, versions)
    missing = "Copy it into the mirror." if charts.mirror else "Correct its tag in charts-values/charts.yaml."
    lacking = "Copy all architectures of it." if charts.mirror else "Take an image or node groups that fit."
    return {
        name: Pulled(roles=where, if_missing=missing, if_lacking=lacking) for name, where in roles.items()
    }


def of_ones_own(settings: Environment) -> dict[str, Pulled]:
    """The images that the settings name."""
    jobs = dict.fromkeys(settings.spark.images.values(), JOBS)
    services = dict.fromkeys(settings.services.images, SYSTEM)
    return {
        name: Pulled(
            roles=roles,
            if_missing="Push it once its repository is there, or correct its name in the settings.",
            if_lacking="Build it for all of them.",
            own=True,
            of_jobs=name in jobs,
        )
        for name, roles in {**jobs, **services}.items()
    }


def images(charts: Catalog, versions: set[str]) -> dict[str, frozenset[Role]]:
    """Every image of the catalog that clusters of these Kubernetes versions pull, as they name it, and the
    roles of the nodes that do."""
    found = {
        mirror_name(public, charts.mirror): CHARTS_ELSEWHERE.get(chart.name, SYSTEM)
        for chart in charts.charts.values()
        for public in chart.pulls
    }
    for name in charts.images:
        of = OF_A_VERSION.search(name)
        if of is None or of[1] in versions:
            found[charts.image(name)] = IMAGES_ELSEWHERE.get(name, SYSTEM)
    return found
