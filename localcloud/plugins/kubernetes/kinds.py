"""From Pulumi's type tokens to Kubernetes' kinds."""

from dataclasses import dataclass
from typing import Any

from localcloud.errors import Refusal

RELEASE = "kubernetes:helm.sh/v3:Release"

CLUSTER_SCOPED = """
    APIService CSIDriver CSINode CertificateSigningRequest ClusterRole ClusterRoleBinding ClusterTrustBundle
    ComponentStatus CustomResourceDefinition DeviceClass FlowSchema IPAddress IngressClass
    MutatingAdmissionPolicy MutatingAdmissionPolicyBinding MutatingWebhookConfiguration Namespace Node
    PersistentVolume PodCertificateRequest PriorityClass PriorityLevelConfiguration ResourceSlice RuntimeClass
    SelfSubjectAccessReview SelfSubjectReview SelfSubjectRulesReview ServiceCIDR StorageClass
    StorageVersion StorageVersionMigration SubjectAccessReview TokenReview ValidatingAdmissionPolicy
    ValidatingAdmissionPolicyBinding ValidatingWebhookConfiguration VolumeAttachment VolumeAttributesClass
"""
"""Kubernetes' own kinds that live in no namespace; for other kinds the API server knows."""

NOT_SERVED = {
    "helm.sh": "use helm.v3.Release, or render the chart into resources of your own",
    "yaml": "declare the objects as resources",
    "kustomize": "declare the objects as resources",
}
"""Package of the SDK that has no kinds of Kubernetes -> what to do instead."""


@dataclass(frozen=True)
class Kind:
    """A kind of Kubernetes: group ("" is core's), version, name."""

    group: str
    version: str
    name: str

    @classmethod
    def of(cls, api_version: str, name: str) -> "Kind":
        """The kind that an object's `apiVersion` and `kind` name."""
        group, _, version = api_version.rpartition("/")
        return cls(group, version, name)

    @property
    def api_version(self) -> str:
        """As in an object's `apiVersion`."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def root(self) -> str:
        """Path of its group and version on an API server."""
        return f"/apis/{self.api_version}" if self.group else f"/api/{self.version}"

    @property
    def built_in(self) -> bool:
        """Whether the kind is one of Kubernetes' own groups, not of a custom resource."""
        return "." not in self.group or self.group.endswith(".k8s.io")

    @property
    def cluster_scoped(self) -> bool:
        """Whether it is known without the API server that objects of this kind live in no namespace."""
        return self.built_in and self.name in CLUSTER_SCOPED.split()

    def __str__(self) -> str:
        return f"{self.name} ({self.api_version})"


def kind_of_token(token: str) -> Kind:
    """The kind that a resource's type token names.

    Raises Refusal for tokens that name none, or one that cannot be created as such.
    """
    _, _, rest = token.partition(":")
    api_version, _, name = rest.rpartition(":")
    group, _, version = api_version.rpartition("/")
    package = group or api_version
    if package in NOT_SERVED:
        raise Refusal(f"{token} is not served on the laptop: {NOT_SERVED[package]}.")
    if name.endswith("List"):
        raise Refusal(f"{token} cannot be created, a list is no object: declare each of its items.")
    if name.endswith("Patch"):
        raise Refusal(f"{token} is not served on the laptop: declare the whole {name[: -len('Patch')]}.")
    if not version:
        raise Refusal(f"{token} names no kind of Kubernetes: a token is kubernetes:<group>/<version>:<kind>.")
    return Kind("" if group in ("core", "meta") else group, version, name)


def kind_of_object(token: str, thing: dict[str, Any]) -> Kind:
    """The kind of an object: by its own fields, or else by its token."""
    default = kind_of_token(token)
    api_version, name = thing.get("apiVersion"), thing.get("kind")
    if isinstance(api_version, str) and isinstance(name, str):
        return Kind.of(api_version, name)
    return default
