"""Submits: claims the jobs that are next, and makes their applications."""

import asyncio
import logging
from collections.abc import Mapping
from datetime import timedelta

import aiohttp
from opentelemetry.trace import SpanKind

from moka.mistakes import InvalidDocument
from moka.submission.breaker import Breaker
from moka.submission.job_id import application_name, id_text
from moka.submission.manifest import attempt_of, manifest
from moka.submission.reasons import Reason
from moka.submission.states import State
from services.archer.database import claims, transitions
from services.archer.database.claims import Claim, Pace
from services.archer.database.pool import Away, Connection, Pool
from services.archer.traces import JobTraces
from services.archer.worker.cluster import Cluster
from services.archer.worker.stored_job import Unreadable, stored_job
from services.common.kubernetes import ApiError
from services.common.logs import fields

IDLE_SECONDS = 0.5
"""Between claims, when there was nothing to claim."""

CREATE_SECONDS = 20.0
"""For an API server to answer; well within a claim's lease (services/archer/database/claims.py)."""

PAUSE_SECONDS = 5.0
"""Until a job is tried again that the cluster did not take for now."""

FOR_NOW = frozenset({401, 403, 404, 408, 429})
"""Statuses of a request that may do later: a Role or a namespace that is not there yet, and too much at once.
403 is a quota's as well."""

log = logging.getLogger(__name__)

Outcome = transitions.NewApplication | transitions.Release | transitions.End


