"""Tags, as every service of AWS takes them:
https://docs.aws.amazon.com/tag-editor/latest/userguide/best-practices-and-strats.html
"""

from collections.abc import Iterator

from moka.mistakes import Mistake
from moka.names import TAG_PREFIX
from stacks.settings.environment import Environment

MAX_TAGS = 50
PLATFORM_TAGS = 8
"""Tags that a resource has besides at most. A node has that many: environment, managed-by and Name, and EKS's
of its cluster, its group and for the autoscaler."""

MAX_KEY_LENGTH, MAX_VALUE_LENGTH = 128, 256
SIGNS = " +-=._:/@"
"""Besides letters and digits, what every service takes in keys and values."""

RESERVED = (TAG_PREFIX, "aws:", "eks:", "kubernetes.io/", "k8s.io/")
"""Beginnings of keys. `aws:` is AWS's, in any case of its letters, and of values too."""

NAME = "Name"
"""Key by which consoles show a resource: each has its own."""


def tags(settings: Environment) -> Iterator[Mistake]:
    """Tags that AWS refuses, and those that are set by others."""
    most = MAX_TAGS - PLATFORM_TAGS
    if len(settings.tags) > most:
        yield Mistake(
            "tags",
            f"are {len(settings.tags)}, but AWS takes {MAX_TAGS} on a resource, of which up to "
            f"{PLATFORM_TAGS} are set by the platform and EKS; keep {most}",
        )
    keys: dict[str, str] = {}
    for key, value in settings.tags.items():
        yield from _text(f"tags.{key}", "its key", key, MAX_KEY_LENGTH)
        yield from _text(f"tags.{key}", "its value", value, MAX_VALUE_LENGTH)
        if not key:
            yield Mistake("tags", "has an empty key; give it a name")
        if key.lower().startswith(RESERVED):
            yield Mistake(
                f"tags.{key}", f"tags that begin with {' or '.join(RESERVED)} are reserved; choose another"
            )
        if key == NAME:
            yield Mistake(f"tags.{key}", "is set by the platform, on each resource its own; choose another")
        if value.lower().startswith("aws:"):
            yield Mistake(
                f"tags.{key}", f"is {value!r}, but values that begin with aws: are reserved; choose another"
            )
        first = keys.setdefault(key.lower(), key)
        if first != key:
            # https://docs.aws.amazon.com/IAM/latest/UserGuide/id_tags.html
            yield Mistake(
                f"tags.{key}",
                f"is the key {first!r} to IAM, which takes no two that differ in case; keep one",
            )


def _text(at: str, what: str, text: str, most: int) -> Iterator[Mistake]:
    if len(text) > most:
        yield Mistake(at, f"{what} has {len(text)} characters, but AWS takes {most}; shorten it")
    if wrong := sorted({sign for sign in text if not sign.isalnum() and sign not in SIGNS}):
        yield Mistake(
            at,
            f"{what} has {', '.join(map(repr, wrong))}, but AWS takes only letters, digits, spaces and "
            f"{' '.join(SIGNS.strip())}; remove it",
        )
