"""Plans of queues: from a file, or from Archer."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from commands import archer_api
from commands.archer_api import ArcherProblem
from moka.allocation.plan import Plan, loads, read
from moka.mistakes import InvalidDocument
from moka.submission.routes import Route, route_of
from moka.workflows.definitions import Workflow

if TYPE_CHECKING:
    from archer.models import WrittenRouteModel


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


def plan_of(name: str) -> Plan:
    """The plan in a file, or the one of this id that Archer has.

    Raises InvalidDocument and ArcherProblem.
    """
    path = Path(name)
    if path.is_file():
        try:
            return loads(path.read_bytes(), name)
        except OSError as error:
            raise InvalidDocument(f"{name} cannot be read ({error.strerror}).") from None
    if not archer_api.named():
        raise ArcherProblem(f"{name} is no file; for a plan that Archer has, set {archer_api.URL}.")
    with archer_api.client() as archer:
        return read(dict(archer.get_plan(name)["document"]), name)


def plan_in_force() -> tuple[int, Plan | None]:
    """Revision of what is in force, and its plan. Raises InvalidDocument and ArcherProblem."""
    with archer_api.client() as archer:
        last = archer.list_plans(limit=1)["in_force"]
        name = last.get("plan")
        return last["number"], read(dict(archer.get_plan(name)["document"]), name) if name else None


def archer_platform() -> Platform:
    """What Archer knows. Raises ArcherProblem."""
    with archer_api.client() as archer:
        workflows = {
            one["workflow"]: Workflow.model_validate({name: one.get(name) for name in Workflow.model_fields})
            for one in archer.list_workflows(proposed=False)
        }
        listed = archer.list_routes()
        revision = archer.list_plans(limit=1)["in_force"]["number"]
    now = datetime.now(UTC)
    by_people, all_routes = (
        [_route(one) for one in listed if known or not one.get("plan")] for known in (False, True)
    )
    routes, fixed = {}, set()
    for name in workflows:
        route = route_of(name, all_routes, now)
        if route is not None and route.cluster:
            routes[name] = route.cluster
            if route in by_people:
                fixed.add(name)
    return Platform(workflows, routes, frozenset(fixed), revision)


def _route(written: "WrittenRouteModel") -> Route:
    return Route(
        workflow=written["workflow"],
        cluster=written.get("cluster"),
        since=datetime.fromisoformat(written["since"]),
        why=written["why"],
        by=written["by"],
    )
