"""Pods: what they may do on their machine, what they take, where their images are from.

What is inside a chart is judged as what the program registers itself (pack/charts.py).
"""

from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from moka.names import PLATFORM_NAMESPACES
from policies.pack.evaluation import CHART_RULE
from policies.pack.objects import CONTAINERS, Container, containers, pod_spec, where
from policies.pack.resource import UNKNOWN, Resource, at, mapping, sequence, text
from policies.pack.rule import Parameters, StackViolations, Subject, Violations
from policies.pack.types import (
    DEPLOYMENT,
    NAMESPACE,
    NETWORK_POLICY,
    OBJECTS,
    QUOTA,
    RELEASE,
    STATEFUL_SET,
    WORKLOADS,
)

PODS = Subject("workloads", "Pods: what they may do, what they take, where their images are from")

STANDARDS = "https://kubernetes.io/docs/concepts/security/pod-security-standards/"
POD_GUIDE = "https://docs.aws.amazon.com/eks/latest/best-practices/pod-security.html"
IMAGE_GUIDE = "https://docs.aws.amazon.com/eks/latest/best-practices/image-security.html"
RESOURCES_GUIDE = "https://docs.aws.amazon.com/eks/latest/best-practices/data-plane.html"


def _listed(workload: Resource, patterns: Sequence[str]) -> bool:
    """Whether a workload is on a list of `<namespace>/<object>`; any namespace fits one that is not known."""
    return any(fnmatchcase(_name_like(workload, pattern), pattern) for pattern in patterns)


def _name_like(workload: Resource, pattern: str) -> str:
    namespace = workload.get("metadata.namespace", "default")
    known = namespace if isinstance(namespace, str) else pattern.partition("/")[0]
    return f"{known}/{workload.object_name}"


def _security(workload: Resource, container: Container, field: str, default: Any = None) -> Any:
    """A field of a container's security context, or else of its pod's."""
    own = container.get(f"securityContext.{field}")
    return at(pod_spec(workload), f"securityContext.{field}", default) if own is None else own


@PODS.rule(
    "no-privileged",
    *WORKLOADS,
    severity="critical",
    why="A privileged container is root on its node, and has the node's credentials.",
    references=("CIS 4.2.1", STANDARDS),
    but=[],
)
def no_privileged(workload: Resource, parameters: Parameters) -> Violations:
    """No container is privileged, but for those that are listed."""
    for container in containers(workload) if not _listed(workload, parameters["but"]) else ():
        if container.get("securityContext.privileged", False) is True:
            yield f"{where(workload, container)} is privileged: take securityContext.privileged out."


@PODS.rule(
    "no-host-namespaces",
    *WORKLOADS,
    severity="critical",
    why="In the host's namespaces a pod sees other pods' processes and traffic, and the node's metadata.",
    references=("CIS 4.2.2", "CIS 4.2.3", "CIS 4.2.4", STANDARDS),
    but=[],
)
def no_host_namespaces(workload: Resource, parameters: Parameters) -> Violations:
    """No pod shares the host's network, processes or memory, but for those that are listed."""
    for field in ("hostNetwork", "hostPID", "hostIPC") if not _listed(workload, parameters["but"]) else ():
        if pod_spec(workload).get(field, False) is True:
            yield f"Pods of {where(workload)} set {field}: take it out."


@PODS.rule(
    "no-host-paths",
    *WORKLOADS,
    severity="critical",
    why="From some paths of the host a container takes over the node, and from any it reads others' data.",
    references=(STANDARDS, POD_GUIDE),
    but=[],
)
def no_host_paths(workload: Resource, parameters: Parameters) -> Violations:
    """No pod has paths of its host, but for those that are listed, `<namespace>/<object>:<path>`."""
    for volume in sequence(pod_spec(workload).get("volumes")):
        path = text(at(volume, "hostPath.path"))
        if path and not any(
            fnmatchcase(f"{_name_like(workload, pattern)}:{path.rstrip('/') or '/'}", pattern)
            for pattern in parameters["but"]
        ):
            yield f"Pods of {where(workload)} have {path} of their host: use an emptyDir or a claim."


@PODS.rule(
    "no-privilege-escalation-in-pods",
    *WORKLOADS,
    severity="high",
    why="A program with a set-user-ID bit makes its container root.",
    references=("CIS 4.2.5", STANDARDS),
    but=[],
)
def no_privilege_escalation_in_pods(workload: Resource, parameters: Parameters) -> Violations:
    """No container can get more rights than it began with."""
    for container in containers(workload) if not _listed(workload, parameters["but"]) else ():
        if container.get("securityContext.allowPrivilegeEscalation", True) is True:
            field = "securityContext.allowPrivilegeEscalation"
            yield f"{where(workload, container)} can get more rights: set {field} to false."


