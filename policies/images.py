"""Images and charts: at which version they are, and where they are from."""

import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from policies.pack.evaluation import CHART_RULE
from policies.pack.objects import Container, containers, where
from policies.pack.resource import UNKNOWN, Resource, text
from policies.pack.rule import Parameters, Violations
from policies.pack.types import RELEASE, WORKLOADS
from policies.workloads import PODS

IMAGE_GUIDE = "https://docs.aws.amazon.com/eks/latest/best-practices/image-security.html"


@PODS.rule(
    "image-not-latest",
    *WORKLOADS,
    severity="high",
    why="`latest` is another image tomorrow, and on the next node.",
    references=(IMAGE_GUIDE, "https://kubernetes.io/docs/concepts/containers/images/#image-names"),
)
def image_not_latest(workload: Resource, _: Parameters) -> Violations:
    """Images are at a version."""
    for container, image in _images(workload):
        name, _at, digest = image.partition("@")
        _path, colon, tag = name.rpartition("/")[2].partition(":")
        if not digest and (not colon or tag == "latest"):
            yield f"{where(workload, container)} runs {image}, whatever that is today: name a version."


@PODS.rule(
    "image-by-digest",
    *WORKLOADS,
    severity="medium",
    why="Whoever may push to a registry may move a tag to another image, unless its tags are immutable.",
    references=(
        IMAGE_GUIDE,
        "https://docs.aws.amazon.com/AmazonECR/latest/userguide/image-tag-mutability.html",
    ),
    immutable_registries=[
        "*.dkr.ecr.*.amazonaws.com/*",
        "*.dkr.ecr.*.amazonaws.com.cn/*",
        "*.dkr-ecr.*.on.aws/*",
    ],
)
def image_by_digest(workload: Resource, parameters: Parameters) -> Violations:
    """Images are named by digest, or are in a registry of ours whose tags do not move."""
    for container, image in _images(workload):
        immutable = is_within(with_registry(image), parameters["immutable_registries"])
        if "@sha256:" not in image and not immutable:
            yield (
                f"{where(workload, container)} runs {image}, which others may replace: name its digest, "
                "or mirror it."
            )


@PODS.rule(
    "image-from-allowed-registry",
    *WORKLOADS,
    severity="high",
    why="An image from anywhere is code from anybody, and public registries bound how often one may pull.",
    references=("CIS 5.1.4", IMAGE_GUIDE),
    registries=["*.dkr.ecr.*.amazonaws.com/*", "*.dkr.ecr.*.amazonaws.com.cn/*", "*.dkr-ecr.*.on.aws/*"],
)
def image_from_allowed_registry(workload: Resource, parameters: Parameters) -> Violations:
    """Images are from registries that are allowed."""
    for container, image in _images(workload):
        if not is_within(with_registry(image), parameters["registries"]):
            yield (
                f"{where(workload, container)} runs {image}, from a registry that is not allowed: mirror it."
            )


def with_registry(image: str) -> str:
    """An image with the registry that a name without one means: Docker Hub's."""
    first, slash, _ = image.partition("/")
    if not slash:
        return f"docker.io/library/{image}"
    return image if "." in first or ":" in first or first == "localhost" else f"docker.io/{image}"


def is_within(place: str, patterns: Sequence[str]) -> bool:
    """Whether `<host>/<path>` fits a pattern, `*` in which stands for text of the host, or of the path."""
    host, _, path = place.partition("/")
    pairs = [pattern.partition("/") for pattern in patterns]
    return any(fnmatchcase(host, hosts) and fnmatchcase(path, paths or "*") for hosts, _, paths in pairs)


def _images(workload: Resource) -> Iterator[tuple[Container, str]]:
    for container in containers(workload):
        if image := text(container.get("image")):
            yield container, image


EXACT = re.compile(r"v?\d+\.\d+\.\d+(-[\w.-]+)?(\+[\w.-]+)?")
"""A version, and no range of them such as `1.x`, `^1.2.0` or `1.2`."""


@PODS.rule(
    "chart-pinned",
    RELEASE,
    severity="high",
    why="Without a version, the next `up` installs whatever was published last.",
    references=("https://www.pulumi.com/registry/packages/kubernetes/api-docs/helm/v3/release/",),
)
def chart_pinned(release: Resource, _: Parameters) -> Violations:
    """Charts are at an exact version."""
    version = release.get("version", "")
    if version is not UNKNOWN and not EXACT.fullmatch(text(version)):
        yield f"Release {release.name} takes {version or 'any version'} of its chart: name an exact version."


@PODS.rule(
    "chart-from-allowed-repository",
    RELEASE,
    severity="high",
    why="A chart from anywhere is code from anybody, with whatever rights it asks for.",
    references=("docs/decisions/0004-charts-images-and-our-own-manifests.md",),
    repositories=[
        "oci://*.dkr.ecr.*.amazonaws.com/*",
        "oci://*.dkr.ecr.*.amazonaws.com.cn/*",
        "oci://*.dkr-ecr.*.on.aws/*",
    ],
)
def chart_from_allowed_repository(release: Resource, parameters: Parameters) -> Violations:
    """Charts are from repositories that are allowed."""
    chart, repository = text(release.get("chart")), text(release.get("repositoryOpts.repo"))
    source = chart if "://" in chart else repository
    known = release.get("chart") is not UNKNOWN and release.get("repositoryOpts.repo") is not UNKNOWN
    scheme, _, place = source.partition("://")
    allowed = [pattern.partition("://") for pattern in parameters["repositories"]]
    if known and not is_within(place, [rest for kind, _, rest in allowed if kind == scheme]):
        yield (
            f"Release {release.name} takes its chart from {source or chart}, which is not allowed: mirror it."
        )


@PODS.rule(
    CHART_RULE,
    RELEASE,
    severity="high",
    why="Nobody knows what is inside: every rule on pods, roles and Services is left open.",
    references=("docs/policies.md",),
)
def chart_rendered(release: Resource, _: Parameters) -> Violations:
    """The charts of releases are looked into."""
    yield from ()  # pack/evaluation.py says so, where a chart cannot be rendered.
