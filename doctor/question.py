"""A question to an account."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from doctor.account import Place
from doctor.finding import Finding


@dataclass(frozen=True)
class Question:
    """What is asked together, and left out together when AWS does not answer.

    about: what it is about, as a line begins that says that nobody answered.
    ask: the question; raises Unanswered.
    """

    about: str
    ask: Callable[[Place], Iterator[Finding]]