class Submitter:
    """Submits the jobs of an operator.

    weights: of queues. worker: name of this one, for people.
    """

    def __init__(
        self,
        pool: Pool,
        cluster: Cluster,
        pace: Pace,
        weights: Mapping[str, float],
        traces: JobTraces,
        worker: str,
    ) -> None:
        self._pool = pool
        self._cluster = cluster
        self._pace = pace
        self._weights = weights
        self._traces = traces
        self._worker = worker

    async def run(self) -> None:
        """Submit for ever."""
        while True:
            try:
                claimed = await self.submit()
            except Away as error:
                log.warning("claiming failed", extra=fields(cluster=self._cluster.name, error=error))
                claimed = 0
            if not claimed:
                await asyncio.sleep(IDLE_SECONDS)

    async def submit(self, most: int = 50) -> int:
        """Claim once, and make the applications of what was claimed; how many there were. Raises Away."""
        name, pace = self._cluster.name, self._pace
        begin = asyncio.get_running_loop().time()
        claimed = await self._pool.run(
            lambda connection: claims.claim(connection, name, pace, self._weights, self._worker, most)
        )
        if not claimed:
            return 0
        outcomes = await asyncio.gather(*[self._create(claim, begin) for claim in claimed])
        await self._pool.run(lambda connection: self._keep(connection, outcomes))
        return len(claimed)

    async def _create(self, claim: Claim, begin: float) -> Outcome:
        """Make the application of a job, unless it is there already.

        begin: time of the loop before it was claimed.
        """
        name = application_name(claim.name, claim.job, claim.attempt)
        # What an earlier claim made is there, whatever would be answered now.
        if claim.tried and (outcome := await self._existing_outcome(claim, name)):
            return outcome
        # Of clocks, only the database's counts; this machine's may be wrong.
        age = timedelta(seconds=asyncio.get_running_loop().time() - begin)
        deadline = claim.at + age + timedelta(seconds=CREATE_SECONDS)
        try:
            placed = {field: getattr(claim, field) for field in ("namespace", "queue", "architecture")}
            job = stored_job(claim.document).model_copy(update=placed)
            application = manifest(
                job,
                self._cluster.target,
                claim.job,
                claim.attempt,
                claim.principal,
                claim.groups,
                deadline=deadline,
            )
        except Unreadable as error:
            return self._postponement(claim, Reason.REFUSED_FOR_NOW, str(error), bound=False)
        except InvalidDocument as error:
            # It fitted when it was taken; the cluster has changed since.
            return self._refusal(claim, str(error))
        if deadline > claim.at + claims.LEASE:
            return self._postponement(claim, Reason.LEASE_ENDED, "its worker stood still", bound=False)
        try:
            with self._traces.span(
                "create application",
                claim.job,
                SpanKind.CLIENT,
                cluster=self._cluster.name,
                attempt=claim.attempt,
                application=name,
            ):
                async with asyncio.timeout(CREATE_SECONDS):
                    await self._cluster.create(application)
        except ApiError as error:
            if error.status == 409:
                outcome = await self._existing_outcome(claim, name)
                return outcome or self._postponement(
                    claim, Reason.REFUSED_FOR_NOW, "it was there, and is gone", bound=True
                )
            if error.status in FOR_NOW:
                return self._postponement(claim, Reason.REFUSED_FOR_NOW, str(error), bound=False)
            if error.status < 500:
                return self._refusal(claim, str(error))
            return self._postponement(claim, Reason.REFUSED_FOR_NOW, str(error), bound=True)
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            # Whether it was made is not known.
            words = f"{self._cluster.name} did not answer: {error or type(error).__name__}"
            return self._postponement(claim, Reason.REFUSED_FOR_NOW, words, bound=True)
        log.info(
            "submitted",
            extra=fields(
                job=id_text(claim.job), attempt=claim.attempt, cluster=self._cluster.name, application=name
            ),
        )
        return transitions.NewApplication(job=claim.job, claim=claim.number, application=name)

    async def _existing_outcome(self, claim: Claim, name: str) -> Outcome | None:
        """What is to be said where an application of this name is there already, whose ever; None without."""
        try:
            application = await self._cluster.application(claim.namespace, name)
        except (ApiError, aiohttp.ClientError, OSError, TimeoutError) as error:
            return self._postponement(claim, Reason.REFUSED_FOR_NOW, str(error), bound=True)
        if application is None:
            return None
        if attempt_of(application) == (claim.job, claim.attempt):
            return transitions.NewApplication(job=claim.job, claim=claim.number, application=name)
        return self._refusal(claim, f"there is another application {name}, which Archer did not make")

    def _postponement(self, claim: Claim, reason: Reason, message: str, bound: bool) -> transitions.Release:
        log.warning(
            "not submitted", extra=fields(job=id_text(claim.job), cluster=self._cluster.name, error=message)
        )
        return transitions.Release(
            job=claim.job,
            claim=claim.number,
            reason=reason,
            message=message,
            seconds=PAUSE_SECONDS,
            # What may have been made before may come late, whatever is answered now.
            bound=bound or claim.tried,
        )

    def _refusal(self, claim: Claim, message: str) -> transitions.End:
        return transitions.End(
            job=claim.job,
            attempt=claim.attempt,
            state=State.FAILED,
            reason=Reason.APPLICATION_REFUSED,
            message=message,
        )

    async def _keep(self, connection: Connection, outcomes: list[Outcome]) -> None:
        """Write what became of the jobs, and how the cluster answered."""
        submissions = [outcome for outcome in outcomes if isinstance(outcome, transitions.NewApplication)]
        releases = [outcome for outcome in outcomes if isinstance(outcome, transitions.Release)]
        ends = [outcome for outcome in outcomes if isinstance(outcome, transitions.End)]
        await transitions.record_applications(connection, submissions)
        await transitions.release(connection, releases)
        self._traces.ended(await transitions.record_ends(connection, ends))
        row = await connection.fetchrow(
            "SELECT failures, open_until, extract(epoch FROM now())::float8 AS now FROM clusters "
            "WHERE name = $1 FOR UPDATE",
            self._cluster.name,
        )
        assert row is not None, "a cluster's row is never deleted"
        before = Breaker(row["failures"], row["open_until"])
        silent = [release for release in releases if release.bound]
        after = before.after_failure(row["now"]) if len(silent) == len(outcomes) else before.after_answer()
        if after != before:
            await connection.execute(
                "UPDATE clusters SET failures = $2, open_until = $3 WHERE name = $1",
                self._cluster.name,
                after.failures,
                after.open_until,
            )
