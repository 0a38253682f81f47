"""A preview, looked at by every subject."""

from collections.abc import Callable

from previews import Preview
from report.model import Drawing, Report, Section
from report.subjects.cost import cost
from report.subjects.coverage import unreviewed
from report.subjects.drivers import drivers
from report.subjects.exposure import exposure
from report.subjects.identities import identities
from report.subjects.losses import losses
from report.subjects.machines import machines
from report.subjects.other_changes import other_changes, summary
from report.subjects.policies import policies
from report.subjects.queues import queues

SUBJECTS: tuple[Callable[[Preview], Section], ...] = (
    losses,
    policies,
    machines,
    drivers,
    queues,
    identities,
    exposure,
    cost,
    unreviewed,
    other_changes,
)
"""In the order of a report: what cannot be undone first."""


def examine(preview: Preview, drawing: Drawing | None = None) -> Report:
    """The report on a preview, with a drawing of it. Raises `moka.prices.InvalidPrices`."""
    sections = [subject(preview) for subject in SUBJECTS]
    return Report(
        stack=preview.stack,
        summary=summary(preview),
        sections=[section for section in sections if section],
        drawing=drawing,
    )
