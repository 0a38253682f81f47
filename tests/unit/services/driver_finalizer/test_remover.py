import asyncio
import copy
from contextlib import closing

import pytest

from services.driver_finalizer.api import ApiError
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
        self.asked = []
        self.before_patch = lambda: None

    async def get(self, path, **_):
        self.asked.append(path)
        return copy.deepcopy(self.objects.get(path))

    async def patch(self, path, operations):
        self.before_patch()
        metadata = self.objects[path]["metadata"]
        for each in operations:
            field, _, at = each["path"].removeprefix("/metadata/").partition("/")
            value = metadata[field][int(at)] if at else metadata[field]
            if each["op"] == "test" and value != each["value"]:
                raise ApiError(422, "the test does not hold")
            if each["op"] == "remove":
                del metadata[field][int(at)]
        return self.objects[path]


@pytest.fixture
def settled():
    """Hear of a pod and ask about it once; the remover."""

    def settle(server, pod):
        remover = Remover(server, clock=lambda: 1000.0, now=lambda: NOW)
        remover.hear(pod)
        for uid in list(remover.pods):
            run(remover.settle(uid))
        return remover

    return settle


def test_the_finalizer_goes_and_what_others_put_there_stays(settled):
    pod = driver(phase="Succeeded", finalizers=["other/one", "moka.dev/driver", "other/two"])
    server = Server({POD: pod, APPLICATION: application("COMPLETED")})

    remover = settled(server, pod)

    assert server.objects[POD]["metadata"]["finalizers"] == ["other/one", "other/two"]
    assert remover.counts.released == 1
    assert not remover.pods


def test_what_is_decided_is_decided_on_what_is_there_now(settled):
    stale = driver(phase="Succeeded")
    server = Server({POD: driver(phase="Succeeded"), APPLICATION: application("RUNNING")})

    remover = settled(server, stale)

    assert server.objects[POD]["metadata"]["finalizers"] == ["moka.dev/driver"]
    assert remover.waiting == [0.0]
    # An application that is read before its driver may be of a time before the driver.
    assert server.asked.index(POD) < server.asked.index(APPLICATION)


def test_a_pod_that_runs_is_not_asked_about(settled):
    remover = Remover(Server({}), clock=lambda: 1000.0)

    remover.hear(driver(phase="Running"))

    assert [one.due for one in remover.pods.values()] == [1300.0]


def test_a_pod_that_was_replaced_is_left_alone(settled):
    heard = driver(phase="Succeeded")
    other = driver(phase="Succeeded")
    other["metadata"]["uid"] = "of-the-next-run"
    server = Server({POD: other, APPLICATION: application("COMPLETED")})

    remover = settled(server, heard)

    assert server.objects[POD]["metadata"]["finalizers"] == ["moka.dev/driver"]
    assert not remover.pods


def test_a_pod_that_changed_meanwhile_is_asked_about_again():
    pod = driver(phase="Succeeded")
    server = Server({POD: pod, APPLICATION: application("COMPLETED")})
    server.before_patch = lambda: server.objects[POD]["metadata"]["finalizers"].insert(0, "other/one")
    remover = Remover(server, clock=lambda: 1000.0, now=lambda: NOW)
    remover.hear(pod)

    with pytest.raises(ApiError):
        run(remover.settle("pod-uid"))
    server.before_patch = lambda: None
    run(remover.settle("pod-uid"))

    assert server.objects[POD]["metadata"]["finalizers"] == ["other/one"]


def test_in_a_namespace_that_is_being_deleted_pods_go(settled):
    pod = driver(phase="Running", deleted=5)
    server = Server({POD: pod, APPLICATION: application("RUNNING")})
    server.objects[NAMESPACE]["metadata"]["deletionTimestamp"] = "2026-11-21T12:00:00Z"

    settled(server, pod)

    assert server.objects[POD]["metadata"]["finalizers"] == []


def test_a_pod_that_lost_its_finalizer_or_is_gone_is_forgotten():
    remover = Remover(Server({}), clock=lambda: 1000.0)
    for heard in (lambda: remover.hear(driver(finalizers=[])), lambda: remover.hear(driver(), gone=True)):
        remover.hear(driver(phase="Succeeded"))
        assert remover.pods
        heard()
        assert not remover.pods


def test_it_asks_again_and_again_until_the_application_has_read():
    """The loop itself: the application is RUNNING at first, and nothing is heard when that changes."""
    pod = driver(phase="Succeeded")
    server = Server({POD: pod, APPLICATION: application("RUNNING")})

    async def play():
        remover = Remover(server, now=lambda: NOW)
        running = asyncio.create_task(remover.run())
        remover.hear(pod)
        while server.asked.count(APPLICATION) < 2:
            await asyncio.sleep(0)
        assert server.objects[POD]["metadata"]["finalizers"] == ["moka.dev/driver"]
        server.objects[APPLICATION] = application("COMPLETED")
        while server.objects[POD]["metadata"]["finalizers"]:
            await asyncio.sleep(0.01)
        running.cancel()

    run(asyncio.wait_for(play(), 60))
