"""Who may use whose data and images."""

import re
from collections.abc import Iterator

from moka.mistakes import Mistake, near
from moka.registries import UPSTREAMS_WITH_CREDENTIALS, ecr_host
from moka.sizes.history import MAX_LISTED
from stacks.settings.checks.partitions import images
from stacks.settings.environment import Environment


def grants(settings: Environment) -> Iterator[Mistake]:
    """Grants to the environment itself."""
    for name, grant in settings.grants.items():
        if grant.environment == settings.environment:
            yield Mistake(
                f"grants.{name}.environment",
                f"is {grant.environment!r}, this environment, which needs no grant; remove it",
            )


def event_logs(settings: Environment) -> Iterator[Mistake]:
    """More logs in the History Server's list than a scan can take, or for longer than there are any."""
    kept_days, hot, jobs = (
        settings.retention.event_logs,
        settings.retention.event_logs_hot,
        settings.history.jobs_per_day,
    )
    at = "retention.event_logs_hot"
    if hot > kept_days:
        yield Mistake(
            at, f"is {hot}, but event logs are kept for {kept_days} days; lower it to {kept_days} or less"
        )
    if hot * jobs > MAX_LISTED:
        yield Mistake(
            at,
            f"is {hot}, which with history.jobs_per_day are {hot * jobs:,} logs in the History Server's "
            f"list, and a scan takes {MAX_LISTED:,}; lower it to {max(MAX_LISTED // jobs, 1)}: older ones "
            "open by their address",
        )


def registry(settings: Environment) -> Iterator[Mistake]:
    """Names that ECR refuses, upstream registries that would refuse ECR, and needless readers."""
    if settings.registry is None:
        return
    if settings.registry.repositories and "--" in settings.prefix:
        yield Mistake(
            "registry.repositories",
            f"would be under {settings.prefix!r}, but ECR takes no two dashes beside each other; rename the "
            "environment or the organization",
        )
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


def own_images(settings: Environment) -> Iterator[Mistake]:
    """Images under the environment's own prefix in its registry, in repositories that it does not have."""
    registry = settings.registry
    foundation = settings.foundations.get(registry.foundation) if registry else None
    if registry is None or foundation is None:
        return
    for at, reference in images(settings):
        host, _, rest = reference.partition("/")
        ecr = ecr_host(host)
        path = re.split("[:@]", rest)[0]
        own = ecr and (ecr.account, ecr.region) == (foundation.account, foundation.region)
        name = path.removeprefix(f"{settings.prefix}/")
        if own and name != path and name not in registry.repositories:
            yield Mistake(
                at,
                f"is {reference!r}, but registry.repositories has no {name}; "
                f"{near(name, set(registry.repositories))}",
            )
