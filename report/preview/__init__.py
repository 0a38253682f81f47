"""Previews of Pulumi's: what they hold, and how they are read."""

from report.preview.model import Preview, State, Step, UnreadablePreview, Violation
from report.preview.reading import read

__all__ = ["Preview", "State", "Step", "UnreadablePreview", "Violation", "read"]
