"""What Archer knows that a plan goes by: workflows, where each runs now, and what is in force."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from moka.allocation.plan import Plan, read
from moka.submission.routes import Route, route_of
from moka.workflows.definitions import Workflow

Answer = Mapping[str, Any]
"""A part of what Archer answers."""


class Archer(Protocol):
    """What of its client is asked (clients/archer)."""

    def list_plans(self, *, limit: int) -> Answer:
        """What is in force, besides plans."""

    def get_plan(self, plan: str) -> Answer:
        """A plan, with its document."""

    def list_workflows(self, *, proposed: bool) -> Iterable[Answer]:
        """Workflows that somebody, or nobody, has told of."""

    def list_routes(self) -> Iterable[Answer]:
        """Routes that are in force."""


@dataclass(frozen=True)
class Platform:
    """What Archer knows that a plan goes by.

    workflows: that somebody told of. routes: workflow -> cluster, where a route says which.
    fixed: workflows whose route somebody set. revision: of what is in force; None where nobody was asked.
    plan: that is in force; None where the settings are.
    """

    workflows: Mapping[str, Workflow] = field(default_factory=dict)
    routes: Mapping[str, str] = field(default_factory=dict)
    fixed: frozenset[str] = frozenset()
    revision: int | None = None
    plan: Plan | None = None


def in_force(archer: Archer) -> tuple[int, Plan | None]:
    """Revision of what is in force, and its plan; the client's errors are raised."""
    last = archer.list_plans(limit=1)["in_force"]
    name = last.get("plan")
    return last["number"], read(dict(archer.get_plan(name)["document"]), name) if name else None


def platform_of(archer: Archer, now: datetime) -> Platform:
    """What Archer answers; its client's errors are raised."""
    # First: a step that comes between makes this an old one, so that no plan of old routes takes effect.
    revision, plan = in_force(archer)
    workflows = {
        answer["workflow"]: Workflow.model_validate(
            {name: answer.get(name) for name in Workflow.model_fields}
        )
        for answer in archer.list_workflows(proposed=False)
    }
    listed = [(_route(answer), bool(answer.get("plan"))) for answer in archer.list_routes()]
    all_routes, by_people = (
        [route for route, _ in listed],
        {route for route, of_plan in listed if not of_plan},
    )
    routes, fixed = {}, set()
    # Archer takes no route of a plan where somebody has set one, whatever that says, and from whenever on
    # (services/archer/database/plans.py).
    workflows_of_people = {route.workflow for route in by_people}
    for name in workflows:
        route = route_of(name, all_routes, now)
        if route is not None and route.cluster:
            routes[name] = route.cluster
        if name in workflows_of_people or (route is not None and route.cluster and route in by_people):
            fixed.add(name)
    return Platform(workflows, routes, frozenset(fixed), revision, plan)


def _route(answer: Answer) -> Route:
    return Route(
        workflow=answer["workflow"],
        cluster=answer.get("cluster"),
        since=datetime.fromisoformat(answer["since"]),
        why=answer["why"],
        by=answer["by"],
    )