@PODS.rule(
    "runs-as-non-root",
    *WORKLOADS,
    severity="high",
    why="Root in a container that breaks out is root on the node.",
    references=(STANDARDS, POD_GUIDE),
    but=[],
)
def runs_as_non_root(workload: Resource, parameters: Parameters) -> Violations:
    """No container runs as root, but for those that are listed."""
    for container in containers(workload) if not _listed(workload, parameters["but"]) else ():
        user = _security(workload, container, "runAsUser", -1)
        if user == 0:
            yield f"{where(workload, container)} runs as root: set securityContext.runAsUser to another."
        elif _security(workload, container, "runAsNonRoot", False) is False and user == -1:
            yield f"{where(workload, container)} may run as root: set securityContext.runAsNonRoot to true."


@PODS.rule(
    "capabilities-dropped",
    *WORKLOADS,
    severity="medium",
    why="Containers have fourteen of Linux's capabilities by default, NET_RAW and CHOWN among them.",
    references=(STANDARDS, POD_GUIDE),
    but=[],
)
def capabilities_dropped(workload: Resource, parameters: Parameters) -> Violations:
    """Containers drop all capabilities of Linux."""
    for container in containers(workload) if not _listed(workload, parameters["but"]) else ():
        dropped = container.get("securityContext.capabilities.drop", [])
        if dropped is not UNKNOWN and not {"ALL", "all"} & set(map(text, dropped)) and UNKNOWN not in dropped:
            yield (
                f"{where(workload, container)} keeps capabilities: set securityContext.capabilities.drop "
                "to [ALL]."
            )


@PODS.rule(
    "capabilities-not-added",
    *WORKLOADS,
    severity="high",
    why="SYS_ADMIN, SYS_PTRACE, NET_ADMIN and others are as good as being root on the node.",
    references=(STANDARDS,),
    allowed=["NET_BIND_SERVICE"],
    but=[],
)
def capabilities_not_added(workload: Resource, parameters: Parameters) -> Violations:
    """Containers get no capabilities of Linux, but for those that are listed."""
    for container in containers(workload) if not _listed(workload, parameters["but"]) else ():
        for name in map(text, sequence(container.get("securityContext.capabilities.add"))):
            if name and name not in parameters["allowed"]:
                yield (
                    f"{where(workload, container)} gets {name}: take it out of "
                    "securityContext.capabilities.add."
                )


@PODS.rule(
    "seccomp-profile",
    *WORKLOADS,
    severity="low",
    why="Without a profile, containers may make system calls that only exploits make.",
    references=(STANDARDS, POD_GUIDE),
    but=[],
)
def seccomp_profile(workload: Resource, parameters: Parameters) -> Violations:
    """Containers are held to the system calls of their runtime's profile."""
    for container in containers(workload) if not _listed(workload, parameters["but"]) else ():
        profile = _security(workload, container, "seccompProfile.type", "Unconfined")
        if profile == "Unconfined":
            yield (
                f"{where(workload, container)} has no seccomp profile: set seccompProfile.type to "
                "RuntimeDefault."
            )


@PODS.rule(
    "requests-set",
    *WORKLOADS,
    severity="medium",
    why="A pod without requests is placed on a full node, and is the first to be evicted from it.",
    references=(
        "https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/",
        RESOURCES_GUIDE,
    ),
    but=[],
)
def requests_set(workload: Resource, parameters: Parameters) -> Violations:
    """Containers ask for the cores and the memory that they need."""
    for container in _running(workload, parameters):
        for amount in ("cpu", "memory"):
            wanted = container.get(
                f"resources.requests.{amount}", container.get(f"resources.limits.{amount}", "")
            )
            if wanted == "":
                yield f"{where(workload, container)} asks for no {amount}: set resources.requests.{amount}."


@PODS.rule(
    "memory-limited",
    *WORKLOADS,
    severity="medium",
    why="A container that leaks takes its node's memory, and the kernel ends whatever it finds.",
    references=(
        "https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/",
        RESOURCES_GUIDE,
    ),
    but=[],
)
def memory_limited(workload: Resource, parameters: Parameters) -> Violations:
    """Containers have a bound of memory."""
    for container in _running(workload, parameters):
        if container.get("resources.limits.memory", "") == "":
            yield f"{where(workload, container)} may take all memory: set resources.limits.memory."


def _running(workload: Resource, parameters: Parameters) -> Iterator[Container]:
    """Containers that run for as long as their pod, of a workload that is not listed."""
    for container in containers(workload) if not _listed(workload, parameters["but"]) else ():
        if container.part == CONTAINERS[0]:
            yield container


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
        immutable = any(fnmatchcase(image, pattern) for pattern in parameters["immutable_registries"])
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
        if not any(fnmatchcase(with_registry(image), pattern) for pattern in parameters["registries"]):
            yield (
                f"{where(workload, container)} runs {image}, from a registry that is not allowed: mirror it."
            )


def with_registry(image: str) -> str:
    """An image with the registry that a name without one means: Docker Hub's."""
    first = image.partition("/")[0]
    if "." in first or ":" in first or first == "localhost":
        return image
    return f"docker.io/{image}" if "/" in image else f"docker.io/library/{image}"


