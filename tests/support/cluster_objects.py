"""Kinds of Kubernetes objects by the types that Pulumi has for them, besides what is in charts."""

from collections.abc import Iterable, Iterator

RELEASE = "kubernetes:helm.sh/v3:Release"
PLURALS = {"Policy": "policies", "Ingress": "ingresses", "Class": "classes"}
"""End of a kind -> end of its resource, where that is not the kind and an s."""


def kinds_of(types: Iterable[str]) -> Iterator[tuple[str, str]]:
    """API group and resource of each kind of object among types of resources."""
    for typ in types:
        if typ.startswith("kubernetes:") and typ != RELEASE:
            _, version, kind = typ.split(":")
            group = version.partition("/")[0]
            ends = [end for end in PLURALS if kind.endswith(end)]
            plural = kind.removesuffix(ends[0]) + PLURALS[ends[0]] if ends else f"{kind}s"
            yield "" if group == "core" else group, plural.lower()
