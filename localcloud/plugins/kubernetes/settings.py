"""The provider's configuration, as the SDK's `Provider` sends it."""

import json
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

SHOWN = (
    "enableServerSideApply",
    "helmReleaseSettings",
    "kubeClientSettings",
    "suppressDeprecationWarnings",
    "suppressHelmHookWarnings",
)
"""Inputs that are taken and change nothing here, at least not with the value that is allowed."""

REFUSED = {
    "alwaysRender": "manifests are applied here, not rendered into files",
    "renderYamlToDirectory": "manifests are applied here, not rendered into files",
    "skipUpdateUnreachable": "a cluster that does not answer is an error here, as it is on this machine",
}
"""Inputs that are not served, and why."""

INPUTS = frozenset((*USED, *SHOWN, *REFUSED))
"""All that the SDK's Provider takes."""


@dataclass
class Settings:
    """What the provider was configured with.

    kubeconfig: parsed; that of the environment where none was given.
    upsert: take over objects that are there already. patch_force: take over others' fields.
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
            delete_unreachable=on(inputs.get("deleteUnreachable")),
            patch_force=on(inputs.get("enablePatchForce")),
            upsert=on(inputs.get("upsertExistingObjects")),
            config_map_mutable=on(inputs.get("enableConfigMapMutable")),
            secret_mutable=on(inputs.get("enableSecretMutable")),
        )

    @staticmethod
    def refused(inputs: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """Inputs that are not served here, each with a sentence."""
        for name, why in REFUSED.items():
            if inputs.get(name) not in (None, "", False, "false"):
                yield name, f"{name} is not served on the laptop, {why}: leave it out."
        if inputs.get("enableServerSideApply") in (False, "false"):
            yield (
                "enableServerSideApply",
                "enableServerSideApply cannot be off on the laptop, which knows no other way: leave it out.",
            )

    def kubeconfig_text(self) -> str:
        """The kubeconfig, to be written to a file."""
        return json.dumps(self.kubeconfig)


def on(value: Any) -> bool:
    """Whether an input is on; the engine sends configuration as strings."""
    return value is True or value == "true"
