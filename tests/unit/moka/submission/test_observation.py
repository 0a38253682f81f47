"""What is made of an application and its driver, when the operator and Kubernetes say different things."""

import pytest

from moka.submission.observation import Observation, observe
from moka.submission.reasons import Reason, Retries
from moka.submission.states import FOLLOWING, DesiredState, State
from moka.submission.verdict import verdict

EXIT_1 = "driver container failed with ExitCode: 1, Reason: Error"


def application(state, message="", spark_id="spark-1", deleted=False):
    metadata = {"name": "pi", **({"deletionTimestamp": "2026-01-01T00:00:00Z"} if deleted else {})}
    status = {"applicationState": {"state": state, "errorMessage": message}, "sparkApplicationId": spark_id}
    return {"metadata": metadata, "status": status}


def driver(phase, reason=None, exit_code=None, said="Error", disruption=None):
    status = {"phase": phase, "reason": reason, "message": "words"}
    if exit_code is not None:
        ended = {"exitCode": exit_code, "reason": said}
        status["containerStatuses"] = [{"name": "spark-kubernetes-driver", "state": {"terminated": ended}}]
    if disruption:
        status["conditions"] = [{"type": "DisruptionTarget", "status": "True", "reason": disruption}]
    return {"metadata": {"name": "pi-driver"}, "status": status}


SCENES = {
    "new": (application(""), None, State.SUBMITTED, Reason.CREATED),
    "new, and its operator away": (
        {"metadata": {"name": "pi"}, "spec": {}},
        None,
        State.SUBMITTED,
        Reason.CREATED,
    ),
    "submitted": (application("SUBMITTED"), None, State.SUBMITTED, Reason.CREATED),
    "running": (application("RUNNING"), driver("Running"), State.RUNNING, Reason.STARTED),
    "completed": (application("COMPLETED"), None, State.SUCCEEDED, Reason.SUCCEEDED),
    "its program failed": (application("FAILED", EXIT_1), None, State.FAILED, Reason.PROGRAM_FAILED),
    "its program failed, says the driver": (
        application("FAILED"),
        driver("Failed", exit_code=3),
        State.FAILED,
        Reason.PROGRAM_FAILED,
    ),
    "out of memory": (
        application("FAILED", "driver container failed with ExitCode: 137, Reason: OOMKilled"),
        None,
        State.FAILED,
        Reason.OUT_OF_MEMORY,
    ),
    "out of memory, says the driver": (
        application("FAILING"),
        driver("Failed", exit_code=137, said="OOMKilled"),
        State.FAILED,
        Reason.OUT_OF_MEMORY,
    ),
    "FAILED, of a driver that succeeded": (
        application("FAILED", "driver pod not found"),
        driver("Succeeded"),
        State.SUCCEEDED,
        Reason.SUCCEEDED,
    ),
    "a success that the operator has not read": (
        application("RUNNING"),
        driver("Succeeded"),
        State.RUNNING,
        Reason.STARTED,
    ),
    "FAILED, of a driver that runs": (
        application("SUBMISSION_FAILED", 'pods "pi-driver" already exists'),
        driver("Running"),
        State.RUNNING,
        Reason.STARTED,
    ),
    "FAILED, of a driver that has not started": (
        application("FAILED", "driver pod already exist"),
        driver("Pending"),
        State.SUBMITTED,
        Reason.CREATED,
    ),
    "not submitted": (
        application("FAILED", "failed to run spark-submit", spark_id=""),
        None,
        State.FAILED,
        Reason.SUBMISSION_FAILED,
    ),
    "its driver is gone": (
        application("FAILED", "driver pod not found"),
        None,
        State.FAILED,
        Reason.DRIVER_LOST,
    ),
    "evicted": (application("FAILED"), driver("Failed", "Evicted"), State.FAILED, Reason.EVICTED),
    "its node shut down": (
        application("FAILED"),
        driver("Failed", "Terminated", exit_code=143),
        State.FAILED,
        Reason.NODE_LOST,
    ),
    "preempted": (
        application("FAILED"),
        driver("Failed", exit_code=143, disruption="PreemptionByScheduler"),
        State.FAILED,
        Reason.PREEMPTED,
    ),
    "larger than its queue may have at this hour": (
        application("FAILED"),
        driver("Failed", "ApplicationRejected"),
        State.FAILED,
        Reason.QUEUE_REFUSED,
    ),
    "removed by hand": (
        application("RUNNING", deleted=True),
        None,
        State.LOST,
        Reason.APPLICATION_REMOVED,
    ),
    "removed by hand, and its driver is on its way out": (
        application("RUNNING", deleted=True),
        driver("Running"),
        State.RUNNING,
        Reason.STARTED,
    ),
    "removed by hand after it succeeded": (
        application("RUNNING", deleted=True),
        driver("Succeeded"),
        State.SUCCEEDED,
        Reason.SUCCEEDED,
    ),
    "removed when it was over": (
        application("COMPLETED", deleted=True),
        None,
        State.SUCCEEDED,
        Reason.SUCCEEDED,
    ),
    "gone, with its driver": (None, None, State.LOST, Reason.APPLICATION_REMOVED),
    "gone, and its driver failed": (None, driver("Failed", exit_code=1), State.FAILED, Reason.PROGRAM_FAILED),
}


