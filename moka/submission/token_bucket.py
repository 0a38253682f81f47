"""A token bucket: so many a second, and no more than so many at once."""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class TokenBucket:
    """What is left at a moment.

    rate: tokens a second. size: tokens at most. tokens: at `at`, seconds of any clock.
    """

    rate: float
    size: float
    tokens: float
    at: float

    def filled(self, now: float) -> "TokenBucket":
        """The same later; a clock that goes back fills nothing."""
        passed = max(now - self.at, 0.0)
        return replace(self, tokens=min(self.tokens + passed * self.rate, self.size), at=max(now, self.at))

    def take(self, most: int, now: float) -> tuple[int, "TokenBucket"]:
        """As many whole tokens of those wanted as there are, and what is left."""
        bucket = self.filled(now)
        count = min(most, int(bucket.tokens))
        return count, replace(bucket, tokens=bucket.tokens - count)

    def seconds_until_one(self, now: float) -> float:
        """Until there is a token; 0 where there is one."""
        return max(1.0 - self.filled(now).tokens, 0.0) / self.rate
