"""Who may use whose data and images."""

from collections.abc import Iterator

from moka.mistakes import Mistake
from moka.registries import UPSTREAMS_WITH_CREDENTIALS
from stacks.settings.environment import Environment


def grants(settings: Environment) -> Iterator[Mistake]:
    """Grants to the environment itself, and data of its own listed as another's."""
    for name, grant in settings.grants.items():
        if grant.environment == settings.environment:
            yield Mistake(
                f"grants.{name}.environment",
                f"is {grant.environment!r}, this environment, which needs no grant; remove it",
            )
    for name, use in settings.uses.items():
        if use.bucket.startswith(f"{settings.prefix}-"):
            yield Mistake(
                f"uses.{name}.bucket",
                f"is {use.bucket!r}, a bucket of this environment, which its jobs may use anyway; remove it",
            )


def registry(settings: Environment) -> Iterator[Mistake]:
    """Upstream registries that would refuse ECR, and readers that need no permission."""
    if settings.registry is None:
        return
    for upstream, cache in settings.registry.pull_through.items():
        if upstream in UPSTREAMS_WITH_CREDENTIALS and cache.secret is None:
            yield Mistake(
                f"registry.pull_through.{upstream}.secret",
                f"is missing; {upstream} needs credentials, in a secret whose name begins with "
                "ecr-pullthroughcache/",
            )
    foundation = settings.foundations.get(settings.registry.foundation)
    if foundation and foundation.account in settings.registry.readers:
        yield Mistake(
            "registry.readers", f"{foundation.account!r} owns the registry; list only other accounts"
        )
