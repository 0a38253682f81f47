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
    """Objects by path; patches are applied as the API server does, tests included.

    placeholders: label selector -> pods. collections: what was deleted by selectors.
    """

    def __init__(self, objects, placeholders=None):
        self.objects = {NAMESPACE: {"metadata": {"name": "etl"}}, **objects}
        self.placeholders = placeholders or {}
        self.requests = []
        self.collections = []
        self.before_patch = lambda: None
        self.refusal = None

    async def get(self, path, **query):
        self.requests.append(path)
        if "labelSelector" in query:
            assert query["fieldSelector"] == "status.phase!=Failed,status.phase!=Succeeded"
            return {"items": self.placeholders.get(query["labelSelector"], [])}
        return copy.deepcopy(self.objects.get(path))

    async def patch(self, path, operations):
        self.before_patch()
        metadata = self.objects[path]["metadata"]
        for operation in operations:
            field, _, key = operation["path"].removeprefix("/metadata/").partition("/")
            holder, at = (metadata[field], key.replace("~1", "/")) if key else (metadata, field)
            at = int(at) if isinstance(holder, list) else at
            if operation["op"] == "test" and holder[at] != operation["value"]:
                raise ApiError(422, "the test does not hold")
            if operation["op"] == "remove":
                del holder[at]
        return self.objects[path]

    async def merge(self, path, changes, manager):
        if self.refusal:
            raise ApiError(*self.refusal)
        _merge(self.objects[path], changes)
        return self.objects[path]

    async def delete_collection(self, path, **query):
        if self.refusal:
            raise ApiError(*self.refusal)
        self.collections.append((path, query))


def _merge(target, changes):
    for key, value in changes.items():
        if value is None:
            target.pop(key, None)
        elif isinstance(value, dict):
            _merge(target.setdefault(key, {}), value)
        else:
            target[key] = value


@pytest.fixture
def metrics():
    return Metrics("driver_finalizer")


@pytest.fixture
def remover_of(metrics):
    """A remover that talks to a server, at a time that stands still."""
    return lambda server: Remover(server, metrics, clock=lambda: 1000.0, now=lambda: NOW)


@pytest.fixture
def checked(remover_of):
    """The remover, after it has seen a pod and checked it once; a new one, unless it is given."""

    def check(server, pod, remover=None):
        remover = remover or remover_of(server)
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


def test_a_pod_that_runs_is_not_checked_at_once(remover_of):
    remover = remover_of(Server({}))

    remover.observe(driver(phase="Running"))

    assert [entry.due for entry in remover.drivers.values()] == [1030.0]


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


GANG = {"yunikorn.apache.org/task-groups": "[]", "other": "stays"}
BY_SPARK = {**driver()["metadata"]["labels"], "spark-app-selector": "spark-1"}
BY_NAME = {**BY_SPARK, "yunikorn.apache.org/app-id": "job"}


@pytest.mark.parametrize(
    ("labels", "selector"),
    [
        (BY_SPARK, "yunikorn.apache.org/app-id=spark-1,!spark-role"),
        (BY_NAME, "yunikorn.apache.org/app-id=job,!spark-role"),
    ],
)
def test_task_groups_go_once_no_placeholder_of_the_gang_is_left(checked, labels, selector):
    pod = driver(annotations=GANG, labels=labels)
    server = Server({POD: pod, APPLICATION: application()}, placeholders={selector: [{}]})

    remover = checked(server, pod)
    assert server.objects[POD]["metadata"]["annotations"] == GANG

    del server.placeholders[selector]
    checked(server, pod, remover)

    assert server.objects[POD]["metadata"]["annotations"] == {"other": "stays"}
    assert [entry.due for entry in remover.drivers.values()] == [1300.0]


def test_a_driver_that_waits_for_its_gang_keeps_its_task_groups(checked):
    pod = driver(annotations=GANG, phase="Pending")
    server = Server({POD: pod, APPLICATION: application("SUBMITTED")})

    checked(server, pod)

    assert server.objects[POD]["metadata"]["annotations"] == GANG


@pytest.mark.parametrize("phase", ["Pending", "Running"])
def test_an_application_that_was_given_up_lives_as_long_as_its_driver_and_its_ttl_from_then(checked, phase):
    pod = driver(phase=phase, submission="unknown")
    server = Server({POD: pod, APPLICATION: application("FAILED", ended=500, ttl=3600)})

    remover = checked(server, pod)
    assert "timeToLiveSeconds" not in server.objects[APPLICATION]["spec"]
    assert server.objects[POD]["metadata"]["finalizers"] == ["moka.dev/driver"]

    checked(server, pod, remover)
    ended = server.objects[POD] = driver(phase="Succeeded", submission="unknown")
    checked(server, ended, remover)

    # The operator counts from 500 s ago, when it gave up.
    assert server.objects[APPLICATION]["spec"]["timeToLiveSeconds"] == 4100
    assert server.objects[APPLICATION]["metadata"]["annotations"] == {}
    assert server.objects[POD]["metadata"]["finalizers"] == []