@pytest.mark.parametrize(("item", "pod", "state", "reason"), SCENES.values(), ids=SCENES)
def test_what_is_seen_is_what_is_so(item, pod, state, reason):
    what = observe(item, pod)

    assert (what.state, what.reason) == (state, reason)


def test_a_deleted_namespace_is_the_reason():
    assert observe(None, None, namespace_deleted=True).reason is Reason.NAMESPACE_DELETED


NONE_YET = {"infrastructure": 0, "user code": 0}


@pytest.mark.parametrize(
    ("what", "wanted", "failures", "state", "pause"),
    [
        (Observation(State.FAILED, Reason.NODE_LOST), DesiredState.RUN, NONE_YET, State.FAILED, 60),
        (
            Observation(State.FAILED, Reason.NODE_LOST),
            DesiredState.RUN,
            {**NONE_YET, "infrastructure": 2},
            State.FAILED,
            240,
        ),
        (
            Observation(State.FAILED, Reason.NODE_LOST),
            DesiredState.RUN,
            {**NONE_YET, "infrastructure": 3},
            State.FAILED,
            None,
        ),
        (Observation(State.FAILED, Reason.PROGRAM_FAILED), DesiredState.RUN, NONE_YET, State.FAILED, 60),
        (
            Observation(State.FAILED, Reason.PROGRAM_FAILED),
            DesiredState.RUN,
            {**NONE_YET, "user code": 1},
            State.FAILED,
            None,
        ),
        (
            Observation(State.FAILED, Reason.APPLICATION_REFUSED),
            DesiredState.RUN,
            NONE_YET,
            State.FAILED,
            None,
        ),
        (Observation(State.FAILED, Reason.NODE_LOST), DesiredState.STOP, NONE_YET, State.CANCELLED, None),
        (
            Observation(State.LOST, Reason.APPLICATION_REMOVED),
            DesiredState.STOP,
            NONE_YET,
            State.CANCELLED,
            None,
        ),
        (Observation(State.LOST, Reason.APPLICATION_REMOVED), DesiredState.RUN, NONE_YET, State.LOST, None),
        (Observation(State.SUCCEEDED, Reason.SUCCEEDED), DesiredState.STOP, NONE_YET, State.SUCCEEDED, None),
    ],
)
def test_what_becomes_of_a_job_follows_from_the_fault_and_from_what_is_wanted(
    what, wanted, failures, state, pause
):
    end = verdict(what, wanted, failures, Retries(infrastructure=3, user_code=1, pause_seconds=60))

    assert (end.state, end.pause_seconds) == (state, pause)


@pytest.mark.parametrize(("attempt", "pause"), [(1, 900), (96, 900), (97, None)])
def test_a_job_that_its_queue_refuses_is_tried_for_a_day_whatever_became_of_it_before(attempt, pause):
    refused = Observation(State.FAILED, Reason.QUEUE_REFUSED)
    failures = {**NONE_YET, "infrastructure": 3, "user code": 1}

    end = verdict(refused, DesiredState.RUN, failures, Retries(user_code=1), attempt)

    assert end.pause_seconds == pause


def test_from_every_state_an_end_can_be_reached_and_from_an_end_nothing():
    for state, following in FOLLOWING.items():
        reached, edge = {state}, {state}
        while edge:
            edge = {after for one in edge for after in FOLLOWING[one]} - reached
            reached |= edge
        assert reached >= {State.CANCELLED, State.FAILED} or not following
