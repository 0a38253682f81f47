"""What one principal may ask for in a second, and how large a request may be."""

import math
import time
from collections import OrderedDict
from collections.abc import Callable

from fastapi import Request

from moka.submission.token_bucket import TokenBucket
from services.archer.service.problems import Problem

JOB_BYTES = 256 * 1024
"""Of a job; the largest that anybody needs have a few hundred arguments."""

BATCH_BYTES = 4 * 1024 * 1024
DRAINED_BYTES = 64 * 1024 * 1024
"""Of a request that is too large: a client that is cut off while it sends does not read why."""

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

    def take(self, principal: str, wanted: int = 1) -> None:
        """Count requests of a principal. Raises Problem when there are too many."""
        now = self._clock()
        bucket = self._buckets.pop(principal, None) or TokenBucket(self._rate, self._burst, self._burst, now)
        taken, left = bucket.take(wanted, now)
        self._buckets[principal] = left if taken == wanted else bucket.filled(now)
        if len(self._buckets) > REMEMBERED:
            self._buckets.popitem(last=False)
        if taken < wanted:
            wait = math.ceil((wanted - bucket.filled(now).tokens) / self._rate)
            raise Problem(
                "too-many-requests",
                f"{principal} may ask {self._rate:g} times a second: ask again in {wait} s.",
                {"Retry-After": str(wait)},
            )


async def body(request: Request, most: int) -> bytes:
    """The body of a request, of which no more is kept than it may have. Raises Problem."""
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size <= most:
            parts.append(part)
        elif size > DRAINED_BYTES:
            break
    if size > most:
        raise _too_large(most)
    return b"".join(parts)


def _too_large(most: int) -> Problem:
    return Problem("too-large", f"It may have {most // 1024} KiB: send less.", {"Connection": "close"})
