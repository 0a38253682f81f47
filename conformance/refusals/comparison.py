"""What came of probes: refused as on the laptop, refused in other words, or taken."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from conformance.refusals.probe import Probe

Outcome = Literal["refused", "other words", "taken"]
DIFFERENT: tuple[Outcome, ...] = ("other words", "taken")


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What AWS said of a probe, beside what the laptop says.

    rule: of the laptop. probe: its name. expected: code by which the laptop refuses it.
    outcome: `refused` with that code, `other words`, or `taken`. message: AWS's; '' of what it took.
    """

    rule: str
    probe: str
    expected: str
    outcome: Outcome
    message: str


def compare(probes: Sequence[Probe], messages: Mapping[str, str]) -> list[Answer]:
    """Each probe beside what was said of it; messages: by the probes' names."""
    return [
        Answer(
            rule=probe.rule,
            probe=probe.name,
            expected=probe.code,
            outcome=_outcome(probe.code, messages[probe.name]),
            message=messages[probe.name],
        )
        for probe in probes
    ]


def text(account: str, answers: Sequence[Answer], unasked: Mapping[str, str]) -> str:
    """A line for each difference, and a summary. account: what the probes were put to."""
    lines = [
        f"{answer.outcome:<11}  {answer.rule}: {answer.probe}, which the laptop refuses with "
        + ": ".join(filter(None, [answer.expected, answer.message]))
        for answer in answers
        if answer.outcome in DIFFERENT
    ]
    return "\n".join([*lines, *([""] if lines else []), _summary(account, answers, unasked)])


def as_json(account: str, answers: Sequence[Answer], unasked: Mapping[str, str]) -> str:
    """The same for scripts. unasked: rule -> why no probe asks about it."""
    return json.dumps(
        {"asked": account, "answers": [asdict(answer) for answer in answers], "unasked": dict(unasked)},
        indent=2,
    )


def _summary(account: str, answers: Sequence[Answer], unasked: Mapping[str, str]) -> str:
    differences = sum(answer.outcome in DIFFERENT for answer in answers)
    verdict = (
        f"{differences} of {len(answers)} probes are answered otherwise than the laptop does: a defect of it"
        if differences
        else f"{len(answers)} of {len(answers)} probes are refused as on the laptop"
    )
    return f"{account}: {verdict}. No probe asks about {len(unasked)} further rules (--json says why)."


def _outcome(code: str, message: str) -> Outcome:
    if not message:
        return "taken"
    return "refused" if code in message else "other words"
