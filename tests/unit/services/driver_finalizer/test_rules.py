import pytest

from services.driver_finalizer.rules import ended_or_deleted, release_reason
from tests.support.driver_pods import NOW, application, driver, new_application

STATES_WHILE_READING = ["", "SUBMITTED", "RUNNING", "UNKNOWN"]
"""States in which the operator may still look at the driver."""

STATES_AFTER_READING = [
    "SUCCEEDING",
    "FAILING",
    "COMPLETED",
    "FAILED",
    "SUBMISSION_FAILED",
    "INVALIDATING",
    "PENDING_RERUN",
    "SUSPENDING",
    "SUSPENDED",
    "RESUMING",
]
ENDED = driver(phase="Succeeded")


@pytest.mark.parametrize("state", STATES_WHILE_READING)
@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
def test_a_finished_driver_stays_until_its_application_has_read_its_end(state, phase):
    assert release_reason(driver(phase=phase), application(state), NOW) is None


@pytest.mark.parametrize("state", STATES_WHILE_READING)
def test_it_stays_when_kubernetes_deletes_it_before_that(state):
    collected = driver(phase="Succeeded", deleted=3600, grace=0)

    assert release_reason(collected, application(state), NOW) is None


@pytest.mark.parametrize("state", STATES_AFTER_READING)
def test_it_goes_once_its_application_has_read_its_end(state):
    assert release_reason(ENDED, application(state), NOW) == f"its application is {state}"


@pytest.mark.parametrize("state", ["FAILING", "PENDING_RERUN", "SUSPENDED", "INVALIDATING", "RESUMING"])
def test_it_goes_when_the_operator_deletes_it_to_run_the_application_anew(state):
    running = driver(phase="Running", deleted=1)

    assert release_reason(running, application(state), NOW) == f"its application is {state}"


def test_a_state_of_a_later_operator_holds_it():
    assert release_reason(ENDED, application("HIBERNATING"), NOW) is None


@pytest.mark.parametrize(
    ("pod", "app", "reason"),
    [
        (driver(labels={"spark-role": "driver"}), None, "it belongs to no application"),
        (driver(), None, "its application is gone"),
        (driver(), application(uid="another"), "its application is gone, and another has its name"),
        (driver(), application(deleted=True), "its application is being deleted"),
        # Without an owner, the application's age tells whether it can be the pod's.
        (
            driver(owner=None, created=600),
            application(created=60),
            "its application is gone, and another has its name",
        ),
    ],
)
def test_it_goes_when_nobody_will_ever_ask(pod, app, reason):
    assert release_reason(pod, app, NOW) == reason


def test_without_an_owner_it_is_held_for_an_application_that_was_there_first():
    assert release_reason(driver(owner=None, created=600), application(created=700), NOW) is None


def test_it_goes_with_its_namespace_as_pods_go_before_their_applications():
    assert release_reason(driver(deleted=5), application(), NOW) is None
    assert release_reason(driver(deleted=5), application(), NOW, namespace_deleted=True) is not None


def test_a_driver_is_held_before_its_submission_is_written_down():
    quick = driver(phase="Succeeded", submission="s1", created=5, deleted=1, grace=0)

    assert release_reason(quick, new_application(), NOW) is None
    assert release_reason(quick, application("PENDING_RERUN", submission="s0", attempt=60), NOW) is None
    assert release_reason(quick, application("SUBMISSION_FAILED", submission="s0", attempt=60), NOW) is None


@pytest.mark.parametrize("state", ["SUBMITTED", "RUNNING", "PENDING_RERUN", "SUBMISSION_FAILED"])
def test_a_driver_of_an_earlier_submission_goes(state):
    earlier = driver(submission="s0", created=600, deleted=5)

    reason = release_reason(earlier, application(state, submission="s1", attempt=60), NOW)

    assert reason == "its application has been submitted anew"


def test_a_driver_whose_submission_was_never_written_down_does_not_block_the_next_for_ever():
    # Two operators submitted at once, and the application knows of the one that failed.
    lost = {"submission": "lost", "created": 3600, "phase": "Running"}
    knows_of_another = application("SUBMISSION_FAILED", submission="s1", attempt=3601)

    assert release_reason(driver(**lost), knows_of_another, NOW) is None
    assert release_reason(driver(**lost, deleted=60), knows_of_another, NOW) is None
    assert release_reason(driver(**lost, deleted=601), knows_of_another, NOW) is not None


def test_a_running_driver_that_is_evicted_is_held_until_its_end_is_read():
    assert release_reason(driver(deleted=20), application(), NOW) is None
    assert release_reason(driver(phase="Failed", deleted=20, grace=0), application(), NOW) is None
    assert (
        release_reason(driver(phase="Failed", deleted=20, grace=0), application("FAILING"), NOW) is not None
    )


def test_a_driver_that_never_had_a_node_goes_when_it_is_deleted():
    pending = driver(phase="Pending", node=None, deleted=1, grace=0)

    assert release_reason(pending, application("SUBMITTED"), NOW) == "it was deleted before it had a node"
    assert release_reason(driver(phase="Pending", node=None), application("SUBMITTED"), NOW) is None


def test_a_driver_that_was_deleted_by_force_goes_after_a_while():
    assert release_reason(driver(deleted=60, grace=0), application(), NOW) is None
    assert release_reason(driver(deleted=121, grace=0), application(), NOW) == "it was deleted by force"
    # With a grace period, its node still has to say so, and would without us.
    assert release_reason(driver(deleted=3600, grace=30), application(), NOW) is None


@pytest.mark.parametrize(
    ("pod", "expected"),
    [
        (driver(phase="Pending"), False),
        (driver(phase="Running"), False),
        (driver(phase="Succeeded"), True),
        (driver(phase="Failed"), True),
        (driver(phase="Running", deleted=1), True),
        # A sidecar may outlive the driver, by whose end alone the operator goes.
        (
            driver(
                containers=[{"name": "spark-kubernetes-driver", "state": {"terminated": {"exitCode": 0}}}]
            ),
            True,
        ),
        (driver(containers=[{"name": "event-logs", "state": {"terminated": {"exitCode": 0}}}]), False),
    ],
)
def test_only_a_pod_that_has_ended_or_is_deleted_is_checked(pod, expected):
    assert ended_or_deleted(pod) is expected
