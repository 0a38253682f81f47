"""A checksum of configuration files, so that pods are replaced when those change."""

import hashlib
import json
from collections.abc import Mapping

CHECKSUM = "moka.dev/configuration"
"""Annotation of pods; the checksum in it is part of what a pod is."""


def checksum(files: Mapping[str, str]) -> str:
    """Equal for equal files, whatever their order."""
    return hashlib.sha256(json.dumps(files, sort_keys=True).encode()).hexdigest()
