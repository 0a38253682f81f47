"""Who may use whose data and images."""

from collections.abc import Iterator

from moka.mistakes import Mistake
from stacks.settings.environment import Environment

CREDENTIALS = ("docker.io", "ghcr.io")
"""Upstream registries that a pull-through cache asks with credentials only (ECR User Guide)."""


def grants(settings: Environment) -> Iterator[Mistake]:
    """Grants to oneself, and data of one's own that is used as another's."""
    for name, grant in settings.grants.items():
        if grant.environment == settings.environment:
            yield Mistake(
                f"grants.{name}.environment",
                f"is {grant.environment!r}, this one; it needs no grant of its own",
            )
    for name, use in settings.uses.items():
        if use.bucket.startswith(f"{settings.prefix}-"):
            yield Mistake(
                f"uses.{name}.bucket", f"is {use.bucket!r}, of this environment; its jobs may use it anyway"
            )


def registry(settings: Environment) -> Iterator[Mistake]:
    """Upstream registries that would refuse to be asked, and readers that need no permission."""
    if settings.registry is None:
        return
    for upstream, how in settings.registry.pull_through.items():
        if upstream in CREDENTIALS and how.secret is None:
            yield Mistake(
                f"registry.pull_through.{upstream}.secret",
                f"is missing; {upstream} is asked with credentials only, from a secret whose name begins "
                "with ecr-pullthroughcache/",
            )
    place = settings.foundations.get(settings.registry.foundation)
    if place and place.account in settings.registry.readers:
        yield Mistake("registry.readers", f"{place.account!r} owns the registry; name other accounts only")
