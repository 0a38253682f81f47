"""Asking all there is to ask, side by side."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace

from doctor.account import Place, Unanswered
from doctor.checks import CHECKS
from doctor.finding import Finding, not_checked
from doctor.question import Question

THREADS = 16

Progress = Callable[[int, int], None]
"""Told how many questions of how many are answered."""


@dataclass(frozen=True)
class Asked:
    """One question about one place."""

    check: str
    question: Question
    place: Place


def examine(places: Sequence[Place], only: str | None, progress: Progress) -> list[Finding]:
    """Ask every question of the chosen subject, or of all; findings by place, in the order of the table."""
    asked = [
        Asked(check, question, place)
        for place in places
        for check, questions in CHECKS.items()
        for question in questions
        if only in (None, check)
    ]
    with ThreadPoolExecutor(THREADS) as pool:
        answers = [pool.submit(answered, one.question, one.place) for one in asked]
        for done, _ in enumerate(as_completed(answers), 1):
            progress(done, len(asked))
    return [
        replace(finding, check=one.check)
        for one, answer in zip(asked, answers, strict=True)
        for finding in answer.result()
    ]


def answered(question: Question, place: Place) -> list[Finding]:
    """The findings of a question; those before something that nobody answered are kept."""
    found = []
    try:
        for finding in question.ask(place):
            found.append(finding)
    except Unanswered as error:
        found.append(not_checked(place.name, f"{question.about}: {error.reason}."))
    return found
