"""The client: a method for each operation of Archer's OpenAPI document, `openapi.json` beside this file."""

import codecs
import json
import random
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any, cast

import httpx

from archer.credentials import Credentials
from archer.models import (
    AppliedModel,
    BatchModel,
    ChangedModel,
    ClusterModel,
    ClustersModel,
    EventModel,
    EventsModel,
    Job,
    JobModel,
    PageModel,
    Plan,
    PlanModel,
    PlansModel,
    PodsModel,
    RouteModel,
    RoutesModel,
    SubmittedModel,
    ValidationModel,
    WholeJobModel,
    WholePlanModel,
    WhyModel,
    Workflow,
    WorkflowModel,
    WorkflowsModel,
    WrittenRouteModel,
)
from archer.problem import Problem, Unreachable

ENDED = frozenset({"succeeded", "failed", "cancelled", "lost"})
"""States of a job that has ended."""

PATIENCE_SECONDS = 60.0
"""For so long a request is sent again where Archer is not reached, or has too much to do."""

WAIT_SECONDS = 30
"""Of one request that waits for the end of a job."""

FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.5, 10.0

AGAIN = frozenset({429, 502, 503, 504})
"""Statuses of an answer that may be another in a moment."""


class Archer:
    """Archer at a URL.

    Every request may be sent again, and is, for as long as `patience`: submissions have a key, by which
    Archer knows them again. Methods raise Problem, for an answer that is an error, and Unreachable.
    """

    def __init__(
        self,
        url: str,
        credentials: Credentials | None = None,
        *,
        patience: float = PATIENCE_SECONDS,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._http = httpx.Client(
            base_url=url, timeout=httpx.Timeout(WAIT_SECONDS + 15.0, connect=10.0), transport=transport
        )
        self._credentials = credentials
        self._patience = patience

    def __enter__(self) -> "Archer":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.close()

    def submit(self, job: Job | Mapping[str, Any], key: str | None = None) -> SubmittedModel:
        """Submit a job: it is kept, and runs once, when this returns.

        key: yours for this submission, so that a program that begins anew does not submit it twice.
        """
        headers = {"Idempotency-Key": key or str(uuid.uuid4())}
        return cast(SubmittedModel, self._ask("POST", "/v1/jobs", json=job, headers=headers))

    def submit_batch(self, jobs: Sequence[Job | Mapping[str, Any]], key: str | None = None) -> BatchModel:
        """Submit up to 1,000 jobs, each by itself: what is wrong with one costs no other."""
        headers = {"Idempotency-Key": key or str(uuid.uuid4())}
        return cast(BatchModel, self._ask("POST", "/v1/jobs/batch", json=list(jobs), headers=headers))

    def validate(self, job: Job | Mapping[str, Any]) -> ValidationModel:
        """Where a job would go. Raises Problem with all that is wrong with it; nothing is made."""
        return cast(ValidationModel, self._ask("POST", "/v1/jobs/validate", json=job))

    def get_job(self, job: str, wait: int = 0) -> WholeJobModel:
        """A job with its attempts.

        wait: seconds, 60 at most, that it may take until it answers that the job has not ended.
        """
        query = {"wait": f"{wait}s"} if wait else {}
        return cast(WholeJobModel, self._ask("GET", f"/v1/jobs/{job}", params=query))

    def wait(self, job: str) -> WholeJobModel:
        """A job once it has ended, however long that takes."""
        while True:
            whole = self.get_job(job, WAIT_SECONDS)
            if whole["state"] in ENDED:
                return whole

    def list_jobs(self, **filters: Any) -> Iterator[JobModel]:
        """Jobs, the newest first, a page at a time as they are asked for.

        filters: `owner`, `name`, `queue`, `tier`, `workflow`, and `state`, which may be several.
        """
        query = {name: value for name, value in filters.items() if value not in (None, (), [])}
        while True:
            page = cast(PageModel, self._ask("GET", "/v1/jobs", params=query))
            yield from page["jobs"]
            if not (following := page.get("next")):
                return
            query["cursor"] = following

    def get_document(self, job: str) -> Job:
        """The job as it was submitted."""
        return cast(Job, self._ask("GET", f"/v1/jobs/{job}/document"))

    def get_events(self, job: str, after: int = 0) -> Sequence[EventModel]:
        """What happened to a job until now, in order."""
        headers = {"Last-Event-ID": str(after)} if after else {}
        answer = cast(EventsModel, self._ask("GET", f"/v1/jobs/{job}/events", headers=headers))
        return answer["events"]

    def follow(self, job: str) -> Iterator[EventModel]:
        """What happened to a job, and what happens, until it has ended.

        A stream that is cut off goes on where it was.
        """
        last, deadline = 0, time.monotonic() + self._patience
        while True:
            headers = {"Accept": "text/event-stream", "Last-Event-ID": str(last)}
            try:
                with self._http.stream(
                    "GET", f"/v1/jobs/{job}/events", headers={**headers, **self._authorization()}
                ) as answer:
                    if answer.status_code not in AGAIN:
                        _raise_for(answer, answer.read if answer.is_error else None)
                        for event in _events(answer.iter_lines()):
                            last, deadline = event["number"], time.monotonic() + self._patience
                            yield event
                            if event["state"] in ENDED:
                                return
            except httpx.TransportError as error:
                if time.monotonic() > deadline:
                    raise Unreachable(_unreachable(self._http.base_url, error)) from error
            time.sleep(FIRST_PAUSE_SECONDS)

    def list_pods(self, job: str, attempt: int | None = None) -> PodsModel:
        """The pods of an attempt, the last one if none is named, that have logs."""
        return cast(PodsModel, self._ask("GET", f"/v1/jobs/{job}/pods", params=_query(attempt=attempt)))

    def get_logs(
        self, job: str, pod: str = "driver", attempt: int | None = None, times: bool = False
    ) -> Iterator[str]:
        """What a pod of an attempt has printed until now, bit by bit.

        pod: `driver`, or a name that `list_pods` gives. attempt: its number; None for the last one.
        times: the time of each line before it. A log that is cut off goes on where it was.
        """
        query = _query(pod=pod, attempt=attempt, times=times or None)
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        position, deadline = 0, time.monotonic() + self._patience
        while True:
            rest = query | ({"after": position} if position else {})
            with self._stream(f"/v1/jobs/{job}/logs", rest, {}, deadline) as answer:
                if answer is None:
                    continue
                for part in answer.iter_bytes():
                    position, deadline = position + len(part), time.monotonic() + self._patience
                    yield decoder.decode(part)
                return

    def follow_logs(
        self, job: str, pod: str = "driver", attempt: int | None = None, times: bool = False
    ) -> Iterator[str]:
        """The same, and what it prints until its attempt has ended."""
        query = _query(pod=pod, attempt=attempt, times=times or None)
        last, deadline = 0, time.monotonic() + self._patience
        while True:
            headers = {"Accept": "text/event-stream", "Last-Event-ID": str(last)}
            with self._stream(f"/v1/jobs/{job}/logs", query, headers, deadline) as answer:
                if answer is None:
                    continue
                for event in _fields(answer.iter_lines()):
                    if event.get("event") == "end":
                        return
                    deadline = time.monotonic() + self._patience
                    if "data" in event:
                        last = int(event["id"])
                        yield json.loads(event["data"])["text"]
            time.sleep(FIRST_PAUSE_SECONDS)

    def why(self, job: str) -> WhyModel:
        """Why a job waits: a word for programs, a sentence for people, and as of when."""
        return cast(WhyModel, self._ask("GET", f"/v1/jobs/{job}/why"))

    def stop(self, job: str) -> JobModel:
        """Have a job end; of one that has ended, nothing changes."""
        return cast(JobModel, self._ask("POST", f"/v1/jobs/{job}/stop"))

    def delete(self, job: str) -> JobModel:
        """Have a job end, and its application removed; its history stays."""
        return cast(JobModel, self._ask("DELETE", f"/v1/jobs/{job}"))

    def list_clusters(self) -> Sequence[ClusterModel]:
        """The clusters, with their queues and whether they take jobs."""
        return cast(ClustersModel, self._ask("GET", "/v1/clusters"))["clusters"]

    def cordon(self, cluster: str, why: str) -> ClusterModel:
        """Send no new jobs to a cluster; those that may go elsewhere do."""
        answer = self._ask("PUT", f"/v1/clusters/{cluster}/cordon", json={"why": why})
        return cast(ClusterModel, answer)

    def uncordon(self, cluster: str) -> ClusterModel:
        """Send jobs to a cluster again."""
        return cast(ClusterModel, self._ask("DELETE", f"/v1/clusters/{cluster}/cordon"))

    def list_routes(self, workflow: str | None = None, history: bool = False) -> Sequence[WrittenRouteModel]:
        """Where the jobs of workflows go; with `history` also where they went."""
        query = {"history": history, **({"workflow": workflow} if workflow else {})}
        return cast(RoutesModel, self._ask("GET", "/v1/routes", params=query))["routes"]

    def write_route(self, route: RouteModel | Mapping[str, Any]) -> WrittenRouteModel:
        """Set where the jobs of a workflow, or of a pattern of them, go from now on."""
        return cast(WrittenRouteModel, self._ask("PUT", "/v1/routes", json=route))

    def end_route(self, workflow: str) -> None:
        """End a route: its jobs go where they fit."""
        self._ask("DELETE", f"/v1/routes/{workflow}")

    def propose_plan(self, plan: Plan | Mapping[str, Any]) -> PlanModel:
        """Have a plan wait for review, once it fits the clusters. Raises Problem with all that is wrong."""
        return cast(PlanModel, self._ask("POST", "/v1/plans", json=plan))

    def list_plans(self, state: str | None = None, limit: int = 100) -> PlansModel:
        """Plans, the latest first, what is in force, and which clusters have it."""
        return cast(PlansModel, self._ask("GET", "/v1/plans", params=_query(state=state, limit=limit)))

    def get_plan(self, plan: str) -> WholePlanModel:
        """A plan, with its document."""
        return cast(WholePlanModel, self._ask("GET", f"/v1/plans/{plan}"))

    def apply_plan(self, plan: str, revision: int, why: str, by_itself: bool = False) -> AppliedModel:
        """Have a plan that waits take effect: amounts of queues and routes at once, or neither.

        revision: that is in force, as `list_plans` says: where it is another by now, nothing changes.
        by_itself: nobody has looked at it.
        """
        wish = {**_step(revision, why), "by_itself": by_itself}
        return cast(AppliedModel, self._ask("POST", f"/v1/plans/{plan}/apply", json=wish))

    def roll_back_plan(self, plan: str, revision: int, why: str) -> AppliedModel:
        """Have a plan take effect that was in force before."""
        answer = self._ask("POST", f"/v1/plans/{plan}/rollback", json=_step(revision, why))
        return cast(AppliedModel, answer)

    def withdraw_plan(self, revision: int, why: str) -> AppliedModel:
        """Have no plan in force: queues are as the settings have them, and routes of plans end."""
        return cast(AppliedModel, self._ask("POST", "/v1/plans/withdraw", json=_step(revision, why)))

    def refuse_plan(self, plan: str, why: str) -> PlanModel:
        """Have a plan that waits never take effect."""
        return cast(PlanModel, self._ask("POST", f"/v1/plans/{plan}/refuse", json={"why": why}))

    def list_workflows(
        self, workflow: str | None = None, proposed: bool | None = None, history: bool = False
    ) -> Sequence[WorkflowModel]:
        """What is known of workflows; with `history` also what was."""
        query = _query(workflow=workflow, proposed=proposed, history=history)
        return cast(WorkflowsModel, self._ask("GET", "/v1/workflows", params=query))["workflows"]

    def write_workflows(self, workflows: Mapping[str, Workflow | Mapping[str, Any]], why: str) -> int:
        """Have workflows be so from now on; how many changed."""
        wish = {"workflows": workflows, "why": why}
        return cast(ChangedModel, self._ask("PUT", "/v1/workflows", json=wish))["changed"]

    def propose_workflows(
        self,
        workflows: Mapping[str, Workflow | Mapping[str, Any]],
        measured: Mapping[str, Mapping[str, Any]],
        why: str,
    ) -> int:
        """Propose workflows that nobody has told of, with what was measured; how many changed."""
        wish = {"workflows": workflows, "measured": measured, "why": why}
        return cast(ChangedModel, self._ask("POST", "/v1/workflows/proposals", json=wish))["changed"]

    def end_workflow(self, workflow: str) -> None:
        """Have a workflow be known no more; its history stays."""
        self._ask("DELETE", f"/v1/workflows/{workflow}")

    def _ask(self, method: str, path: str, **request: Any) -> Any:
        """The answer, however often the request has to be sent."""
        deadline = time.monotonic() + self._patience
        pause = FIRST_PAUSE_SECONDS
        headers = request.pop("headers", {})
        while True:
            wait = pause * random.uniform(0.5, 1.0)
            try:
                answer = self._http.request(
                    method, path, headers={**headers, **self._authorization()}, **request
                )
            except httpx.TransportError as error:
                if time.monotonic() + wait > deadline:
                    raise Unreachable(_unreachable(self._http.base_url, error)) from error
            else:
                retry_after = float(answer.headers.get("retry-after", 0))
                wait = max(wait, retry_after)
                if answer.status_code not in AGAIN or time.monotonic() + wait > deadline:
                    _raise_for(answer)
                    return answer.json() if answer.content else None
            time.sleep(wait)
            pause = min(pause * 2, LONGEST_PAUSE_SECONDS)

    @contextmanager
    def _stream(
        self, path: str, query: Mapping[str, Any], headers: Mapping[str, str], deadline: float
    ) -> Iterator[httpx.Response | None]:
        """An answer as it comes; None, after a pause, where it is to be asked for again. Where it is cut off,
        the block ends."""
        try:
            with self._http.stream(
                "GET", path, params=query, headers={**headers, **self._authorization()}
            ) as answer:
                again = answer.status_code in AGAIN and time.monotonic() < deadline
                if not again:
                    _raise_for(answer, answer.read)
                yield None if again else answer
            if not again:
                return
        except httpx.TransportError as error:
            if time.monotonic() > deadline:
                raise Unreachable(_unreachable(self._http.base_url, error)) from error
        time.sleep(FIRST_PAUSE_SECONDS)

    def _authorization(self) -> dict[str, str]:
        return {"Authorization": self._credentials.header()} if self._credentials else {}


def _raise_for(answer: httpx.Response, read: Any = None) -> None:
    if not answer.is_error:
        return
    if read is not None:
        read()
    try:
        body = answer.json()
    except ValueError:
        body = {"detail": f"{answer.url} answered {answer.status_code}, and is not Archer: correct the URL."}
    raise Problem(answer.status_code, body if isinstance(body, dict) else {})


def _step(revision: int, why: str) -> dict[str, Any]:
    """What is asked for a step to another revision: known again where it has to be sent again."""
    return {"revision": revision, "why": why, "request": str(uuid.uuid4())}


def _query(**query: Any) -> dict[str, Any]:
    return {name: value for name, value in query.items() if value is not None}


def _fields(lines: Iterator[str]) -> Iterator[dict[str, str]]:
    """The fields of each event of a stream; of a comment, none that is known."""
    fields: dict[str, str] = {}
    for line in lines:
        if line:
            name, _, value = line.partition(":")
            fields[name] = value.removeprefix(" ")
        else:
            yield fields
            fields = {}


def _events(lines: Iterator[str]) -> Iterator[EventModel]:
    """Events of a stream (https://html.spec.whatwg.org/multipage/server-sent-events.html)."""
    for line in lines:
        if line.startswith("data:"):
            yield cast(EventModel, json.loads(line.removeprefix("data:")))


def _unreachable(url: httpx.URL, error: Exception) -> str:
    return f"Archer at {url} is not reached ({error}): look at the URL, and at the way to it."
