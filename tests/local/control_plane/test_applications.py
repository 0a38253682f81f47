"""Ten applications at once; half of their drivers end while the operator is away, and finished pods go."""

from dataclasses import dataclass

import pytest

from localcloud.cloud import Cloud
from localcloud.control_plane.api import Object
from moka.names import UPLOADER_CONTAINER
from tests.support.application_load import (
    UNTIL_ENDED,
    Case,
    Watch,
    application,
    cases,
    driver,
    load_cluster,
    until,
)

EARLY = cases(5, first=0, runs_for=5, retries=1)
LATE = cases(5, first=5, runs_for=UNTIL_ENDED)
ALL = [*EARLY, *LATE]

# Its driver lacks the finalizer, and is among the first: what is deleted of finished pods is the oldest.
UNPROTECTED = Case(
    name="unprotected",
    project="etl",
    tier=1,
    architecture="arm64",
    executors=1,
    runs_for=UNTIL_ENDED,
    protected=False,
)
EVERY = [UNPROTECTED, *ALL]

FINISHED_PODS = 3
PER_MINUTE = 5

# Seconds for what takes some on a machine that has nothing else to do.
PATIENCE = 900


@dataclass(frozen=True)
class Story:
    """What was seen of pods, the status of applications before they were deleted, and YuniKorn's log."""

    watch: Watch
    statuses: dict[str, Object]
    scheduler_log: str

    def state(self, case: Case) -> str:
        return self.statuses[case.name]["applicationState"]["state"]


@pytest.fixture(scope="module")
def story(tmp_path_factory):
    cloud = Cloud(tmp_path_factory.mktemp("many"))
    with load_cluster(cloud, machines=1, per_minute=PER_MINUTE, finished_pods=FINISHED_PODS) as cluster:
        watch = Watch(cluster.api).start()
        cluster.submit([UNPROTECTED])
        until(lambda: cluster.api.get(driver(UNPROTECTED)), "the first has a driver", PATIENCE, watch.states)
        cluster.submit(ALL)
        running = [UNPROTECTED, *LATE]
        until(lambda: all(watch.state(c) == "RUNNING" for c in running), "they run", PATIENCE, watch.states)
        until(lambda: watch.all_over(EARLY), "some are over", PATIENCE, watch.states)

        cluster.operator.stop()
        cluster.end_drivers(running)
        until(lambda: cluster.api.get(driver(UNPROTECTED)) is None, "finished pods are deleted", PATIENCE)
        only_held = len(LATE) - FINISHED_PODS
        until(lambda: cluster.terminating(LATE) >= only_held, "others are only held", PATIENCE)
        cluster.start_operator(PER_MINUTE)
        until(lambda: watch.all_over(EVERY), "all are over", PATIENCE, watch.states)

        statuses = {case.name: cluster.api.get(application(case))["status"] for case in EVERY}
        cluster.delete(EVERY)
        until(lambda: not cluster.leftovers(), "nothing of them is left", PATIENCE, cluster.leftovers)
        yield Story(watch, statuses, cluster.scheduler.log.read_text())


def test_all_end_as_their_drivers_do_though_these_were_to_be_deleted_before_that_was_read(story):
    assert {case.name: story.state(case) for case in ALL} == {case.name: case.state for case in ALL}
    attempts = {case.name: story.statuses[case.name]["executionAttempts"] for case in ALL}
    assert attempts == {case.name: 1 + case.retries for case in ALL}
    for case in ALL:
        message = story.statuses[case.name]["applicationState"].get("errorMessage", "")
        assert message == ("driver container failed with ExitCode: 1, Reason: Error" if case.fails else "")


def test_a_driver_without_the_finalizer_that_succeeded_is_taken_for_a_failure(story):
    assert story.statuses[UNPROTECTED.name]["applicationState"] == {
        "state": "FAILED",
        "errorMessage": "driver pod not found",
    }


def test_all_pods_and_placeholders_land_on_machines_of_their_role_and_architecture(story):
    pods = [
        (case, pod)
        for case in EVERY
        for role in ("driver", "executor")
        for placeholder in (False, True)
        for pod in story.watch.pods_of(case, role, placeholder=placeholder)
        # An executor may be too late for a driver that runs for seconds.
        if pod.node
    ]

    landed = {(pod.name, pod.node.rsplit("-", 1)[0]) for _, pod in pods}

    assert landed == {(pod.name, f"{pod.role}-{case.architecture}") for case, pod in pods}


@pytest.mark.parametrize("case", LATE, ids=lambda case: case.name)
def test_a_gang_has_a_placeholder_for_each_pod(story, case):
    roles = ("driver", "executor")
    executors = story.watch.pods_of(case, "executor")
    pods = {role: len(story.watch.pods_of(case, role)) for role in roles}
    placeholders = {role: len(story.watch.pods_of(case, role, placeholder=True)) for role in roles}

    assert pods == placeholders == {"driver": 1, "executor": case.executors}
    assert {pod.simulated for pod in executors} == {"executor"}


def test_drivers_have_the_sidecar_of_their_event_log_and_take_the_place_of_their_placeholders(story):
    sidecars = [pod.sidecars for case in EVERY for pod in story.watch.pods_of(case, "driver")]

    nothing = {"cpu": "0", "memory": "0"}
    assert len(sidecars) >= len(EVERY)
    assert all(pod == {UPLOADER_CONTAINER: nothing} for pod in sidecars)
    # As it says of a pod that asks for more than its placeholder has (yunikorn-core 1.8: application.go).
    assert "replace placeholder processed" in story.scheduler_log
    assert "larger than placeholder" not in story.scheduler_log
    assert "larger than real allocation" not in story.scheduler_log
