"""Routes: where the jobs of a workflow go, since when, and why."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from fnmatch import fnmatchcase

from moka.jobs.job import Architecture


@dataclass(frozen=True, kw_only=True)
class Route:
    """Where jobs go, of which a workflow's pattern is the key.

    workflow: its name, or a pattern of `*` and `?`.
    cluster, namespace, queue, architecture: what the job gets in place of its own; None to leave it.
    since: from when on. why, by: for people.
    """

    workflow: str
    cluster: str | None = None
    namespace: str | None = None
    queue: str | None = None
    architecture: Architecture | None = None
    since: datetime
    why: str
    by: str

    @property
    def exact(self) -> bool:
        """Whether it is for one workflow."""
        return not set("*?[") & set(self.workflow)


def route_of(workflow: str | None, routes: Iterable[Route], now: datetime) -> Route | None:
    """The route of a workflow: its own, else that of the longest pattern, of those in force the latest."""
    if workflow is None:
        return None
    fitting = [
        route
        for route in routes
        if route.since <= now
        and (workflow == route.workflow if route.exact else fnmatchcase(workflow, route.workflow))
    ]
    return max(fitting, key=lambda route: (route.exact, len(route.workflow), route.since), default=None)
