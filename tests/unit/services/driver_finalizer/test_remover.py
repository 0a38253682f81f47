import asyncio
import copy
from contextlib import closing

import pytest

from services.common.kubernetes import ApiError
from services.common.metrics import Metrics
from services.driver_finalizer.remover import Remover
from tests.support.driver_pods import NOW, application, driver

POD = "/api/v1/namespaces/etl/pods/job-driver"
APPLICATION = "/apis/sparkoperator.k8s.io/v1beta2/namespaces/etl/sparkapplications/job"
NAMESPACE = "/api/v1/namespaces/etl"


def run(coroutine):
    """To its end, in a loop of its own: `asyncio.run` would leave none to the tests of components."""
    with closing(asyncio.new_event_loop()) as loop:
        return loop.run_until_complete(coroutine)


class Server:
    """Objects by path; patches are applied as the API server does, tests included."""

    def __init__(self, objects):
        self.objects = {NAMESPACE: {"metadata": {"name": "etl"}}, **objects}
        self.requests = []
        self.before_patch = lambda: None

    async def get(self, path, **_):
        self.requests.append(path)
        return copy.deepcopy(self.objects.get(path))

    async def patch(self, path, operations):
        self.before_patch()
        metadata = self.objects[path]["metadata"]
        for operation in operations:
            field, _, index = operation["path"].removeprefix("/metadata/").partition("/")
            value = metadata[field][int(index)] if index else metadata[field]
            if operation["op"] == "test" and value != operation["value"]:
                raise ApiError(422, "the test does not hold")
            if operation["op"] == "remove":
                del metadata[field][int(index)]
        return self.objects[path]


@pytest.fixture
def metrics():
    return Metrics("driver_finalizer")


@pytest.fixture
def remover_of(metrics):
    """A remover that talks to a server, at a time that stands still."""
    return lambda server: Remover(server, metrics, clock=lambda: 1000.0, now=lambda: NOW)


@pytest.fixture
def checked(remover_of):
    """The remover, after it has seen a pod and checked it once."""

    def check(server, pod):
        remover = remover_of(server)
        remover.observe(pod)
        for uid in list(remover.drivers):
            run(remover.check(uid))
        return remover

    return check


def test_the_finalizer_goes_and_what_others_put_there_stays(checked, metrics):
    pod = driver(phase="Succeeded", finalizers=["other/one", "moka.dev/driver", "other/two"])
    server = Server({POD: pod, APPLICATION: application("COMPLETED")})

    remover = checked(server, pod)

    assert server.objects[POD]["metadata"]["finalizers"] == ["other/one", "other/two"]
    assert metrics.registry.get_sample_value("moka_driver_finalizer_released_total") == 1
    assert not remover.drivers


def test_what_is_decided_is_decided_on_what_is_there_now(checked):
    stale = driver(phase="Succeeded")
    server = Server({POD: driver(phase="Succeeded"), APPLICATION: application("RUNNING")})

    remover = checked(server, stale)

    assert server.objects[POD]["metadata"]["finalizers"] == ["moka.dev/driver"]
    assert remover.waits == [0.0]
    # An application that is read before its driver may be of a time before the driver.
    assert server.requests.index(POD) < server.requests.index(APPLICATION)


def test_a_pod_that_runs_is_not_checked(remover_of):
    remover = remover_of(Server({}))

    remover.observe(driver(phase="Running"))

    assert [entry.due for entry in remover.drivers.values()] == [1300.0]


def test_a_pod_that_was_replaced_is_left_alone(checked):
    observed = driver(phase="Succeeded")
    other = driver(phase="Succeeded")
    other["metadata"]["uid"] = "of-the-next-run"
    server = Server({POD: other, APPLICATION: application("COMPLETED")})

    remover = checked(server, observed)

    assert server.objects[POD]["metadata"]["finalizers"] == ["moka.dev/driver"]
    assert not remover.drivers


def test_a_pod_that_changed_meanwhile_is_checked_again(remover_of):
    pod = driver(phase="Succeeded")
    server = Server({POD: pod, APPLICATION: application("COMPLETED")})
    server.before_patch = lambda: server.objects[POD]["metadata"]["finalizers"].insert(0, "other/one")
    remover = remover_of(server)
    remover.observe(pod)

    with pytest.raises(ApiError):
        run(remover.check("pod-uid"))
    server.before_patch = lambda: None
    run(remover.check("pod-uid"))

    assert server.objects[POD]["metadata"]["finalizers"] == ["other/one"]


def test_in_a_namespace_that_is_being_deleted_pods_go(checked):
    pod = driver(phase="Running", deleted=5)
    server = Server({POD: pod, APPLICATION: application("RUNNING")})
    server.objects[NAMESPACE]["metadata"]["deletionTimestamp"] = "2026-11-21T12:00:00Z"

    checked(server, pod)

    assert server.objects[POD]["metadata"]["finalizers"] == []


def test_a_pod_that_lost_its_finalizer_or_is_gone_is_forgotten(remover_of):
    remover = remover_of(Server({}))
    for pod, deleted in ((driver(finalizers=[]), False), (driver(), True)):
        remover.observe(driver(phase="Succeeded"))
        assert remover.drivers
        remover.observe(pod, deleted)
        assert not remover.drivers


def test_it_checks_again_and_again_until_the_application_has_read(metrics):
    """The loop itself: the application is RUNNING at first, and no event tells when that changes."""
    pod = driver(phase="Succeeded")
    server = Server({POD: pod, APPLICATION: application("RUNNING")})

    async def play():
        remover = Remover(server, metrics, now=lambda: NOW)
        running = asyncio.create_task(remover.run())
        remover.observe(pod)
        while server.requests.count(APPLICATION) < 2:
            await asyncio.sleep(0)
        assert server.objects[POD]["metadata"]["finalizers"] == ["moka.dev/driver"]
        server.objects[APPLICATION] = application("COMPLETED")
        while server.objects[POD]["metadata"]["finalizers"]:
            await asyncio.sleep(0.01)
        running.cancel()

    run(asyncio.wait_for(play(), 60))
