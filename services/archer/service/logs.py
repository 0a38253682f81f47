"""Operations on the logs of jobs."""

import asyncio
import codecs
import json
import re
from collections.abc import AsyncIterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query
from fastapi.responses import Response, StreamingResponse
from fastapi.sse import format_sse_event
from starlette.types import Receive, Scope, Send

from moka.jobs.pods import CONTAINERS
from moka.log_keys import APPLICATION_ID, DRIVER, EXECUTOR, container_prefix
from moka.machines.machine_capacity import JobRole
from moka.submission.job_id import id_text
from moka.submission.states import ENDED
from services.archer.database import reading
from services.archer.database.reading import AttemptRow, JobRow
from services.archer.service import log_store
from services.archer.service.byte_range import ByteRange, byte_range
from services.archer.service.context import Context, Row, ServiceContext
from services.archer.service.log_store import Container, container_of
from services.archer.service.models import PodModel, PodsModel
from services.archer.service.problems import Problem, mistakes, responses

MOST = 4 * 2**20
"""Bytes of a range that are answered; of a longer one, its beginning (RFC 9110, section 15.3.7)."""

POD = re.compile(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?")
"""Name of a pod."""

NUMBER = re.compile(r"-exec-(\d+)$")
"""End of an executor's name (apache/spark, BasicExecutorFeatureStep.scala)."""

TEXT = "text/plain; charset=utf-8"
HEADERS = {"Accept-Ranges": "bytes", "X-Content-Type-Options": "nosniff"}
"""Nobody is to take for a page what a job has printed."""

router = APIRouter(prefix="/v1", tags=["jobs"])

Attempt = Annotated[
    int | None, Query(ge=1, le=10_000, description="Number of an attempt; else the last one.")
]


@router.get("/jobs/{job}/pods", responses=responses("no-such-job", "no-logs", "logs-away"))
async def list_pods(context: ServiceContext, row: Row, attempt: Attempt = None) -> PodsModel:
    """The pods of an attempt that have logs; a driver's are there up to a minute after they were written."""
    attempt_row = await _attempt(context, row, attempt)
    if attempt_row is None or not _has_spark_id(attempt_row):
        return PodsModel(attempt=attempt_row.number if attempt_row else row.attempt, pods=[])
    place = context.logs.place(attempt_row.cluster)
    pods = []
    for role in (DRIVER, EXECUTOR):
        prefix = container_prefix(place.folder, attempt_row.namespace, attempt_row.spark_id or "", role)
        for name in await context.logs.pods(attempt_row.cluster, prefix):
            number = NUMBER.search(name)
            executor = int(number[1]) if role == EXECUTOR and number else None
            pods.append(PodModel.model_validate({"name": name, "role": role, "executor": executor}))
    return PodsModel(attempt=attempt_row.number, pods=pods)


@router.get(
    "/jobs/{job}/logs",
    response_class=Response,
    responses={
        200: {
            "description": "All of it until now; as a stream, with `Accept: text/event-stream`, "
            "also what comes until the attempt has ended.",
            "content": {
                "text/plain": {"schema": {"type": "string"}},
                "text/event-stream": {"schema": {"$ref": "#/components/schemas/LogPartModel"}},
            },
        },
        206: {
            "description": f"A range of its bytes, of {MOST // 2**20} MiB at most.",
            "content": {"text/plain": {"schema": {"type": "string"}}},
        },
        **responses(
            "no-such-job", "no-logs", "beyond-the-end", "invalid-request", "too-many-waits", "logs-away"
        ),
    },
)
async def get_logs(
    context: ServiceContext,
    row: Row,
    pod: Annotated[str, Query(max_length=253, description="`driver`, or an executor's name.")] = DRIVER,
    attempt: Attempt = None,
    times: Annotated[bool, Query(description="The time of each line before it.")] = False,
    after: Annotated[
        int, Query(ge=0, le=2**53, description="Bytes to leave out: those that came before it was cut off.")
    ] = 0,
    accept: Annotated[str, Header()] = "",
    range_: Annotated[
        str | None,
        Header(alias="Range", max_length=50, description="`bytes=0-1023`, or `bytes=-1024`."),
    ] = None,
    last: Annotated[
        str | None,
        Header(alias="Last-Event-ID", max_length=15, description="A stream goes on after it: bytes so far."),
    ] = None,
) -> Response:
    """What the driver of a job, or an executor, printed; it is here while S3 keeps it."""
    if pod != DRIVER and not POD.fullmatch(pod):
        raise mistakes([("pod", "is no name of a pod: `driver`, or one that GET /v1/jobs/{job}/pods lists")])
    if "text/event-stream" in accept:
        if last is not None and not last.isdecimal():
            raise mistakes([("Last-Event-ID", "is a number of bytes: send back what a stream gave as `id`")])
        follower = _Follower(context, row, pod, await _attempt(context, row, attempt), times)
        return await _log_response(context, follower.events(int(last or 0)), "text/event-stream")
    requested_range = byte_range(range_) if range_ is not None else None
    if range_ is not None and requested_range is None:
        raise mistakes(
            [("Range", "has to be one range of bytes, such as bytes=0-1023, bytes=1024- or bytes=-1024")]
        )
    attempt_row = await _attempt(context, row, attempt)
    container = _container(context, attempt_row, pod) if attempt_row else None
    if container is None or not await context.logs.is_there(container):
        raise Problem("no-logs", _no_logs_message(context, row, attempt_row, pod))
    if requested_range is not None:
        with context.logs.reader():
            return await _part(context.logs.text(container, times=times), requested_range)
    return await _log_response(context, _rest(context.logs.text(container, times=times), after), TEXT)


async def _attempt(context: Context, row: JobRow, number: int | None) -> AttemptRow | None:
    """An attempt; None where the job has no application yet. Raises Problem for one that is not there."""
    attempts = {attempt.number: attempt for attempt in await reading.attempts(context.pool, row.id)}
    if number is None:
        return attempts[max(attempts)] if attempts else None
    if number not in attempts:
        raise Problem(
            "no-logs", f"Job {id_text(row.id)} has had {len(attempts)} attempts: ask for one of these."
        )
    return attempts[number]


def _has_spark_id(attempt: AttemptRow) -> bool:
    """Whether it has an id of Spark's, which is a part of keys: nothing else may become one."""
    return bool(attempt.spark_id and APPLICATION_ID.fullmatch(attempt.spark_id))


def _container(context: Context, attempt: AttemptRow, pod: str) -> Container | None:
    """Spark's container of a pod; None where the attempt has no id of Spark's yet."""
    if not _has_spark_id(attempt):
        return None
    place = context.logs.place(attempt.cluster)
    role: JobRole = "driver" if pod == DRIVER else "executor"
    # Of the driver only its application's name is known, which the operator makes that of its pod from.
    name = f"{attempt.application}-driver" if pod == DRIVER else pod
    parts = (attempt.namespace, attempt.spark_id or "", role, name, CONTAINERS[role])
    return container_of(place, attempt.cluster, *parts)


def _no_logs_message(context: Context, row: JobRow, attempt: AttemptRow | None, pod: str) -> str:
    whose = f"its {pod}" if pod == DRIVER else pod
    if attempt is None or (not _has_spark_id(attempt) and row.state not in ENDED):
        return f"There are no logs of {whose}: the job has not started; GET /v1/jobs/{{job}}/why says why."
    place = context.logs.place(attempt.cluster)
    return (
        f"There are no logs of {whose} in attempt {attempt.number}: GET /v1/jobs/{{job}}/pods "
        "lists the pods that have some; what was just written is there after "
        f"{place.drivers_behind_seconds} s for drivers, {place.executors_behind_seconds} s for executors."
    )


async def _log_response(context: Context, parts: AsyncIterator[bytes], media_type: str) -> Response:
    """An answer that has begun: what goes wrong before its first part is a problem. Raises Problem."""
    with ExitStack() as reader:
        reader.enter_context(context.logs.reader())
        first = await anext(parts, b"")
        resources = reader.pop_all()

    async def body() -> AsyncIterator[bytes]:
        yield first
        async for part in parts:
            yield part

    return _Reading(body(), media_type=media_type, headers=HEADERS, resources=resources)


class _Reading(StreamingResponse):
    """A stream of somebody who is counted until it ends, however that may be."""

    def __init__(self, *arguments: Any, resources: ExitStack, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._resources = resources

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._resources:
            await super().__call__(scope, receive, send)


async def _rest(parts: AsyncIterator[bytes], after: int) -> AsyncIterator[bytes]:
    """What of a log comes after so many bytes. A part of whole lines stays a part, or is shorter."""
    position = 0
    async for part in parts:
        rest = part[max(after - position, 0) :]
        position += len(part)
        if rest:
            yield rest


async def _part(parts: AsyncIterator[bytes], requested_range: ByteRange) -> Response:
    """A range of a log. Raises Problem where it begins beyond the end."""
    position, content, whole = 0, bytearray(), True
    first = requested_range.first
    most = (
        MOST if requested_range.last is None else min(MOST, requested_range.last - requested_range.first + 1)
    )
    async for part in parts:
        if requested_range.suffix is not None:
            content += part
            del content[: max(len(content) - min(requested_range.suffix, MOST), 0)]
        elif position + len(part) > first:
            content += part[max(first - position, 0) :][: most - len(content)]
        position += len(part)
        if requested_range.suffix is None and len(content) >= most:
            # How long it is, nobody has asked for.
            whole = False
            break
    if requested_range.suffix is not None:
        first = position - len(content)
    length = str(position) if whole else "*"
    if not content:
        raise Problem(
            "beyond-the-end",
            f"The log has {position} bytes until now: ask for a range that begins before its end.",
            {"Content-Range": f"bytes */{position}"},
        )
    headers = {**HEADERS, "Content-Range": f"bytes {first}-{first + len(content) - 1}/{length}"}
    return Response(bytes(content), 206, headers, TEXT)


@dataclass
class _Follower:
    """Follows the log of a pod until its attempt has ended, and its last lines have had their time."""

    context: Context
    row: JobRow
    pod: str
    attempt: AttemptRow | None
    times: bool

    async def events(self, after: int) -> AsyncIterator[bytes]:
        """What comes after so many bytes."""
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        position = 0
        async for part in self._parts():
            if not part:
                yield format_sse_event(comment="waiting")
                continue
            new_part = part[max(after - position, 0) :]
            position += len(part)
            if new_part:
                data = json.dumps({"text": decoder.decode(new_part)})
                yield format_sse_event(id=str(position), event="log", data_str=data)
        yield format_sse_event(event="end", data_str=json.dumps({"text": ""}))

    async def _parts(self) -> AsyncIterator[bytes]:
        while (container := self._container()) is None:
            yield b""
            if not await self._goes_on():
                return
            await asyncio.sleep(log_store.LOOK_SECONDS)
        async for part in self.context.logs.text(container, times=self.times, goes_on=self._goes_on):
            yield part

    def _container(self) -> Container | None:
        return _container(self.context, self.attempt, self.pod) if self.attempt else None

    async def _goes_on(self) -> bool:
        """Whether more may come."""
        number = self.attempt.number if self.attempt else None
        attempts = await reading.attempts(self.context.pool, self.row.id)
        self.attempt = next((attempt for attempt in attempts if number in (None, attempt.number)), None)
        if self.attempt is None:
            now = await reading.get(self.context.pool, self.row.id)
            return now is not None and now.state not in ENDED
        if self.attempt.ended is None:
            return True
        place = self.context.logs.place(self.attempt.cluster)
        behind = place.drivers_behind_seconds if self.pod == DRIVER else place.executors_behind_seconds
        return datetime.now(UTC) < self.attempt.ended + timedelta(seconds=behind)
