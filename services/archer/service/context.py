"""What every operation has at hand."""

import logging
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Annotated, cast
from uuid import UUID

from fastapi import Depends, Path, Request

from moka.submission.configuration import HistoryPlace
from moka.submission.job_id import id_text, parse_id, submitted_at
from moka.submission.month import Month
from moka.submission.rights import Action, Policy, Principal
from services.archer.authentication.principal import (
    Authenticator,
    Peer,
    Sender,
    Unauthenticated,
    Unverified,
)
from services.archer.database import reading
from services.archer.database.partitions import months
from services.archer.database.pool import Pool
from services.archer.database.reading import JobRow
from services.archer.service.acceptor import Acceptor
from services.archer.service.changes import Changes
from services.archer.service.limits import Rates
from services.archer.service.log_store import LogStore
from services.archer.service.metrics import ServiceMetrics
from services.archer.service.problems import Problem, mistakes
from services.archer.service.surroundings import ClusterDirectory
from services.archer.traces import JobTraces
from services.archer.tracing import OFF, Tracing
from services.common.logs import fields

CERTIFICATE_NAMES = "certificate_names"
"""In a request's state: alternative names of the certificate that its connection has."""

READING = frozenset({"GET", "HEAD", "OPTIONS"})

MAY_COME_TWICE = frozenset({"accept", "accept-encoding", "cookie", "via", "forwarded", "x-forwarded-for"})

NO_SUCH_JOB = "There is no job with this id that you may see: take the id that the submission answered."

audit = logging.getLogger("services.archer.audit")


@dataclass(frozen=True, kw_only=True)
class Context:
    """What the service is made of."""

    pool: Pool
    acceptor: Acceptor
    changes: Changes
    directory: ClusterDirectory
    authenticator: Authenticator
    policy: Policy
    rates: Rates
    logs: LogStore
    history: HistoryPlace | None = None
    tracing: Tracing = OFF
    metrics: ServiceMetrics = field(init=False)
    traces: JobTraces = field(init=False)

    def __post_init__(self) -> None:
        """Its metrics and traces are of what it has."""
        object.__setattr__(self, "metrics", ServiceMetrics(self.changes, self.pool))
        object.__setattr__(self, "traces", JobTraces(self.pool, self.tracing))


async def context(request: Request) -> Context:
    """The context of a request's application.

    Asynchronous, as all that requests depend on: FastAPI has others called in threads.
    """
    return cast(Context, request.app.state.context)


ServiceContext = Annotated[Context, Depends(context)]


def _headers(request: Request) -> dict[str, str]:
    """Headers by name in lower case. Raises Unauthenticated where one that tells who sends it comes twice."""
    headers: dict[str, str] = {}
    for name, value in request.headers.items():
        if name in headers and name not in MAY_COME_TWICE:
            raise Unauthenticated(f"{name} comes twice: send it once.")
        headers[name] = value
    return headers


async def caller(request: Request, context: ServiceContext) -> Principal:
    """Who sends a request, of whom there are not too many. Raises Problem."""
    parameters = [*request.query_params.multi_items(), *request.path_params.items()]
    if wrong := [name for name, value in parameters if "\0" in name + value]:
        raise mistakes([(wrong[0].replace("\0", "?"), "has a character U+0000; remove it")])
    names: frozenset[str] = getattr(request.state, CERTIFICATE_NAMES, frozenset())
    peer = Peer(request.client.host if request.client else "", names)
    try:
        sender = await context.authenticator.sender(_headers(request), peer)
    except Unauthenticated as error:
        audit.info("refused", extra=fields(address=peer.address, reason=str(error)))
        raise Problem("unauthenticated", str(error), {"WWW-Authenticate": "Bearer"}) from None
    except Unverified as error:
        raise Problem("unverified", str(error), {"Retry-After": "5"}) from None
    _not_by_another_page(request, sender)
    context.rates.take(sender.principal.name)
    return sender.principal


def _not_by_another_page(request: Request, sender: Sender) -> None:
    """Refuse what a page of another site has a browser send, which the proxy knows by its cookie.

    Browsers say so, and no page can have them say something else (https://www.w3.org/TR/fetch-metadata/).
    Raises Problem.
    """
    site = request.headers.get("sec-fetch-site", "none")
    if sender.way == "proxy" and request.method not in READING and site not in ("none", "same-origin"):
        audit.info("refused", extra=fields(who=sender.principal.name, reason=f"sec-fetch-site: {site}"))
        raise Problem("forbidden", "Pages of other sites cannot make changes here: use the command `archer`.")


Caller = Annotated[Principal, Depends(caller)]


async def job_id(job: Annotated[str, Path(description="Id of the job.")]) -> UUID:
    """The id in a path. Raises Problem."""
    parsed_id = parse_id(job)
    if parsed_id is None:
        raise Problem(
            "no-such-job", f"{job[:100]!r} is not the id of a job: take the id that the submission answered."
        )
    return parsed_id


JobId = Annotated[UUID, Depends(job_id)]


async def job_row(context: ServiceContext, principal: Caller, job: JobId) -> JobRow:
    """A job that the caller may see. Raises Problem, the same whether it is not there or not theirs."""
    row = await reading.get(context.pool, job)
    if row is None and context.history is not None and await _is_gone(context, job):
        month = Month.of(submitted_at(job))
        raise Problem(
            "in-history",
            f"Jobs of {month} are not in the database any more: read them in Parquet, below "
            f"s3://{context.history.bucket}/{context.history.prefix}.",
        )
    if row is None:
        raise Problem("no-such-job", NO_SUCH_JOB)
    if not context.policy.allows(principal, "see", row.queue, row.tier, row.principal):
        denied(principal, "see", job=id_text(row.id))
        raise Problem("no-such-job", NO_SUCH_JOB)
    return row


async def _is_gone(context: Context, job: UUID) -> bool:
    """Whether a job's month is before those that the database has."""
    month = Month.of(submitted_at(job))
    if month >= Month.of(datetime.now(UTC)):
        return False
    return month not in await context.pool.run(months)


Row = Annotated[JobRow, Depends(job_row)]


def denied(principal: Principal, action: Action, **what: object) -> None:
    """Write down that somebody may not do something. What may be seen is not: it is asked all the time."""
    audit.info("asked", extra=fields(who=principal.name, action=action, **what, allowed=False))


def permit(
    context: Context, principal: Principal, action: Action, queue: str, tier: int, owner: str = ""
) -> None:
    """Refuse what somebody may not do, and write down either. Raises Problem."""
    allowed = context.policy.allows(principal, action, queue, tier, owner)
    audit.info(
        "asked",
        extra=fields(who=principal.name, action=action, queue=queue, tier=tier, owner=owner, allowed=allowed),
    )
    if not allowed:
        raise Problem(
            "forbidden",
            f"{principal.name} may not {action} jobs of {queue}, tier {tier}: ask those who keep the "
            "settings of Archer for a right.",
        )
