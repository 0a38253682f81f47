"""The provider's configuration, as the SDK's `Provider` sends it."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from localcloud.plugins.kubernetes.kubeconfig import read

USED = (
    "kubeconfig",
    "context",
    "cluster",
    "namespace",
    "deleteUnreachable",
    "enablePatchForce",
    "upsertExistingObjects",
    "enableConfigMapMutable",
    "enableSecretMutable",
    "clusterIdentifier",
)
"""Inputs that change what the plugin does."""

DELETE_UNREACHABLE = "PULUMI_K8S_DELETE_UNREACHABLE"
"""Says of a cluster that does not answer that it is gone, where the provider's input says nothing.

https://github.com/pulumi/pulumi-kubernetes/pull/2037
"""

IGNORED = (
    "enableServerSideApply",
    "helmReleaseSettings",
    "kubeClientSettings",
    "suppressDeprecationWarnings",
    "suppressHelmHookWarnings",
)
"""Inputs that are accepted and change nothing here, at least not with the value that is allowed."""

REFUSED = {
    "alwaysRender": "manifests are applied here, not rendered into files",
    "renderYamlToDirectory": "manifests are applied here, not rendered into files",
    "skipUpdateUnreachable": "a cluster that does not answer is an error here, as it is on this machine",
}
"""Inputs that are not served, and why."""

INPUTS = frozenset((*USED, *IGNORED, *REFUSED))
"""All inputs of the SDK's Provider."""


@dataclass
class Settings:
    """The provider's configuration.

    kubeconfig: parsed; by default that of the environment.
    upsert: take over existing objects. patch_force: take over fields of other managers.
    config_map_mutable, secret_mutable: contents may change without a new object.
    """

    kubeconfig: dict[str, Any] = field(default_factory=dict)
    context: str | None = None
    cluster: str | None = None
    namespace: str | None = None
    delete_unreachable: bool = False
    patch_force: bool = False
    upsert: bool = False
    config_map_mutable: bool = False
    secret_mutable: bool = False

    @classmethod
    def of(cls, inputs: Mapping[str, Any], environ: Mapping[str, str] = os.environ) -> "Settings":
        """Settings from the provider's inputs. Raises Refusal where the kubeconfig cannot be read."""
        return cls(
            kubeconfig=read(inputs.get("kubeconfig"), environ),
            context=inputs.get("context") or None,
            cluster=inputs.get("cluster") or None,
            namespace=inputs.get("namespace") or None,
            delete_unreachable=enabled(inputs.get("deleteUnreachable", environ.get(DELETE_UNREACHABLE))),
            patch_force=enabled(inputs.get("enablePatchForce")),
            upsert=enabled(inputs.get("upsertExistingObjects")),
            config_map_mutable=enabled(inputs.get("enableConfigMapMutable")),
            secret_mutable=enabled(inputs.get("enableSecretMutable")),
        )

    @staticmethod
    def refusals(inputs: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """Names of inputs that are not served here, with a sentence for each."""
        for name, reason in REFUSED.items():
            if inputs.get(name) not in (None, "", False, "false"):
                yield name, f"{name} is not served on the laptop, {reason}: leave it out."
        if inputs.get("enableServerSideApply") in (False, "false"):
            yield (
                "enableServerSideApply",
                "enableServerSideApply cannot be off on the laptop, which has no other way: leave it out.",
            )


def enabled(value: Any) -> bool:
    """Whether an input is true; the engine sends configuration as strings."""
    return value is True or value == "true"
