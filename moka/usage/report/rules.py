"""By what a report judges: a table of percentages and numbers."""

from collections.abc import Mapping
from dataclasses import dataclass, fields

SAYS: Mapping[str, str] = {
    "runs": "percentage of its runs in time from which a workflow is successful",
    "workflows": "percentage of the workflows of a tier that is to be successful",
    "busy": "percentage of a capacity from which an hour is busy",
    "busy_hours": "busy hours of a day from which a cluster is over-used",
    "idle": "percentage of a capacity or a guarantee below which the busiest hour leaves it under-used",
    "target": "percentage of a capacity that the busiest hour is to take after a change",
    "waiting": "seconds that 90% of a queue's runs wait at the most, beyond which it needs more",
    "most": "machines beyond which a cluster is split rather than grown",
    "unbalanced": "percentage of a resource idle in full machines from which another family is named",
}
"""What each rule is, as pages and documentation show it."""


class InvalidReportRules(ValueError):
    """Rules that contradict themselves; the message is a sentence."""


@dataclass(frozen=True, kw_only=True)
class ReportRules:
    """What a report judges by; SAYS has each in words. Raises InvalidReportRules.

    most: machines of a cluster, for what its API server sends to them, by docs/scale.md.
    """

    runs: int = 90
    workflows: int = 90
    busy: int = 85
    busy_hours: int = 3
    idle: int = 50
    target: int = 75
    waiting: int = 300
    most: int = 1000
    unbalanced: int = 25

    def __post_init__(self) -> None:
        for rule in fields(self):
            if getattr(self, rule.name) < 1:
                raise InvalidReportRules(f"{rule.name} is {getattr(self, rule.name)}: it is at least 1.")
        if not self.idle < self.target < self.busy <= 100:
            raise InvalidReportRules(
                f"idle, target and busy are {self.idle}, {self.target} and {self.busy}: they rise, to 100 at "
                "the most."
            )
