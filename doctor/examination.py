"""Asking all questions, side by side."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace

from doctor.account import NoAnswer, Place
from doctor.finding import Finding, not_checked
from doctor.question import Question

THREADS = 16

Progress = Callable[[int, int], None]
"""Called with how many questions are answered, of how many."""


def examine(
    places: Sequence[Place], checks: Mapping[str, Sequence[Question]], progress: Progress
) -> list[Finding]:
    """Ask every place these questions.

    checks: subject -> its questions. Returns findings by place, in the order of the questions.
    """
    requests = [
        (check, question, place)
        for place in places
        for check, questions in checks.items()
        for question in questions
    ]
    with ThreadPoolExecutor(THREADS) as pool:
        answers = [pool.submit(ask_question, question, place) for _, question, place in requests]
        for done, _ in enumerate(as_completed(answers), 1):
            progress(done, len(requests))
    return [
        replace(finding, check=check)
        for (check, _, _), findings in zip(requests, answers, strict=True)
        for finding in findings.result()
    ]


def ask_question(question: Question, place: Place) -> list[Finding]:
    """The findings of a question; those from before a request without an answer are kept."""
    findings = []
    try:
        for finding in question.ask(place):
            findings.append(finding)
    except NoAnswer as error:
        findings.append(not_checked(place.name, f"{question.about}: {error.reason}."))
    return findings
