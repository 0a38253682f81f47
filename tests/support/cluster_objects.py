"""Kinds of Kubernetes objects that the program of an environment makes, besides what is in charts."""

from collections.abc import Iterator

from stacks.settings import Environment
from tests.support import bootstrapped_previews

RELEASE = "kubernetes:helm.sh/v3:Release"
PLURALS = {"Policy": "policies", "Ingress": "ingresses", "Class": "classes"}
"""End of a kind -> end of its resource, where that is not the kind and an s."""


def kinds_of(environment: Environment) -> Iterator[tuple[str, str]]:
    """API group and resource of each kind of object."""
    recorder, _ = bootstrapped_previews._deploy(environment)
    for resource in recorder.resources:
        if resource.type.startswith("kubernetes:") and resource.type != RELEASE:
            _, version, kind = resource.type.split(":")
            group = version.partition("/")[0]
            ends = [end for end in PLURALS if kind.endswith(end)]
            plural = kind.removesuffix(ends[0]) + PLURALS[ends[0]] if ends else f"{kind}s"
            yield "" if group == "core" else group, plural.lower()
