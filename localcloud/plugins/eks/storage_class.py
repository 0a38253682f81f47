"""StorageClasses of a cluster: an argument that makes them, by name or by kind of volume.

Source: nodejs/eks/cluster/storageclass.ts of github.com/pulumi/pulumi-eks.
"""

from collections.abc import Mapping
from typing import Any

import pulumi
import pulumi_kubernetes as kubernetes

PARAMETERS = ("type", "zones", "iopsPerGb", "encrypted", "kmsKeyId")
DEFAULT = "storageclass.kubernetes.io/is-default-class"


def storage_classes(
    name: str, argument: str | Mapping[str, Mapping[str, Any]], opts: pulumi.ResourceOptions
) -> dict[str, kubernetes.storage.v1.StorageClass]:
    """The classes, by their keys; of a kind of volume there is one, which is the default."""
    classes = {argument: {"type": argument, "default": True}} if isinstance(argument, str) else argument
    return {key: _storage_class(f"{name.lower()}-{key}", about, opts) for key, about in classes.items()}


def _storage_class(
    name: str, about: Mapping[str, Any], opts: pulumi.ResourceOptions
) -> kubernetes.storage.v1.StorageClass:
    metadata: pulumi.Output[Any] = pulumi.Output.all(about.get("metadata") or {}, about.get("default")).apply(
        lambda values: _metadata(*values)
    )
    return kubernetes.storage.v1.StorageClass(
        name,
        metadata=metadata,
        provisioner="kubernetes.io/aws-ebs",
        parameters={
            parameter: pulumi.Output.from_input(about[parameter]).apply(_text)
            for parameter in PARAMETERS
            if about.get(parameter)
        },
        allow_volume_expansion=about.get("allowVolumeExpansion"),
        mount_options=about.get("mountOptions"),
        reclaim_policy=about.get("reclaimPolicy"),
        volume_binding_mode=about.get("volumeBindingMode"),
        opts=opts,
    )


def _metadata(metadata: Mapping[str, Any], default: bool | None) -> Any:
    if not default:
        return metadata
    return {**metadata, "annotations": {**(metadata.get("annotations") or {}), DEFAULT: "true"}}


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ", ".join(value)
    # Numbers come over the wire as floats.
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
