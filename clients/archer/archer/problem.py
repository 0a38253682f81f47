"""What goes wrong, as Archer says it."""

from collections.abc import Mapping, Sequence
from typing import Any


class Unreachable(Exception):
    """Archer did not answer, however often it was asked."""


class Problem(Exception):
    """An answer that is an error (RFC 9457): a sentence.

    kind: for programs, such as `invalid-job`. status: of the answer.
    mistakes: place and what is wrong there, where it has several. job: another one that it is about.
    """

    def __init__(self, status: int, body: Mapping[str, Any]) -> None:
        super().__init__(str(body.get("detail") or f"Archer answered {status}."))
        self.status = status
        self.kind = str(body.get("type", "")).removeprefix("urn:archer:")
        self.job: str | None = body.get("job")
        self.mistakes: Sequence[tuple[str, str]] = [
            (str(mistake["at"]), str(mistake["says"])) for mistake in body.get("mistakes") or ()
        ]
