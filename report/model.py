"""A report: what a reviewer should know, gravest first. Written as Markdown and as JSON from the same."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

Weight = Literal["stop", "look", "note"]
"""`stop`: do not merge before it is dealt with. `look`: a reviewer decides. `note`: good to know."""

WEIGHTS: tuple[Weight, ...] = ("stop", "look", "note")

VERDICTS = {"stop": "Do not merge", "look": "Look at it", "note": "Nothing of note"}
"""The gravest finding's weight -> the verdict."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing that a reviewer should know.

    says: a sentence, in Markdown.
    """

    weight: Weight
    says: str


@dataclass(frozen=True, kw_only=True)
class Table:
    """Cells by row, in Markdown; all rows as long as the head.

    open: how many rows everybody should see; None is all. folded: what the others are.
    """

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    open: int | None = None
    folded: str = ""


@dataclass(frozen=True, kw_only=True)
class Section:
    """What there is to say of a subject.

    subject: its name for scripts. title: for people. picture: text, in columns. remark: how to read it, and
    where its figures are from. folded: nobody needs it before asking.
    """

    subject: str
    title: str
    findings: Sequence[Finding] = ()
    table: Table | None = None
    picture: str = ""
    remark: str = ""
    folded: bool = False

    def __bool__(self) -> bool:
        return bool(self.findings or self.table or self.picture)


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """What the change is in, drawn by those who know that.

    text: in columns, with nothing but what changes. legend: how to read it. marks: address of an element ->
    operation -> number of resources. svg: where the whole of it is drawn, as the report can link it, if it
    is. unavailable: why there is none of that.
    """

    text: str = ""
    legend: str = ""
    marks: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    svg: str = ""
    unavailable: str = ""


@dataclass(frozen=True, kw_only=True)
class Report:
    """All of it.

    summary: what happens to how many resources. sections: those with something to say. drawing: None where
    nothing changes.
    """

    stack: str
    summary: str
    sections: Sequence[Section] = field(default_factory=tuple)
    drawing: Drawing | None = None

    @property
    def weight(self) -> Weight:
        """The gravest of its findings'."""
        weights = {finding.weight for section in self.sections for finding in section.findings}
        return next((weight for weight in WEIGHTS if weight in weights), "note")

    @property
    def verdict(self) -> str:
        """What to do with the change, in a few words."""
        return VERDICTS[self.weight]

    def findings(self, weight: Weight) -> list[Finding]:
        """All findings of a weight, in the order of their sections."""
        return [
            finding for section in self.sections for finding in section.findings if finding.weight == weight
        ]
