"""Archer, as the allocator asks it: by its own client, with the role of the pod."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from moka.allocation.configuration import Configuration
from moka.project import CODE
from services.allocator.failure import Failure

if TYPE_CHECKING:
    from archer import Archer, Problem

NAME = "allocator"
"""Of what makes plans, in plans."""

PLANS = 100
"""The last ones, among which those of a night are."""


@contextmanager
def archer_of(configuration: Configuration, patience: float = 60.0) -> Iterator["Archer"]:
    """A client of the environment's. What is done with it raises Failure.

    patience: seconds for which a request is sent again.
    """
    # It is a distribution of its own: beside this in the image and in a checkout, or installed.
    beside = CODE / "clients" / "archer"
    if beside.is_dir() and str(beside) not in sys.path:
        sys.path.append(str(beside))
    from archer import Archer, IamCredentials, Problem, Unreachable

    place = configuration.archer
    try:
        credentials = IamCredentials(configuration.environment, place.region)
        with Archer(place.url, credentials, patience=patience) as archer:
            yield archer
    except Problem as problem:
        raise Failure("archer-refused", "\n".join(sentences(problem))) from None
    except (Unreachable, RuntimeError) as error:
        raise Failure("archer-away", str(error)) from None


def sentences(problem: "Problem") -> list[str]:
    """What Archer says."""
    return [f"{at}: {sentence}" for at, sentence in problem.mistakes] or [str(problem)]


@dataclass(frozen=True, kw_only=True)
class OwnPlan:
    """A plan that the allocator made. made, proposed: when."""

    id: str
    state: str
    made: datetime
    proposed: datetime


@dataclass(frozen=True, kw_only=True)
class PlanStanding:
    """What Archer has.

    last_plan: the last plan that the allocator made. plan: what is in force; None where the settings hold.
    since: when that began.
    """

    last_plan: OwnPlan | None
    plan: str | None
    since: datetime


def plan_standing(archer: "Archer") -> PlanStanding:
    """What Archer has now."""
    answer = archer.list_plans(limit=PLANS)
    own_plans = [own_plan(row) for row in answer["plans"] if row["made_by"] == NAME]
    in_force = answer["in_force"]
    return PlanStanding(
        last_plan=max(own_plans, key=lambda plan: plan.made, default=None),
        plan=in_force.get("plan"),
        since=datetime.fromisoformat(in_force["at"]),
    )


def look(configuration: Configuration, patience: float) -> PlanStanding:
    """The same, with a client of its own. Raises Failure."""
    with archer_of(configuration, patience) as archer:
        return plan_standing(archer)


def own_plan(row: Mapping[str, Any]) -> OwnPlan:
    """A plan as Archer has it."""
    return OwnPlan(
        id=row["id"],
        state=row["state"],
        made=datetime.fromisoformat(row["made"]),
        proposed=datetime.fromisoformat(row["proposed"]),
    )
