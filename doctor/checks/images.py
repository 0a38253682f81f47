"""Images: there, in the architectures of the nodes that pull them."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from components.aws.instance_types import Architecture
from components.kubernetes import catalog
from components.kubernetes.catalog import Catalog, mirrored
from doctor.account import Place, Unanswered
from doctor.finding import Finding, listed, not_checked, ok, problem
from doctor.registries import INDEXES, MANIFESTS, NoImage, Public, Reference, Unreachable, architectures

ECR = re.compile(r"^(?P<account>\d{12})\.dkr\.ecr\.(?P<region>[a-z0-9-]+)\.amazonaws\.[a-z.]+$")

OF_A_VERSION = re.compile(r"-(1\.\d+)$")
"""Images for one version of Kubernetes say so at the end of their name in the catalog."""

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
        except Unreachable as no:
            return Answer(silent=str(no))
        except Unanswered as no:
            return Answer(silent=f"{image.host}: {no.reason}")

    def _of_ecr(self, image: Reference, account: str, region: str) -> Answer:
        version = {"imageDigest" if image.version.startswith("sha256:") else "imageTag": image.version}
        where = {"registryId": account, "repositoryName": image.repository, "imageIds": [version]}
        try:
            # First what cannot make ECR fetch anything: the next question is a pull.
            self.place.ask_in(region, "ecr", "describe_images", **where)
        except Unanswered as no:
            if no.code not in ("ImageNotFoundException", "RepositoryNotFoundException"):
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


def pullable(place: Place) -> Iterator[Finding]:
    """Every image that the environment pulls, asked once, at home."""
    if not place.home:
        return
    settings = place.settings
    charts = catalog.read(mirror=settings.charts.mirror, overrides=settings.charts.values)
    needed: set[Architecture] = {
        group.architecture for cluster in settings.clusters.values() for group in cluster.node_groups.values()
    }
    names = sorted(images(charts, {cluster.version for cluster in settings.clusters.values()}))
    registries = Registries(place)
    with ThreadPoolExecutor(THREADS) as pool:
        answers = dict(zip(names, pool.map(registries.answer, names), strict=True))

    silent = defaultdict(list)
    for name, answer in answers.items():
        if answer.silent:
            silent[answer.silent].append(name)
        elif answer.missing:
            yield problem(
                place.name,
                f"There is no image {name}.",
                "Copy it into the mirror."
                if charts.mirror
                else "Correct its tag in charts-values/charts.yaml.",
            )
        elif lacking := sorted(needed - answer.has):
            yield problem(
                place.name,
                f"Image {name} is there for {listed(sorted(answer.has))}, not for {listed(lacking)}.",
                "Copy all architectures of it."
                if charts.mirror
                else "Take an image or node groups that fit.",
            )
    for reason, unknown in silent.items():
        yield not_checked(place.name, f"Images {listed(unknown)}: {reason}.")
    if fine := sum(needed <= answer.has for answer in answers.values()):
        yield ok(place.name, f"{fine} images are there for {listed(sorted(needed))}.")


def images(charts: Catalog, versions: set[str]) -> Iterator[str]:
    """Every image of the catalog that clusters of these Kubernetes versions pull, as they name it."""
    for chart in charts.charts.values():
        yield from (mirrored(public, charts.mirror) for public in chart.pulls)
    for name in charts.images:
        of = OF_A_VERSION.search(name)
        if of is None or of[1] in versions:
            yield charts.image(name)
