"""Bodies of requests: JSON, of a size, read once it is known who sends them."""

import json
from asyncio import to_thread
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import orjson
from fastapi import Request
from pydantic import BaseModel, ValidationError

from moka.submission.rights import Principal
from services.archer.service.context import Caller
from services.archer.service.problems import Problem, mistakes, places

JOB_BYTES = 256 * 1024
"""Of a job; the largest that anybody needs have a few hundred arguments."""

BATCH_BYTES = 4 * 1024 * 1024
DRAINED_BYTES = 64 * 1024 * 1024
"""Of a request that is too large: a client that is cut off while it sends does not read why."""

SMALL_BYTES = 64 * 1024
"""Of what is no job."""

WORKFLOWS_BYTES = 8 * 1024 * 1024
"""Of workflows that are sent together; 2,000 have one."""

PLAN_BYTES = 32 * 1024 * 1024
"""Of a plan: as much as a file of one may have (moka/allocation/plan.py)."""


async def body(request: Request, most: int) -> bytes:
    """The body of a request, of which no more is kept than it may have. Raises Problem."""
    for name, right in (("content-type", "application/json"), ("content-encoding", "identity")):
        value = request.headers.get(name, right)
        if value.partition(";")[0].strip().lower() != right:
            raise Problem(
                "wrong-media-type",
                f"{name} is {value[:60]!r}: send JSON as application/json, not compressed.",
            )
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
    return Problem(
        "too-large",
        f"The request is larger than {most // 1024} KiB: send a smaller one.",
        {"Connection": "close"},
    )


def parse(body: bytes) -> Any:
    """JSON that can be kept. Raises Problem."""
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise mistakes([("body", f"is not JSON: {error}; send a job as `archer submit` does")]) from None
    if b"\\u0000" in body:
        raise mistakes([("body", "has a character U+0000, which no text of a job can have; remove it")])
    try:
        # orjson keeps the last of two; YAML of a job file has the same refused.
        json.loads(body, object_pairs_hook=_refuse_repeated_keys)
    except RecursionError:
        raise mistakes([("body", "is nested too deeply; send a job as `archer submit` does")]) from None
    return value


def _refuse_repeated_keys(pairs: list[tuple[str, Any]]) -> None:
    """Raises Problem for a key that comes twice."""
    counted = Counter(key for key, _ in pairs)
    if twice := [key for key, count in counted.items() if count > 1]:
        advice = "has this key twice; rename or remove one of the two"
        raise mistakes([(key[:100], advice) for key in twice[:20]])


Body = TypeVar("Body", bound=BaseModel)

MOST_MISTAKES = 200
"""That are told of one request."""


def body_as(model: type[Body], most: int = SMALL_BYTES) -> Callable[[Request, Principal], Awaitable[Body]]:
    """The body of a request as a model, read once it is known who sends it: FastAPI reads it before, whole.

    most: bytes that it may have. Raises Problem.
    """

    async def read(request: Request, _: Caller) -> Body:
        text = await body(request, most)
        try:
            # Others are answered while a large one is read.
            return _read(model, text) if most <= SMALL_BYTES else await to_thread(_read, model, text)
        except ValidationError as error:
            raise mistakes(places(error.errors())[:MOST_MISTAKES]) from None

    return read


def _read(model: type[Body], text: bytes) -> Body:
    return model.model_validate(parse(text))


def takes(model: type[BaseModel]) -> dict[str, Any]:
    """What the OpenAPI document says of the body of an operation."""
    schema = {"$ref": f"#/components/schemas/{model.__name__}"}
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}
