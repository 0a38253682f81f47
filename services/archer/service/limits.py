"""What one principal may ask for in a second."""

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace

from moka.submission.token_bucket import TokenBucket
from services.archer.service.problems import Problem

REMEMBERED = 10_000
"""Principals whose rate is known; of more, the one that was quiet for longest is forgotten."""


class Rates:
    """A token bucket for each principal, in this process.

    rate: requests a second. burst: at once.
    """

    def __init__(self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._buckets: OrderedDict[str, TokenBucket] = OrderedDict()

    def take(self, principal: str, count: int = 1) -> None:
        """Count requests of a principal. Raises Problem when there are too many."""
        now = self._clock()
        bucket = self._buckets.pop(principal, None) or TokenBucket(self._rate, self._burst, self._burst, now)
        bucket = bucket.filled(now)
        # A batch of more than may come at once is taken from a bucket that lacks its request only, and owed.
        missing = min(count, self._burst - 1 if count > 1 else 1) - bucket.tokens
        if missing <= 0:
            bucket = replace(bucket, tokens=bucket.tokens - count)
        self._buckets[principal] = bucket
        if len(self._buckets) > REMEMBERED:
            self._buckets.popitem(last=False)
        if missing > 0:
            wait = math.ceil(missing / self._rate)
            raise Problem(
                "too-many-requests",
                f"{principal} may ask {self._rate:g} times a second: ask again in {wait} s.",
                {"Retry-After": str(wait)},
            )
