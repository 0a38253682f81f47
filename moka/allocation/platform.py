"""What Archer knows that a plan goes by: workflows, where each runs now, and what is in force."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from moka.submission.routes import Route, route_of
from moka.workflows.definitions import Workflow

Answer = Mapping[str, Any]
"""A part of what Archer answers."""


class Archer(Protocol):
    """What of its client is asked (clients/archer)."""

    def list_plans(self, *, limit: int) -> Answer:
        """What is in force, besides plans."""

    def list_workflows(self, *, proposed: bool) -> Iterable[Answer]:
        """Workflows that somebody, or nobody, has told of."""

    def list_routes(self) -> Iterable[Answer]:
        """Routes that are in force."""


@dataclass(frozen=True)
class Platform:
    """What Archer knows that a plan goes by.

    workflows: that somebody told of. routes: workflow -> cluster, where a route says which.
    fixed: workflows whose route somebody set. revision: of what is in force; None where nobody was asked.
    """

    workflows: Mapping[str, Workflow] = field(default_factory=dict)
    routes: Mapping[str, str] = field(default_factory=dict)
    fixed: frozenset[str] = frozenset()
    revision: int | None = None


def platform_of(archer: Archer, now: datetime) -> Platform:
    """What Archer answers; its client's errors are raised."""
    # First: a step that comes between makes this an old one, so that no plan of old routes takes effect.
    revision = archer.list_plans(limit=1)["in_force"]["number"]
    workflows = {
        one["workflow"]: Workflow.model_validate({name: one.get(name) for name in Workflow.model_fields})
        for one in archer.list_workflows(proposed=False)
    }
    listed = [(_route(one), bool(one.get("plan"))) for one in archer.list_routes()]
    all_routes, by_people = [one for one, _ in listed], {one for one, of_plan in listed if not of_plan}
    routes, fixed = {}, set()
    for name in workflows:
        route = route_of(name, all_routes, now)
        if route is not None and route.cluster:
            routes[name] = route.cluster
            if route in by_people:
                fixed.add(name)
    return Platform(workflows, routes, frozenset(fixed), revision)


def _route(written: Answer) -> Route:
    return Route(
        workflow=written["workflow"],
        cluster=written.get("cluster"),
        since=datetime.fromisoformat(written["since"]),
        why=written["why"],
        by=written["by"],
    )
