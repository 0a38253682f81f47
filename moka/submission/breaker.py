"""A circuit breaker for a cluster: after failures in a row it is left in peace, then tried with one job."""

from dataclasses import dataclass, replace

FAILURES = 5
"""In a row, after which it opens."""

FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 5.0, 60.0
"""Until it is tried; doubled with each trial that fails."""


@dataclass(frozen=True)
class Breaker:
    """failures: in a row. open_until: seconds of any clock, until which nothing is asked of the cluster."""

    failures: int = 0
    open_until: float = 0.0

    def permits(self, requests: int, now: float) -> int:
        """How many of these may be tried: all, none, or one as a trial."""
        if self.failures < FAILURES:
            return requests
        return min(requests, 1) if now >= self.open_until else 0

    def is_open(self, now: float) -> bool:
        """Whether nothing is asked of the cluster now."""
        return self.permits(1, now) == 0

    def after_failure(self, now: float) -> "Breaker":
        """After a request that the cluster did not answer, or answered with an error of its own."""
        failures = self.failures + 1
        if failures < FAILURES:
            return replace(self, failures=failures)
        pause = min(FIRST_PAUSE_SECONDS * 2 ** min(failures - FAILURES, 10), LONGEST_PAUSE_SECONDS)
        return Breaker(failures, now + pause)

    def after_answer(self) -> "Breaker":
        """After an answer."""
        return Breaker() if self.failures else self
