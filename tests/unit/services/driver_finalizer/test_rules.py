import pytest

from services.driver_finalizer.rules import over, why_released
from tests.support.driver_pods import NOW, application, driver, new_application

READING = ["", "SUBMITTED", "RUNNING", "UNKNOWN"]
"""States in which the operator may still look at the driver."""

READ = [
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


@pytest.mark.parametrize("state", READING)
@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
def test_a_finished_driver_stays_until_its_application_has_read_its_end(state, phase):
    assert why_released(driver(phase=phase), application(state), NOW) is None


@pytest.mark.parametrize("state", READING)
def test_it_stays_when_kubernetes_deletes_it_before_that(state):
    collected = driver(phase="Succeeded", deleted=3600, grace=0)

    assert why_released(collected, application(state), NOW) is None


@pytest.mark.parametrize("state", READ)
def test_it_goes_once_its_application_has_read_its_end(state):
    assert why_released(ENDED, application(state), NOW) == f"its application is {state}"


@pytest.mark.parametrize("state", ["FAILING", "PENDING_RERUN", "SUSPENDED", "INVALIDATING", "RESUMING"])
def test_it_goes_when_the_operator_deletes_it_to_run_the_application_anew(state):
    running = driver(phase="Running", deleted=1)

    assert why_released(running, application(state), NOW) == f"its application is {state}"


def test_a_state_of_a_later_operator_holds_it():
    assert why_released(ENDED, application("HIBERNATING"), NOW) is None


@pytest.mark.parametrize(
    ("pod", "app", "why"),
    [
        (driver(labels={"spark-role": "driver"}), None, "it is no application's"),
        (driver(), None, "its application is gone"),
        (driver(), application(uid="another"), "its application is gone, and another has its name"),
        (driver(), application(deleted=True), "its application is being deleted"),
        # Without an owner, the application's age tells whether it can be the pod's.
        (
            driver(owner=None, made=600),
            application(made=60),
            "its application is gone, and another has its name",
        ),
    ],
)
def test_it_goes_when_nobody_will_ever_ask(pod, app, why):
    assert why_released(pod, app, NOW) == why


def test_without_an_owner_it_is_held_for_an_application_that_was_there_first():
    assert why_released(driver(owner=None, made=600), application(made=700), NOW) is None


def test_it_goes_with_its_namespace_as_pods_go_before_their_applications():
    assert why_released(driver(deleted=5), application(), NOW) is None
    assert why_released(driver(deleted=5), application(), NOW, namespace_going=True) is not None


def test_a_driver_is_held_before_its_submission_is_written_down():
    quick = driver(phase="Succeeded", submission="s1", made=5, deleted=1, grace=0)

    assert why_released(quick, new_application(), NOW) is None
    assert why_released(quick, application("PENDING_RERUN", submission="s0", attempt=60), NOW) is None
    assert why_released(quick, application("SUBMISSION_FAILED", submission="s0", attempt=60), NOW) is None


@pytest.mark.parametrize("state", ["SUBMITTED", "RUNNING", "PENDING_RERUN", "SUBMISSION_FAILED"])
def test_a_driver_of_an_earlier_submission_goes(state):
    earlier = driver(submission="s0", made=600, deleted=5)

    why = why_released(earlier, application(state, submission="s1", attempt=60), NOW)

    assert why == "its application has been submitted anew"


def test_a_driver_whose_submission_was_never_written_down_does_not_block_the_next_for_ever():
    # Two operators submitted at once, and the application knows of the one that failed.
    lost = {"submission": "lost", "made": 3600, "phase": "Running"}
    knows_of_another = application("SUBMISSION_FAILED", submission="s1", attempt=3601)

    assert why_released(driver(**lost), knows_of_another, NOW) is None
    assert why_released(driver(**lost, deleted=60), knows_of_another, NOW) is None
    assert why_released(driver(**lost, deleted=601), knows_of_another, NOW) is not None


def test_a_running_driver_that_is_evicted_is_held_until_its_end_is_read():
    assert why_released(driver(deleted=20), application(), NOW) is None
    assert why_released(driver(phase="Failed", deleted=20, grace=0), application(), NOW) is None
    assert why_released(driver(phase="Failed", deleted=20, grace=0), application("FAILING"), NOW) is not None


def test_a_driver_that_never_had_a_node_goes_when_it_is_deleted():
    pending = driver(phase="Pending", node=None, deleted=1, grace=0)

    assert why_released(pending, application("SUBMITTED"), NOW) == "it was deleted before it had a node"
    assert why_released(driver(phase="Pending", node=None), application("SUBMITTED"), NOW) is None


def test_a_driver_that_was_deleted_by_force_goes_after_a_while():
    assert why_released(driver(deleted=60, grace=0), application(), NOW) is None
    assert why_released(driver(deleted=121, grace=0), application(), NOW) == "it was deleted by force"
    # With a grace period, its node still has to say so, and would without us.
    assert why_released(driver(deleted=3600, grace=30), application(), NOW) is None


@pytest.mark.parametrize(
    ("pod", "is_over"),
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
def test_only_a_pod_that_is_over_is_asked_about(pod, is_over):
    assert over(pod) is is_over
