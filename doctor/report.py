"""Findings as people and scripts read them."""

import json
from collections import Counter
from collections.abc import Sequence

from doctor.finding import STATUSES, Finding

DEPLOYED = "be deployed"
"""What an environment can do, or cannot as it is, unless it was asked for something else."""


def text(environment: str, findings: Sequence[Finding], aim: str = DEPLOYED) -> str:
    """A line a finding, and a summary. aim: what it can do, if nothing stands in the way."""
    width = max((len(finding.where) for finding in findings), default=0)
    lines = [
        f"{finding.status:<11}  {finding.where:<{width}}  {finding.what} {finding.remedy}".rstrip()
        for finding in findings
    ]
    return "\n".join([*lines, "", summary(environment, findings, aim)])


def summary(environment: str, findings: Sequence[Finding], aim: str = DEPLOYED) -> str:
    """One sentence: whether the environment can, and the count of each status."""
    counts = _counts(findings)
    verdict = f"cannot {aim} as it is" if counts["problem"] else f"can {aim}, as far as checked"
    numbers = ", ".join(f"{number} {status}" for status, number in counts.items())
    return f"{environment} {verdict}: {numbers}."


def as_json(environment: str, findings: Sequence[Finding], error: str | None = None) -> str:
    """The same for scripts; `error` is why nothing could be asked, else null."""
    return json.dumps(
        {
            "environment": environment,
            "error": error,
            "summary": _counts(findings),
            "findings": [
                {
                    "status": finding.status,
                    "check": finding.check,
                    "where": finding.where,
                    "what": finding.what,
                    "remedy": finding.remedy,
                    "numbers": dict(finding.numbers),
                }
                for finding in findings
            ],
        },
        indent=2,
    )


def _counts(findings: Sequence[Finding]) -> dict[str, int]:
    counts = Counter(finding.status for finding in findings)
    return {status: counts[status] for status in STATUSES}
