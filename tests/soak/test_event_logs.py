"""Event logs of real Spark in bad luck: lost nodes, S3 away, restarts; and of Spark 3.5."""

import shutil
import time

import pytest

from moka import event_logs
from tests.support.event_log_drivers import BOUND, TWO_STAGES, event_log_pods, shows_both_stages
from tests.support.uploader_process import wait_for

HELD_BACK_TASKS = 60
"""Ends of tasks that Spark may keep to itself since its last flush, as docs/operations/event-logs.md says."""

MANY_TASKS = 9000
"""Events of so many have more than 20 MiB, which are three files."""

SPARK_3 = "3.5.5"


@pytest.fixture(scope="module")
def pods(tmp_path_factory):
    with event_log_pods(tmp_path_factory.mktemp("event-logs")) as pods:
        yield pods


@pytest.fixture(scope="module")
def server(pods):
    with pods.server() as server:
        yield server


def test_while_s3_is_away_nothing_is_lost(pods, server):
    driver = pods.driver()
    with driver.uploader() as uploader, driver.job() as job:
        job.wait_for_step("two-stages")
        pods.moto.stop()
        try:
            job.wait()
            wait_for(lambda: uploader.metric("failures_total") > 0)
            assert uploader.metric("behind_seconds") > 0
        finally:
            pods.moto.start()
        assert uploader.end() == 0

    wait_for(lambda: server.listed(driver.log))
    assert server.stages(driver.log) == TWO_STAGES


def test_with_a_lost_node_goes_no_more_than_the_bound(pods, server):
    driver = pods.driver()
    with driver.uploader() as uploader, driver.job(0, hangs=True) as job:
        job.wait_for_step("last-task")
        written = time.monotonic()
        # So long has the node to live on.
        wait_for(lambda: time.monotonic() - written > BOUND)
        uploader.kill()
        job.kill()
    log = driver.log
    shutil.rmtree(driver.volume)

    assert shows_both_stages(server, log)


@pytest.mark.parametrize("release", [None, SPARK_3])
def test_of_a_killed_stage_no_more_tasks_are_missing_than_spark_keeps_to_itself(release, pods, server):
    driver = pods.driver(release)
    with driver.uploader() as uploader, driver.job(400, hangs=True) as job:
        job.wait_for_step("last-task")
        job.kill()
        assert uploader.end() == 0

    assert shows_both_stages(server, driver.log)
    _, ended = server.stages(driver.log).get(2, ("", 0))
    assert 400 - ended <= HELD_BACK_TASKS


def test_a_log_that_is_rolled_is_whole_though_the_sidecar_is_killed_between_its_files(pods, server):
    driver = pods.driver()
    with driver.job(MANY_TASKS) as job:
        with driver.uploader() as uploader:
            wait_for(
                lambda: list(driver.volume.glob("*/events_2_*")) and uploader.metric("puts_total") > 3, 180
            )
            uploader.kill()
        with driver.uploader() as uploader:
            assert job.wait() == 0, job.log.read_text()[-3000:]
            assert uploader.end() == 0

    wait_for(lambda: server.listed(driver.log))
    assert server.stages(driver.log) == {**TWO_STAGES, 2: ("COMPLETE", MANY_TASKS)}
    third = event_logs.archive_key(driver.log, event_logs.events_file(driver.log, 3))
    assert pods.moto.objects() >= {third, event_logs.hot_key(driver.log)}


def test_a_job_of_spark_3_that_ends_is_listed_as_complete_with_all_its_stages(pods, server):
    driver = pods.driver(SPARK_3)
    with driver.uploader() as uploader, driver.job() as job:
        assert job.wait() == 0, job.log.read_text()[-3000:]
        assert uploader.end() == 0

    wait_for(lambda: server.listed(driver.log))
    assert server.stages(driver.log) == TWO_STAGES
    assert event_logs.hot_key(driver.log) in pods.moto.objects()


def test_of_a_job_of_spark_3_that_is_killed_after_its_second_stage_both_stages_are_there(pods, server):
    driver = pods.driver(SPARK_3)
    with driver.uploader() as uploader, driver.job(0, hangs=True) as job:
        job.wait_for_step("last-task")
        job.kill()
        wait_for(driver.uploaded, BOUND)
        assert shows_both_stages(server, driver.log)
        assert uploader.end() == 0

    wait_for(lambda: server.listed(driver.log) is False)
