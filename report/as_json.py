"""A report as JSON, for scripts."""

import json
from dataclasses import asdict

from report.model import Report, Section

VERSION = 1
"""Raised when a member goes, or means something else."""


def as_json(report: Report) -> str:
    """The whole report, in which nothing is left out; sentences are Markdown."""
    document = {
        "version": VERSION,
        "stack": report.stack,
        "verdict": report.weight,
        "says": report.verdict,
        "summary": report.summary,
        "drawing": asdict(report.drawing) if report.drawing else None,
        "sections": {section.subject: _section(section) for section in report.sections},
    }
    return json.dumps(document, indent=2, ensure_ascii=False)


def _section(section: Section) -> dict[str, object]:
    table = section.table
    return {
        "title": section.title,
        "findings": [asdict(finding) for finding in section.findings],
        "table": [dict(zip(table.head, row, strict=True)) for row in table.rows] if table else [],
        "picture": section.picture,
        "remark": section.remark,
    }
