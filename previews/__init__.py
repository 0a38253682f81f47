"""Previews of the engine: what they hold, and how they are read. Whoever needs one reads it here."""

from previews.model import STACK_TYPE, Op, Preview, Refreshed, State, Step, Violation, name_of
from previews.reading import read
from previews.refusals import UnreadablePreview

__all__ = [
    "STACK_TYPE",
    "Op",
    "Preview",
    "Refreshed",
    "State",
    "Step",
    "UnreadablePreview",
    "Violation",
    "name_of",
    "read",
]
