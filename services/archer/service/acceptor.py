"""Takes jobs together that come at the same time: one transaction for many."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from services.archer.database.acceptance import Outcome, Submission, accept
from services.archer.database.pool import Away, Pool
from services.archer.service.problems import Problem

MOST = 200
"""Jobs in a transaction."""

WRITERS = 2
"""Transactions at a time: while one is on its way to disk, the next gathers."""

MOST_UNDER_WAY = 1_000
"""Jobs that have come and are not taken yet, beyond which none is let in: at 500 a second, the last is taken
two seconds after it came. A batch is let in whole."""


class Acceptor:
    """Gathers submissions while transactions are on their way."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._waiting: asyncio.Queue[tuple[Submission, asyncio.Future[Outcome]]] = asyncio.Queue()
        self._under_way = 0

    async def run(self) -> None:
        """Take for ever."""
        async with asyncio.TaskGroup() as group:
            for _ in range(WRITERS):
                group.create_task(self._write())

    @contextmanager
    def room(self, jobs: int = 1) -> Iterator[None]:
        """Room for jobs, from when they come until they are answered. Raises Problem where there is none."""
        if self._under_way >= MOST_UNDER_WAY:
            raise Problem(
                "overloaded",
                "Archer receives more jobs than it can store: send the request again in 2 s.",
                {"Retry-After": "2"},
            )
        self._under_way += jobs
        try:
            yield
        finally:
            self._under_way -= jobs

    async def accept(self, submission: Submission) -> Outcome:
        """Take a job; it is in the database when this returns. Raises Away."""
        future: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self._waiting.put_nowait((submission, future))
        return await future

    async def _write(self) -> None:
        while True:
            batch = [await self._waiting.get()]
            while len(batch) < MOST and not self._waiting.empty():
                batch.append(self._waiting.get_nowait())
            await self._take(batch)

    async def _take(self, batch: Sequence[tuple[Submission, asyncio.Future[Outcome]]]) -> None:
        try:
            outcomes = await accept(self._pool, [submission for submission, _ in batch])
        except Away as error:
            for _, future in batch:
                _fail(future, error)
        except Exception as error:
            # One that the database refuses must not cost the others theirs.
            if len(batch) == 1:
                _fail(batch[0][1], error)
            for pair in batch if len(batch) > 1 else ():
                await self._take([pair])
        else:
            for (_, future), outcome in zip(batch, outcomes, strict=True):
                if not future.done():
                    future.set_result(outcome)


def _fail(future: asyncio.Future[Outcome], error: Exception) -> None:
    if not future.done():
        future.set_exception(error)
