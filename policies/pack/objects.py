"""Kubernetes objects: where pods are specified in them, and the objects of a chart as resources."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from policies.pack.resource import UNKNOWN, Inputs, Resource, at, mapping, sequence, text

RELEASE = "kubernetes:helm.sh/v3:Release"

POD_SPECS: Mapping[str, str] = {
    "kubernetes:core/v1:Pod": "spec",
    "kubernetes:core/v1:PodTemplate": "template.spec",
    "kubernetes:core/v1:ReplicationController": "spec.template.spec",
    "kubernetes:apps/v1:DaemonSet": "spec.template.spec",
    "kubernetes:apps/v1:Deployment": "spec.template.spec",
    "kubernetes:apps/v1:ReplicaSet": "spec.template.spec",
    "kubernetes:apps/v1:StatefulSet": "spec.template.spec",
    "kubernetes:batch/v1:Job": "spec.template.spec",
    "kubernetes:batch/v1:CronJob": "spec.jobTemplate.spec.template.spec",
}
"""Type -> where it keeps the specification of its pods."""

WORKLOADS = tuple(POD_SPECS)

CONTAINERS = ("containers", "initContainers", "ephemeralContainers")


@dataclass(frozen=True)
class Container:
    """A container of a workload.

    part: of the pod's specification, one of CONTAINERS.
    spec: UNKNOWN where it is not known yet.
    """

    part: str
    spec: Any

    @property
    def name(self) -> str:
        """Its name, for messages."""
        return text(self.get("name")) or "without a name"

    def get(self, path: str, default: Any = None) -> Any:
        """A field at a dotted path; UNKNOWN where it is not known yet."""
        return at(self.spec, path, default)


def pod_spec(workload: Resource) -> Inputs:
    """The specification of a workload's pods; empty where it is not known yet."""
    return mapping(workload.get(POD_SPECS[workload.type]))


def containers(workload: Resource) -> Iterator[Container]:
    """The containers of a workload's pods, those that prepare them included."""
    spec = pod_spec(workload)
    for part in CONTAINERS:
        for container in sequence(spec.get(part)):
            yield Container(part, container)


def token(document: Inputs) -> str:
    """The type of an object by Pulumi's name; empty for what is no object."""
    version, kind = document.get("apiVersion"), document.get("kind")
    if not isinstance(version, str) or not isinstance(kind, str):
        return ""
    return f"kubernetes:{version if '/' in version else f'core/{version}'}:{kind}"


def objects_of_chart(release: Resource, chart: str, documents: Sequence[Inputs]) -> Iterator[Resource]:
    """What a release's chart has, as resources of the release's URN; lists are taken apart."""
    namespace = release.get("namespace", "default")
    for document in _flat(documents):
        if type := token(document):
            metadata = {"namespace": namespace, **mapping(document.get("metadata"))}
            yield Resource(type, release.name, release.urn, {**document, "metadata": metadata}, chart=chart)


def _flat(documents: Sequence[Inputs]) -> Iterator[Inputs]:
    for document in documents:
        if text(document.get("kind")).endswith("List") and isinstance(document.get("items"), list):
            yield from _flat([mapping(item) for item in document["items"]])
        else:
            yield document


def is_named(resource: Resource, patterns: Sequence[str]) -> bool:
    """Whether an object's name fits one of some patterns; one that is not known yet fits any."""
    if resource.get("metadata.name") is UNKNOWN:
        return bool(patterns)
    return any(fnmatchcase(resource.object_name, pattern) for pattern in patterns)


def is_placed(resource: Resource, pattern: str) -> bool:
    """Whether `<namespace>/<name>` of an object fits a pattern, as far as both are known."""
    namespace, _, name = pattern.partition("/")
    own = resource.get("metadata.namespace", "default")
    return (own is UNKNOWN or fnmatchcase(text(own), namespace)) and is_named(resource, [name])


def where(resource: Resource, container: Container | None = None) -> str:
    """What a sentence calls a resource, with the chart that it is in."""
    place = f"{resource.kind} {resource.object_name}"
    if resource.chart:
        place = f"{place} of chart {resource.chart}"
    return f"Container {container.name} of {place}" if container else place
