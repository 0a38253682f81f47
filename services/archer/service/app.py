"""The application: its operations, its errors, and what runs beside them."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import cache
from itertools import chain
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from fastapi.responses import Response
from fastapi.routing import APIRoute
from prometheus_client import CONTENT_TYPE_LATEST
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.routing import Match

from moka.allocation.plan import Plan
from moka.jobs.job import Job
from services.archer.database.pool import Away
from services.archer.service import clusters, jobs, logs, plans, routes, why, workflows
from services.archer.service.context import Context
from services.archer.service.models import (
    ApplyModel,
    CordonModel,
    EventModel,
    LogPartModel,
    ProposedWorkflowsModel,
    ReasonModel,
    RouteModel,
    SentWorkflowsModel,
    StepModel,
)
from services.archer.service.problems import Problem, ProblemModel, answer, mistakes, places
from services.archer.service.telemetry import Telemetry

VERSION = "1"

ROUTERS = (
    jobs.router,
    why.router,
    logs.router,
    clusters.router,
    routes.router,
    plans.router,
    workflows.router,
)

MODELS: Sequence[type[BaseModel]] = (
    Job,
    Plan,
    ProblemModel,
    EventModel,
    LogPartModel,
    RouteModel,
    CordonModel,
    StepModel,
    ApplyModel,
    ReasonModel,
    SentWorkflowsModel,
    ProposedWorkflowsModel,
)
"""That no operation names to FastAPI: bodies that it does not read itself, and parts of streams."""

DESCRIPTION = """
Takes Spark jobs, has them run on the clusters of an environment, once, and tells what became of them. A job
is a job file (docs/jobs.md) as JSON. Errors are `application/problem+json`, with the places of all mistakes.
"""


def application(context: Context) -> FastAPI:
    """The application that serves a context."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        parts = (context.acceptor.run(), context.changes.run(), context.directory.run(), context.traces.run())
        tasks = app.state.parts = [asyncio.create_task(part) for part in parts]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    app = FastAPI(
        lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url="/openapi.json", redirect_slashes=False
    )
    app.state.context = context
    for router in ROUTERS:
        app.include_router(router, generate_unique_id_function=_operation)
    app.add_exception_handler(Problem, answer)
    app.add_exception_handler(Away, _away)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _failed)
    app.add_route("/healthz", _healthy, include_in_schema=False)
    app.add_route("/readyz", _ready, include_in_schema=False)
    app.add_route("/metrics", _metrics, include_in_schema=False)
    app.add_middleware(Telemetry, context=context)
    # Anybody may ask for it: it is made once.
    app.openapi = cache(lambda: document(app))  # type: ignore[method-assign]
    return app


def document(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document, with the models that no operation names to FastAPI."""
    whole = get_openapi(
        title="Archer", version=VERSION, description=DESCRIPTION, routes=app.routes, openapi_version="3.1.0"
    )
    schemas = whole.setdefault("components", {}).setdefault("schemas", {})
    for model in MODELS:
        schema = model.model_json_schema(ref_template="#/components/schemas/{model}")
        schemas |= schema.pop("$defs", {})
        schemas[model.__name__] = schema
    for operation in (operation for path in whole["paths"].values() for operation in path.values()):
        # FastAPI's own, in place of which there is a problem.
        if "HTTPValidationError" in str(operation["responses"].get("422")):
            del operation["responses"]["422"]
    schemas.pop("HTTPValidationError", None)
    schemas.pop("ValidationError", None)
    return whole


def _operation(route: APIRoute) -> str:
    """An operation is called as its function is, and as the client's method."""
    return route.name


async def _healthy(request: Request) -> Response:
    """Whether all of it runs: another process would do no better without the database."""
    ended_parts = [task for task in request.app.state.parts if task.done()]
    if ended_parts:
        return Response(f"a part has ended: {ended_parts[0]!r}\n", 503, media_type="text/plain")
    return Response("ok\n", media_type="text/plain")


async def _ready(request: Request) -> Response:
    """Whether requests are to come here: once the database has answered, though it be away for a moment."""
    context: Context = request.app.state.context
    reason = None if context.directory.is_loaded else "the database has not answered yet"
    if context.changes.leaving:
        reason = "it ends"
    return Response(f"{reason or 'ok'}\n", 503 if reason else 200, media_type="text/plain")


async def _metrics(request: Request) -> Response:
    """For collectors, which come without a proxy."""
    if "x-forwarded-for" in request.headers:
        raise HTTPException(404)
    context: Context = request.app.state.context
    return Response(context.metrics.text(), media_type=CONTENT_TYPE_LATEST)


async def _away(request: Request, error: Exception) -> Response:
    return await answer(
        request, Problem("away", "The database does not answer: send it again.", {"Retry-After": "2"})
    )


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    # The first part of a place says of what it is: a query, a path.
    wrong = places({**entry, "loc": entry["loc"][1:] or entry["loc"]} for entry in error.errors())
    return await answer(request, mistakes(wrong))


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    kind = {404: "no-such-page", 405: "wrong-method"}.get(error.status_code, "invalid-request")
    detail = (
        f"{request.method} {request.url.path[:200]}: {error.detail}; GET /openapi.json lists what there is."
    )
    headers = dict(error.headers or {})
    if "allow" in {name.lower() for name in headers}:
        # Starlette names the methods of one of the operations at this address.
        routes = (route for router in ROUTERS for route in router.routes if isinstance(route, APIRoute))
        method_sets = [
            route.methods or () for route in routes if route.matches(request.scope)[0] != Match.NONE
        ]
        headers = {"Allow": ", ".join(sorted(set(chain(*method_sets)) or {"GET"}))}
    return await answer(request, Problem(kind, detail, headers))


async def _failed(request: Request, error: Exception) -> Response:
    return await answer(request, Problem("error", "Archer failed, and has logged why: send it again later."))
