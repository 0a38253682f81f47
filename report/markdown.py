"""A report as Markdown, for a comment on a pull request: never longer than GitHub takes."""

from collections.abc import Iterator, Sequence

from report.model import Drawing, Finding, Report, Section, Table
from report.words import count, plain

LIMIT = 65_536 - 536
"""Characters of a comment that GitHub takes ("Body is too long (maximum is 65536 characters)"), less room for
the mark by which a comment is found again."""

ROWS = (1_000, 200, 80, 40, 20, 10, 5, 2, 0)
"""How many findings and rows of a section there are at most: as many as fit."""

LOUDEST = 12
"""Findings at the head of the report."""

QUIET = 12
"""Findings of a section that are only good to know."""

MARKS = {"stop": "🛑", "look": "🔎", "note": "·"}


def as_markdown(report: Report, limit: int = LIMIT) -> str:
    """The report in at most `limit` characters; what is left out is counted where it would be."""
    for rows in ROWS:
        text = "\n".join(_lines(report, rows))
        if len(text) <= limit:
            return text
    return _shortened(text, limit)


def _shortened(text: str, limit: int) -> str:
    end = "\n\nThe rest is left out: see `moka report --json`.\n"
    beginning = text[: limit - len(end) - 400].rpartition("\n")[0]
    # What is open would swallow the rest of the page.
    closing = "\n```" if beginning.count("```") % 2 else ""
    closing += "\n\n</details>" * (beginning.count("<details>") - beginning.count("</details>"))
    return f"{beginning}{closing}{end}"


def _lines(report: Report, rows: int) -> Iterator[str]:
    yield f"## {MARKS[report.weight] if report.weight != 'note' else '✅'} {report.verdict}: `{report.stack}`"
    yield ""
    yield f"{report.summary[0].upper()}{report.summary[1:]}."
    yield ""
    stops = report.findings("stop")
    if stops:
        yield from _bullets(stops, min(rows, LOUDEST))
        yield ""
    for section in report.sections:
        if not section.folded:
            yield from _open(section, rows)
    if report.drawing:
        yield from _drawing(report.drawing, rows)
    for section in report.sections:
        if section.folded:
            yield from _details(section, rows)


def _open(section: Section, rows: int) -> Iterator[str]:
    yield f"### {section.title}"
    yield ""
    # What stops is at the head already.
    findings = [finding for finding in section.findings if finding.weight != "stop"]
    stops = [finding for finding in section.findings if finding.weight == "stop"]
    if len(stops) > min(rows, LOUDEST):
        findings = [*stops, *findings]
    elif stops and not findings and not section.table:
        yield f"{count(len(stops), 'finding')} above."
        yield ""
    if findings:
        loud = [finding for finding in findings if finding.weight != "note"]
        quiet = [finding for finding in findings if finding.weight == "note"]
        yield from _bullets(loud, rows)
        yield from _bullets(quiet, min(rows, QUIET))
        yield ""
    yield from _rest(section, rows)


def _details(section: Section, rows: int) -> Iterator[str]:
    yield f"<details><summary>{section.title}</summary>"
    yield ""
    if section.findings:
        yield from _bullets(section.findings, rows)
        yield ""
    yield from _rest(section, rows)
    yield "</details>"
    yield ""


def _drawing(drawing: Drawing, rows: int) -> Iterator[str]:
    """The drawing as text, folded: in a comment, SVG is shown only where somebody attached it by hand.

    GitHub takes SVG in its editor
    (https://docs.github.com/en/get-started/writing-on-github/working-with-advanced-formatting/attaching-files),
    and removes what stands in the text (https://github.com/github/markup#github-markup, step 2).
    """
    if drawing.unavailable:
        yield f"<sub>There is no picture of it: {plain(drawing.unavailable)}</sub>"
        yield ""
        return
    yield "<details><summary>Where it changes</summary>"
    yield ""
    lines = drawing.text.splitlines()
    if rows:
        more = [f"and {len(lines) - rows:,} more lines"] if len(lines) > rows else []
        yield from _picture([*lines[:rows], *more])
    whole = f" All of it is drawn in [{drawing.svg}]({drawing.svg})." if drawing.svg else ""
    yield f"<sub>{drawing.legend}{whole}</sub>"
    yield ""
    yield "</details>"
    yield ""


def _picture(lines: Sequence[str]) -> Iterator[str]:
    """Lines in which columns stay; nothing in them ends the block before its end."""
    yield "```text"
    yield from (line.replace("`", "'") for line in lines)
    yield "```"
    yield ""


def _rest(section: Section, rows: int) -> Iterator[str]:
    if section.picture and rows:
        yield from _picture(section.picture.splitlines())
    if section.table:
        yield from _table(section.table, rows)
    if section.remark:
        yield f"<sub>{section.remark}</sub>"
        yield ""


def _bullets(findings: Sequence[Finding], most: int) -> Iterator[str]:
    for finding in findings[:most]:
        yield f"- {MARKS[finding.weight]} {finding.says}"
    if len(findings) > most:
        yield f"- and {len(findings) - most:,} more: see `moka report --json`"


def _table(table: Table, most: int) -> Iterator[str]:
    if table.rows[: table.open]:
        yield from _rows(table.head, table.rows[: table.open], most)
        yield ""
    if rest := table.rows[len(table.rows) if table.open is None else table.open :]:
        yield f"<details><summary>{table.folded} ({len(rest):,})</summary>"
        yield ""
        yield from _rows(table.head, rest, most)
        yield ""
        yield "</details>"
        yield ""


def _rows(head: Sequence[str], rows: Sequence[Sequence[str]], most: int) -> Iterator[str]:
    if most:
        yield f"| {' | '.join(head)} |"
        yield f"|{' --- |' * len(head)}"
        for row in rows[:most]:
            yield f"| {' | '.join(row)} |"
    if len(rows) > most:
        yield ""
        yield f"And {len(rows) - most:,} more: see `moka report --json`."
