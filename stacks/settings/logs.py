"""Settings of logs: how late they may be, and what keeps them while S3 cannot be reached."""

from pydantic import Field

from moka.documents import Section
from moka.sizes.fluent_bit import LEAST_BEHIND, MOST_BEHIND, FluentBitSize, fluent_bit_size


class Logs(Section):
    """What containers print, on its way to S3; docs/operations/logs.md has the reckoning."""

    drivers_behind_seconds: int = Field(
        default=60,
        ge=LEAST_BEHIND,
        le=MOST_BEHIND,
        description="Seconds after which the line of a driver is in S3 at the latest.",
    )
    executors_behind_seconds: int = Field(
        default=300,
        ge=LEAST_BEHIND,
        le=MOST_BEHIND,
        description="The same for executors, for all other pods and for nodes; half of it is twice the "
        "requests to S3.",
    )
    outage_hours: int = Field(
        default=4, ge=1, le=72, description="Hours without S3 in which no line is lost: nodes keep them."
    )
    kib_per_second: int = Field(
        default=512,
        ge=16,
        le=16384,
        description="KiB of logs that the jobs on one node write in a second, on average over an outage.",
    )

    @property
    def size(self) -> FluentBitSize:
        """What Fluent Bit is set to."""
        return fluent_bit_size(
            drivers_behind=self.drivers_behind_seconds,
            executors_behind=self.executors_behind_seconds,
            outage_hours=self.outage_hours,
            kib_per_second=self.kib_per_second,
        )