@pytest.mark.parametrize("state", ["SUBMITTED", "RUNNING", "SUBMISSION_FAILED", "FAILING"])
def test_applications_that_are_not_over_keep_their_ttl(checked, state):
    server = Server({POD: driver(), APPLICATION: application(state, ttl=3600)})

    checked(server, driver())

    assert server.objects[APPLICATION]["spec"] == {"timeToLiveSeconds": 3600}


@pytest.mark.parametrize(("state", "submission"), [("SUBMISSION_FAILED", "second"), ("", "")])
def test_a_driver_that_its_application_does_not_tell_of_keeps_its_finalizer_and_is_looked_at_soon(
    checked, state, submission
):
    """The operator, started anew, has submitted once more, and has yet to give up."""
    pod = driver(submission="first")
    server = Server({POD: pod, APPLICATION: application(state, submission=submission, attempt=5)})

    remover = checked(server, pod)

    assert server.objects[POD]["metadata"]["finalizers"] == ["moka.dev/driver"]
    assert [entry.due for entry in remover.drivers.values()] == [1015.0]


def half_submitted(created=700, state="FAILED", maps=(), **pod_fields):
    """A driver whose operator ended before it made the ConfigMap, and a server with these."""
    pod = driver(phase="Pending", submission="first", created=created, **pod_fields)
    pod["spec"]["volumes"] = [
        {"name": "spark-conf-volume-driver", "configMap": {"name": "job-conf-map"}},
        {"name": "sometimes", "configMap": {"name": "not-there", "optional": True}},
        {"name": "scratch", "emptyDir": {}},
    ]
    config_maps = {f"{NAMESPACE}/configmaps/{name}": {"metadata": {"name": name}} for name in maps}
    objects = {POD: pod, APPLICATION: application(state, submission="second", attempt=5, ttl=3600)}
    return Server(objects | config_maps), pod


def test_a_driver_that_waits_for_what_nobody_makes_any_more_is_deleted(checked):
    """The operator ended after it made the pod, and its successor was told that there is one."""
    server, pod = half_submitted()

    checked(server, pod)

    assert server.collections == [
        ("/api/v1/namespaces/etl/pods", {"fieldSelector": "metadata.name=job-driver"})
    ]


@pytest.mark.parametrize(
    "case",
    [
        {"maps": ("job-conf-map",)},
        {"created": 500},
        {"state": "RUNNING"},
        {"state": ""},
        {"node": None},
    ],
    ids=["it is there", "it may come", "the operator follows it", "being submitted", "waits for a node"],
)
def test_a_driver_that_may_start_yet_stays(checked, case):
    server, pod = half_submitted(**case)

    checked(server, pod)

    assert server.collections == []


def abandoned_job(server_answers):
    """A driver that failed after its application was given up, and a server that answers changes so."""
    application_object = application("FAILED", ended=500)
    application_object["metadata"]["annotations"] = {"moka.dev/ttl-seconds": "3600"}
    pod = driver(phase="Failed", labels=BY_SPARK)
    server = Server({POD: pod, APPLICATION: application_object})
    server.refusal = server_answers
    return server, pod


def test_what_admission_refuses_keeps_no_driver(checked):
    server, pod = abandoned_job((422, "a job of this namespace has at most 5 executors"))

    checked(server, pod)

    assert server.objects[POD]["metadata"]["finalizers"] == []


@pytest.mark.parametrize("status", [403, 409, 429, 500])
def test_a_ttl_that_cannot_be_set_again_yet_is_tried_again(remover_of, status):
    """A Role may come after the service that needs it; two changes may meet."""
    server, pod = abandoned_job((status, "not now"))
    remover = remover_of(server)
    remover.observe(pod)

    with pytest.raises(ApiError):
        run(remover.check("pod-uid"))
    assert server.objects[POD]["metadata"]["finalizers"] == ["moka.dev/driver"]
    server.refusal = None
    run(remover.check("pod-uid"))

    assert server.objects[APPLICATION]["spec"]["timeToLiveSeconds"] == 4100
    assert server.objects[POD]["metadata"]["finalizers"] == []


def test_executors_that_may_not_be_deleted_keep_no_driver(checked):
    server, pod = abandoned_job((403, "may not delete collections of pods"))
    del server.objects[APPLICATION]["metadata"]["annotations"]

    checked(server, pod)

    assert server.objects[POD]["metadata"]["finalizers"] == []


def test_executors_that_a_failed_driver_left_waiting_are_deleted(checked):
    server = Server({APPLICATION: application("FAILED")})
    remover = None
    for phase in ("Succeeded", "Failed"):
        pod = server.objects[POD] = driver(phase=phase, labels=BY_SPARK)
        remover = checked(server, pod, remover)

    assert server.collections == [
        (
            "/api/v1/namespaces/etl/pods",
            {
                "labelSelector": "spark-app-selector=spark-1,spark-role=executor",
                "fieldSelector": "status.phase=Pending",
            },
        )
    ]


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
