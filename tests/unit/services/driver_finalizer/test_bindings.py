import pytest

from services.common.kubernetes import ApiError
from services.common.metrics import Metrics
from services.driver_finalizer.bindings import RETRY_SECONDS, SETTLED_SECONDS, LostBindings
from tests.support.loops import run_apart

PODS = "/api/v1/namespaces/etl/pods"
EVENT = {
    "metadata": {"namespace": "etl", "name": "e-1", "uid": "event-uid"},
    "involvedObject": {"kind": "Pod", "namespace": "etl", "name": "job-exec-1", "uid": "pod-uid"},
    "reason": "PodBindFailure",
}


def pod(*, role="executor", uid="pod-uid", node=None, phase="Pending", deleted=False):
    metadata = {"name": "job-exec-1", "namespace": "etl", "uid": uid}
    if role:
        metadata["labels"] = {"spark-role": role}
    if deleted:
        metadata["deletionTimestamp"] = "2026-11-29T12:00:00Z"
    return {"metadata": metadata, "spec": {"nodeName": node} if node else {}, "status": {"phase": phase}}


class Server:
    """Has one pod; deleted: selectors of what was deleted; refusals: statuses of the next requests."""

    def __init__(self, item):
        self.item = item
        self.deleted = []
        self.refusals = []

    async def get(self, path):
        assert path == f"{PODS}/job-exec-1"
        if self.refusals:
            raise ApiError(self.refusals.pop(), "no")
        return self.item

    async def delete_collection(self, path, **query):
        self.deleted.append((path, query))


class Clock:
    seconds = 0.0

    def __call__(self):
        return self.seconds


@pytest.fixture
def clock():
    return Clock()


def after(server, clock, seconds, events=(EVENT,)):
    """The bindings of these events, looked at after so many seconds."""
    lost = LostBindings(server, Metrics("driver_finalizer"), clock)
    for event in events:
        lost.observe(event, False)
    clock.seconds += seconds
    run_apart(lost.check())
    return lost


@pytest.mark.parametrize("role", ["executor", "driver"])
def test_a_pod_of_a_job_that_waits_for_a_lost_binding_is_deleted_if_it_still_has_no_node(clock, role):
    server = Server(pod(role=role))

    lost = after(server, clock, SETTLED_SECONDS, [EVENT, EVENT])

    assert server.deleted == [(PODS, {"fieldSelector": "metadata.name=job-exec-1,spec.nodeName="})]
    assert not lost.bindings


def test_nothing_is_deleted_while_the_api_server_may_still_bind_it(clock):
    server = Server(pod())

    after(server, clock, SETTLED_SECONDS - 1)

    assert not server.deleted


@pytest.mark.parametrize(
    "item",
    [
        pytest.param(pod(node="n-1"), id="bound after all"),
        pytest.param(pod(uid="another"), id="another of its name"),
        pytest.param(pod(role=None), id="placeholder"),
        pytest.param(pod(phase="Failed"), id="ended"),
        pytest.param(pod(deleted=True), id="being deleted"),
        pytest.param(None, id="gone"),
    ],
)
def test_all_other_pods_stay(clock, item):
    server = Server(item)

    lost = after(server, clock, SETTLED_SECONDS)

    assert not server.deleted
    assert not lost.bindings


def test_events_that_are_gone_or_about_no_pod_ask_nothing(clock):
    server = Server(pod())
    lost = LostBindings(server, Metrics("driver_finalizer"), clock)

    lost.observe(EVENT, True)
    lost.observe({**EVENT, "involvedObject": {"kind": "Node", "name": "n-1", "uid": "u"}}, False)

    assert not lost.bindings


def test_a_namespace_that_is_served_no_more_is_asked_nothing(clock):
    server = Server(pod())
    lost = after(server, clock, SETTLED_SECONDS - 1)

    lost.drop_all_but(frozenset({"ml"}))
    clock.seconds += 1
    run_apart(lost.check())

    assert not server.deleted


def test_a_check_that_fails_is_repeated(clock):
    server = Server(pod())
    server.refusals = [500]
    lost = after(server, clock, SETTLED_SECONDS)
    assert not server.deleted

    clock.seconds += RETRY_SECONDS
    run_apart(lost.check())

    assert len(server.deleted) == 1
