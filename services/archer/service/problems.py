"""Errors as `application/problem+json` (RFC 9457)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import orjson
from fastapi import Request
from fastapi.responses import Response
from pydantic import BaseModel, Field

MEDIA_TYPE = "application/problem+json"

KINDS: Mapping[str, tuple[int, str]] = {
    "unauthenticated": (401, "Nobody is known to have sent this"),
    "forbidden": (403, "You may not do this"),
    "no-such-job": (404, "There is no such job"),
    "in-history": (404, "The job is of long ago"),
    "no-such-page": (404, "There is nothing at this address"),
    "no-such-cluster": (404, "There is no such cluster"),
    "no-such-route": (404, "There is no such route"),
    "no-such-plan": (404, "There is no such plan"),
    "no-such-workflow": (404, "There is no such workflow"),
    "no-logs": (404, "There are no logs of this"),
    "wrong-method": (405, "This address does not take that"),
    "another-is-active": (409, "Another job of this unique key is active"),
    "ended": (409, "The job has ended"),
    "plan-exists": (409, "There is another plan of this id"),
    "plan-refused": (409, "The plan cannot take effect"),
    "another-revision": (409, "Something else is in force by now"),
    "waits-for-a-person": (409, "The plan changes more than a plan by itself may"),
    "too-slow": (408, "The request did not arrive in time"),
    "too-large": (413, "The request is too large"),
    "beyond-the-end": (416, "The log is not as long"),
    "wrong-media-type": (415, "The body is not JSON"),
    "invalid-job": (422, "The job has mistakes"),
    "invalid-plan": (422, "The plan does not fit the clusters"),
    "key-reused": (422, "The Idempotency-Key came before with another request"),
    "invalid-request": (400, "The request has mistakes"),
    "too-many-requests": (429, "Too many requests"),
    "long-headers": (431, "The headers are too large"),
    "away": (503, "The database does not answer"),
    "overloaded": (503, "More jobs come than can be taken"),
    "logs-away": (503, "S3 does not give the logs"),
    "too-many-waits": (503, "Too many requests wait here"),
    "too-many-connections": (503, "Too many connections are open here"),
    "unverified": (503, "Who verifies tokens does not answer"),
    "error": (500, "Archer failed"),
}
"""Kind -> status, and what it is in a few words."""


ANYWHERE = (
    "invalid-request",
    "unauthenticated",
    "forbidden",
    "too-many-requests",
    "error",
    "away",
    "unverified",
)
"""Kinds that every operation may answer."""


class MistakeModel(BaseModel):
    """What is wrong at a place."""

    at: str = Field(description="Place in the request: a field, with dots; or a parameter.")
    says: str = Field(description="What is wrong with it, and what would be right.")


class ProblemModel(BaseModel):
    """An error (RFC 9457)."""

    type: str = Field(description="`urn:archer:<kind>`, for programs.")
    title: str = Field(description="What it is, in a few words.")
    status: int = Field(description="The status of the answer.")
    detail: str = Field(description="What is wrong, where, and what to do.")
    job: str | None = Field(default=None, description="The job that it is about, where there is another.")
    mistakes: list[MistakeModel] | None = Field(default=None, description="All that is wrong.")


class Problem(Exception):
    """An answer that is an error.

    kind: of KINDS. detail: a sentence. more: further members. headers: of the answer.
    """

    def __init__(self, kind: str, detail: str, headers: Mapping[str, str] | None = None, **more: Any) -> None:
        super().__init__(detail)
        self.kind = kind
        self.detail = detail
        self.headers = dict(headers or {})
        self.more = more

    @property
    def status(self) -> int:
        """Status of the answer."""
        return KINDS[self.kind][0]


def mistakes(places: Sequence[tuple[str, str]]) -> Problem:
    """A problem with the parameters of a request: place, and what it says."""
    return Problem(
        "invalid-request",
        " ".join(f"{at}: {sentence}." for at, sentence in places),
        mistakes=[{"at": at, "says": sentence} for at, sentence in places],
    )


def places(errors: Iterable[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """pydantic's errors as places and what is wrong there."""
    return [
        (
            ".".join(str(part) for part in error["loc"])[:200] or "body",
            error["msg"][0].lower() + error["msg"][1:],
        )
        for error in errors
    ]


async def answer(_: Request, problem: Exception) -> Response:
    """The answer of a problem."""
    assert isinstance(problem, Problem)
    body = {**members(problem.kind, problem.detail), **problem.more}
    return Response(orjson.dumps(body), problem.status, problem.headers, MEDIA_TYPE)


def members(kind: str, detail: str) -> dict[str, str | int]:
    """What every problem of a kind says."""
    status, title = KINDS[kind]
    return {"type": f"urn:archer:{kind}", "title": title, "status": status, "detail": detail}


def responses(*kinds: str) -> dict[int | str, dict[str, Any]]:
    """What the OpenAPI document says of the errors of an operation."""
    descriptions: dict[int | str, list[str]] = {}
    for kind in dict.fromkeys((*ANYWHERE, *kinds)):
        descriptions.setdefault(KINDS[kind][0], []).append(f"`{kind}`: {KINDS[kind][1]}.")
    return {
        status: {
            "description": " ".join(words),
            "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/ProblemModel"}}},
        }
        for status, words in descriptions.items()
    }
