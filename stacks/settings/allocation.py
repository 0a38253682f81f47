"""Settings of plans: what they may do, and when the service `allocator` makes one."""

from typing import Literal

from pydantic import Field

from moka.allocation.plan_bounds import PlanBounds
from moka.documents import Section
from stacks.settings.fields import Cron


class Night(Section):
    """When the service `allocator` makes a plan, and how."""

    cron: Cron = Field(default="30 2 * * *", description="Cron expression in UTC that comes every day.")
    engine: Literal["cp-sat", "percentile"] = Field(
        default="cp-sat", description="How it is found: over all clusters at once, or queue by queue."
    )
    days: int = Field(
        default=35,
        ge=1,
        le=400,
        description="Days of history that it is made of; with fewer than 32, what runs once a month has none "
        "on some of its days.",
    )
    seconds: float = Field(
        default=120, gt=0, le=3600, description="Seconds that `cp-sat` may search for a better one."
    )
    seed: int = Field(default=1, ge=0, le=2**31 - 1, description="With the same seed the same plan is found.")


class Allocation(PlanBounds):
    """What plans of queues may do. Which queues there are, and the maximum of each, no plan changes."""

    night: Night = Night()

    @property
    def bounds(self) -> PlanBounds:
        """What programs are given that hold plans to them."""
        return PlanBounds(**{name: getattr(self, name) for name in PlanBounds.model_fields})
