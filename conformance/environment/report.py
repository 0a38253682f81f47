"""What a walk came to, for people and for scripts."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict

from conformance.environment.walk import Result


def text(environment: str, results: Sequence[Result], cost: str) -> str:
    """A line for each step and check, and a summary."""
    width = max((len(f"{result.cluster} {result.of}") for result in results), default=0)
    lines = [
        f"{result.outcome:<9}  {f'{result.cluster} {result.of}'.strip():<{width}}  {result.seen}"
        for result in results
    ]
    return "\n".join([*lines, "", _summary(environment, results), cost])


def as_json(environment: str, results: Sequence[Result], cost: str) -> str:
    """The same for scripts."""
    return json.dumps(
        {"environment": environment, "results": [asdict(result) for result in results], "cost": cost},
        indent=2,
    )


def _summary(environment: str, results: Sequence[Result]) -> str:
    counts = Counter(result.outcome for result in results)
    minutes = sum(result.seconds for result in results) / 60
    parts = [
        f"{counts[outcome]} {outcome}" for outcome in ("passed", "failed", "simulated") if counts[outcome]
    ]
    return f"{environment}: {', '.join(parts)}, in {minutes:.0f} minutes."