def _images(workload: Resource) -> Iterator[tuple[Container, str]]:
    for container in containers(workload):
        if image := text(container.get("image")):
            yield container, image


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
    if version == "" or any(character in text(version) for character in "^~*<>x "):
        yield (
            f"Release {release.name} takes {text(version) or 'any version'} of its chart: name an exact "
            "version."
        )


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
    if known and not any(fnmatchcase(source, pattern) for pattern in parameters["repositories"]):
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


@PODS.rule(
    "not-in-default-namespace",
    OBJECTS,
    severity="medium",
    why="No quota, network policy or role is meant for it.",
    references=("CIS 4.5.2",),
)
def not_in_default_namespace(resource: Resource, _: Parameters) -> Violations:
    """Nothing is in the namespace default."""
    if resource.get("metadata.namespace") == "default" or (
        resource.type == RELEASE and resource.get("namespace", "default") == "default"
    ):
        yield f"{where(resource)} is in the namespace default: give it one of its own."


@PODS.rule(
    "namespace-pod-security",
    NAMESPACE,
    severity="medium",
    why="A pod that somebody makes by hand is judged by nobody else.",
    references=("CIS 4.2.1", "https://kubernetes.io/docs/concepts/security/pod-security-admission/"),
    privileged=[],
)
def namespace_pod_security(namespace: Resource, parameters: Parameters) -> Violations:
    """Namespaces refuse pods that reach for their host."""
    level = mapping(namespace.get("metadata.labels", {})).get("pod-security.kubernetes.io/enforce", "")
    labels = namespace.get("metadata.labels", {})
    if labels is UNKNOWN or namespace.object_name in parameters["privileged"]:
        return
    if level in ("", "privileged"):
        label = "pod-security.kubernetes.io/enforce"
        yield f"Namespace {namespace.object_name} takes any pod: label it {label}: baseline or restricted."


@PODS.rule(
    "probes-set",
    DEPLOYMENT,
    STATEFUL_SET,
    severity="low",
    why="A rollout goes on over pods that do not answer yet, and traffic reaches them.",
    references=("https://docs.aws.amazon.com/eks/latest/best-practices/application.html",),
    but=[],
)
def probes_set(workload: Resource, parameters: Parameters) -> Violations:
    """Kubernetes knows when a program answers."""
    running = list(_running(workload, parameters))
    if running and not any(container.get("readinessProbe") is not None for container in running):
        yield f"No container of {where(workload)} says when it is ready: set a readinessProbe."


def _is_job_namespace(namespace: Resource) -> bool:
    name = namespace.object_name
    return name not in PLATFORM_NAMESPACES and not name.startswith("kube-")


@PODS.stack_rule(
    "default-deny",
    NAMESPACE,
    NETWORK_POLICY,
    severity="high",
    why="Jobs run code of many; without it any of them reaches every other pod and all that the VPC does.",
    references=("CIS 4.3.2", "https://docs.aws.amazon.com/eks/latest/best-practices/network-security.html"),
)
def default_deny(resources: Sequence[Resource], _: Parameters) -> StackViolations:
    """Nothing goes in or out of a job namespace that is not let."""
    denials = [policy for policy in resources if _denies_all(policy)]
    for namespace in resources:
        denied = any(_is_in(denial, namespace) for denial in denials)
        if namespace.type == NAMESPACE and _is_job_namespace(namespace) and not denied:
            yield (
                namespace,
                f"Namespace {namespace.object_name} has no NetworkPolicy that denies all: add one.",
            )


def _is_in(resource: Resource, namespace: Resource) -> bool:
    """Whether an object is in a namespace, by what it reads where its own is not known."""
    if resource.provider != namespace.provider:
        return False
    if resource.get("metadata.namespace") is UNKNOWN:
        return namespace.urn in resource.reads.get("metadata", ())
    return resource.namespace == namespace.object_name


def _denies_all(policy: Resource) -> bool:
    spec = policy.get("spec")
    if policy.type != NETWORK_POLICY or not isinstance(spec, Mapping):
        return False
    selector = mapping(spec.get("podSelector"))
    kinds = set(map(text, sequence(spec.get("policyTypes"))))
    return (
        not selector and kinds >= {"Ingress", "Egress"} and not spec.get("ingress") and not spec.get("egress")
    )


@PODS.stack_rule(
    "job-namespace-bounded",
    NAMESPACE,
    QUOTA,
    severity="medium",
    why="One team's mistake fills the API server for all.",
    references=("https://docs.aws.amazon.com/eks/latest/best-practices/tenant-isolation.html",),
)
def job_namespace_bounded(resources: Sequence[Resource], _: Parameters) -> StackViolations:
    """Job namespaces have a bound of pods."""
    quotas = [quota for quota in resources if quota.type == QUOTA]
    for namespace in resources:
        bounded = any(_is_in(quota, namespace) for quota in quotas)
        if namespace.type == NAMESPACE and _is_job_namespace(namespace) and not bounded:
            yield namespace, f"Namespace {namespace.object_name} has no ResourceQuota: bound its pods."
