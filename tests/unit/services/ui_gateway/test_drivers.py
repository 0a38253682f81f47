from services.ui_gateway.drivers import Drivers, driver_of
from tests.support.ui_pages import OTHER_RUN, RUN, driver_pod


def test_a_driver_is_known_by_its_application_and_run():
    driver = driver_of(driver_pod())

    assert (driver.namespace, driver.application, driver.run) == ("data", "etl", RUN)
    assert (driver.address, driver.phase) == ("127.1.0.1", "Running")


def test_a_pod_that_names_an_application_that_does_not_own_it_is_no_driver():
    assert driver_of(driver_pod(owner="other")) is None


def test_a_run_that_spark_would_not_name_so_is_no_run():
    assert driver_of(driver_pod(run="../../etc")).run == ""


def test_a_driver_says_what_it_waits_for():
    pod = driver_pod(phase="Pending", waiting="ImagePullBackOff")

    assert driver_of(pod).waiting == "ImagePullBackOff"


def test_a_driver_without_a_node_says_so():
    pod = driver_pod(phase="Pending")
    pod["status"] = {
        "phase": "Pending",
        "conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}],
    }

    assert driver_of(pod).waiting == "Unschedulable"


def test_of_two_tries_the_newer_counts_whatever_comes_first():
    older = driver_pod(created="2026-11-22T10:00:00Z")
    newer = driver_pod(created="2026-11-22T11:00:00Z", run=OTHER_RUN)

    for order in ([older, newer], [newer, older]):
        drivers = Drivers()
        for pod in order:
            drivers.observe(pod, False)
        assert drivers.newest("data", "etl").run == OTHER_RUN


def test_an_address_is_of_the_newer_driver_that_runs():
    """The node of the older is lost, and nobody has said yet that it ended."""
    older = driver_pod(created="2026-11-22T10:00:00Z")
    newer = driver_pod("other", created="2026-11-22T11:00:00Z", run=OTHER_RUN)
    older["metadata"]["uid"], newer["metadata"]["uid"] = "a", "b"

    for order in ([older, newer], [newer, older]):
        drivers = Drivers()
        for pod in order:
            drivers.observe(pod, False)
        first, second = drivers.newest("data", "etl"), drivers.newest("data", "other")
        assert (drivers.has_address(first), drivers.has_address(second)) == (False, True)
        drivers.observe(newer, True)
        assert drivers.has_address(first)
    newer["status"]["phase"] = "Succeeded"
    drivers.observe(newer, False)
    assert drivers.has_address(first)


def test_a_driver_that_is_deleted_is_forgotten_and_the_one_before_it_counts_again():
    drivers = Drivers()
    older, newer = driver_pod(), driver_pod(created="2026-11-22T11:00:00Z", run=OTHER_RUN)
    drivers.observe(older, False)
    drivers.observe(newer, False)

    drivers.observe(newer, True)
    assert drivers.newest("data", "etl").run == RUN

    drivers.observe(older, True)
    assert drivers.newest("data", "etl") is None
    assert len(drivers) == 0


def test_a_list_forgets_what_it_does_not_have_in_its_own_namespace_only():
    drivers = Drivers()
    for name, namespace in (("etl", "data"), ("ml", "data"), ("etl", "science")):
        drivers.observe(driver_pod(name, namespace=namespace, uid=f"{namespace}-{name}"), False)

    drivers.keep("data", {"data-ml"})

    assert drivers.newest("data", "etl") is None
    assert drivers.newest("data", "ml")
    assert drivers.newest("science", "etl")


def test_that_a_ui_has_answered_is_remembered_while_its_pod_changes_and_not_longer():
    drivers = Drivers()
    drivers.observe(driver_pod(), False)
    drivers.note_answer(drivers.newest("data", "etl"))

    drivers.observe(driver_pod(version="2"), False)
    assert drivers.answered(drivers.newest("data", "etl"))

    drivers.observe(driver_pod(), True)
    drivers.observe(driver_pod(), False)
    assert not drivers.answered(drivers.newest("data", "etl"))


def test_each_run_is_found_once_as_soon_as_it_is_known():
    ended_runs = []
    drivers = Drivers(lambda driver: ended_runs.append(driver.run))

    drivers.observe(driver_pod(run=""), False)
    assert ended_runs == []
    drivers.observe(driver_pod(), False)
    drivers.observe(driver_pod(phase="Succeeded"), False)
    assert ended_runs == [RUN]


def test_an_older_try_that_is_seen_later_is_not_found():
    ended_runs = []
    drivers = Drivers(lambda driver: ended_runs.append(driver.run))

    drivers.observe(driver_pod(created="2026-11-22T11:00:00Z", run=OTHER_RUN), False)
    drivers.observe(driver_pod(), False)

    assert ended_runs == [OTHER_RUN]
