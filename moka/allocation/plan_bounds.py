"""What the settings leave to plans: how much one may change, and whether it waits for a person."""

from typing import Annotated

from pydantic import Field

from moka.documents import Section
from moka.queues.definitions import TierNumber

Percent = Annotated[int, Field(ge=0, le=100)]


class PlanBounds(Section):
    """What plans of queues may do. Which queues there are, and the maximum of each, no plan changes."""

    least: dict[TierNumber, Percent] = Field(
        default_factory=dict,
        description="Percentage of what the settings guarantee a queue of a tier that every plan leaves it; "
        "0 by default.",
    )
    by_itself: bool = Field(
        default=False,
        description="Whether a plan of the night takes effect without a person, where it changes no more "
        "than the next two allow.",
    )
    most_change: int = Field(
        default=20,
        ge=1,
        le=1000,
        description="Percentage by which such a plan may change what a queue is guaranteed in an hour, and "
        "by which it may lower its jobs at a time.",
    )
    most_moves: int = Field(
        default=10, ge=0, le=100_000, description="Workflows that such a plan may send somewhere else."
    )
