"""What is known of applications that have no driver pod: their SparkApplication, and links to their history.

Anybody who guesses names makes the gateway ask, so answers are kept for a moment, and questions are few.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar

from services.common.kubernetes import Api, Object

CACHE_SECONDS = 2.0
KEPT_ANSWERS = 1_000
QUESTIONS_A_SECOND = 20
QUESTION_SECONDS = 5.0
"""A question that takes longer is given up."""

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class TooManyQuestions(Exception):
    """More is asked than the API server is to be asked."""


class Rate:
    """So many a second, after as many at once."""

    def __init__(self, per_second: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_second = per_second
        self._clock = clock
        self._tokens = per_second
        self._then = clock()

    def take(self) -> None:
        """One more. Raises TooManyQuestions."""
        now = self._clock()
        self._tokens = min(self._per_second, self._tokens + (now - self._then) * self._per_second)
        self._then = now
        if self._tokens < 1:
            raise TooManyQuestions
        self._tokens -= 1


class AnswerCache(Generic[Key, Value]):
    """Answers to a question, kept for CACHE_SECONDS; whoever asks meanwhile waits for the same answer."""

    def __init__(
        self,
        ask: Callable[[Key], Awaitable[Value]],
        rate: Rate,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._ask = ask
        self._rate = rate
        self._clock = clock
        self._answers: OrderedDict[Key, tuple[float, asyncio.Future[Value]]] = OrderedDict()

    async def get(self, key: Key) -> Value:
        """The answer. Raises TooManyQuestions, TimeoutError, and what asking raises."""
        asked_at, answer = self._answers.get(key, (0.0, None))
        if answer is None or self._clock() - asked_at > CACHE_SECONDS:
            self._rate.take()
            answer = asyncio.ensure_future(asyncio.wait_for(self._ask(key), QUESTION_SECONDS))
            # Nobody may be left to take an error.
            answer.add_done_callback(lambda done: done.cancelled() or done.exception())
            self._answers.pop(key, None)
            self._answers[key] = (self._clock(), answer)
            if len(self._answers) > KEPT_ANSWERS:
                self._answers.popitem(last=False)
        # A browser that goes away must not take the answer from the others.
        return await asyncio.shield(answer)


def application_of(api: Api) -> Callable[[tuple[str, str]], Awaitable[Object | None]]:
    """Asks the API server for a SparkApplication, by namespace and name; None where there is none."""

    async def ask(key: tuple[str, str]) -> Object | None:
        namespace, name = key
        return await api.get(
            f"/apis/sparkoperator.k8s.io/v1beta2/namespaces/{namespace}/sparkapplications/{name}"
        )

    return ask
