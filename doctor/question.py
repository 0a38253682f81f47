"""A question to an account."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from doctor.account import Place
from doctor.finding import Finding


@dataclass(frozen=True)
class Question:
    """What is asked together, and left out together when AWS does not answer.

    about: what it is about; a finding without an answer begins with it.
    ask: the question; raises NoAnswer.
    """

    about: str
    ask: Callable[[Place], Iterator[Finding]]
