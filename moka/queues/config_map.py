"""Queues in YuniKorn's ConfigMap: those of the settings, and over them those that a program keeps.

The scheduler takes a key of `binaryData` before the same of `data`, unpacked where its name ends in `.gz`
(https://yunikorn.apache.org/docs/user_guide/service_config, "Using compressed values"; apache/yunikorn-k8shim
v1.8.0: pkg/conf/schedulerconf.go, FlattenConfigMaps). So each has a field of its own, and without the second
the first holds.
"""

import base64
import gzip
import zlib
from collections.abc import Mapping
from typing import Any

KEY = "queues.yaml"
"""In `data`: the queues as the settings have them."""

KEPT_KEY = "queues.yaml.gz"
"""In `binaryData`: the queues as they are at this time, where that is something else."""


def pack(text: str) -> str:
    """Queues as a value of `binaryData`; equal text gives an equal value."""
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


def keeper_queues(config_map: Mapping[str, Any]) -> str | None:
    """The queues that a program keeps in a ConfigMap; None where there are none, empty for broken ones."""
    value = (config_map.get("binaryData") or {}).get(KEPT_KEY)
    if value is None:
        return None
    try:
        return gzip.decompress(base64.b64decode(value)).decode()
    except (OSError, EOFError, ValueError, zlib.error):
        return ""


def in_force(config_map: Mapping[str, Any]) -> str | None:
    """The queues that a scheduler takes from a ConfigMap; None where it has none."""
    return keeper_queues(config_map) or (config_map.get("data") or {}).get(KEY)
