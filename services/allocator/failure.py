"""Why something was not done."""

from typing import Literal

Why = Literal["archer-away", "archer-refused", "bucket", "history", "fleet", "search", "time", "fault"]
"""In a word, for metrics."""


class Failure(Exception):
    """What was not done, and is tried again; the message is a sentence, or several, a line each.

    why: in a word.
    """

    def __init__(self, why: Why, says: str) -> None:
        # Both, as it comes out of another process.
        super().__init__(why, says)
        self.why = why

    @property
    def says(self) -> list[str]:
        """Its sentences."""
        return str(self.args[1]).splitlines()

    def __str__(self) -> str:
        return " ".join(self.says)
