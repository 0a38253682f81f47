"""Plans of queues: from a file, or from Archer."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from commands import archer_api
from commands.archer_api import ArcherProblem
from moka.allocation.plan import Plan, loads, read
from moka.mistakes import InvalidDocument
from moka.workflows.definitions import Workflow


@dataclass(frozen=True)
class Platform:
    """What Archer knows that a plan goes by.

    workflows: that somebody told of. routes: workflow -> cluster, of those that one workflow has.
    revision: of what is in force; None where nobody was asked.
    """

    workflows: Mapping[str, Workflow] = field(default_factory=dict)
    routes: Mapping[str, str] = field(default_factory=dict)
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
        routes = {
            route["workflow"]: cluster
            for route in archer.list_routes()
            if (cluster := route.get("cluster")) and not set("*?[") & set(route["workflow"])
        }
        return Platform(workflows, routes, archer.list_plans(limit=1)["in_force"]["number"])
