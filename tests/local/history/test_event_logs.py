"""Event logs of real Spark, uploaded by the sidecar to moto's S3, and read by the real History Server.

tests/soak/test_event_logs.py has what takes longer: lost nodes, S3 away, restarts, Spark 3.5.
"""

import pytest

from moka import event_logs
from tests.support.event_log_drivers import BOUND, TWO_STAGES, event_log_pods, shows_both_stages
from tests.support.uploader_process import wait_for


@pytest.fixture(scope="module")
def pods(tmp_path_factory):
    with event_log_pods(tmp_path_factory.mktemp("event-logs")) as pods:
        yield pods


@pytest.fixture(scope="module")
def ended(pods):
    """A driver whose job ends."""
    driver = pods.driver()
    with driver.uploader() as uploader, driver.job() as job:
        yield driver, uploader, job


@pytest.fixture(scope="module")
def server(pods, ended):
    """Starts while the job does."""
    with pods.server() as server:
        yield server


def test_a_job_that_ends_is_listed_as_complete_with_all_its_stages(ended, server, pods):
    driver, uploader, job = ended
    assert job.wait() == 0, job.log.read_text()[-3000:]
    assert uploader.end() == 0

    wait_for(lambda: server.listed(driver.log))
    assert server.stages(driver.log) == TWO_STAGES
    assert event_logs.hot_key(driver.log) in pods.moto.objects()
    assert event_logs.open_key(driver.log) not in pods.moto.objects()
    assert set(pods.agent.tokens) == {pods.agent.token_file.read_text()}


def test_of_a_job_that_is_killed_after_its_second_stage_both_stages_are_there_within_the_bound(server, pods):
    driver = pods.driver()
    with driver.uploader() as uploader, driver.job(0, hangs=True) as job:
        job.wait_for_step("last-task")
        job.kill()
        # Without the end of the uploader: it might be lost with its node.
        wait_for(driver.uploaded, BOUND)
        # What the server opens of a log that is not scanned stays as it was, so it is asked only now.
        assert shows_both_stages(server, driver.log)
        assert uploader.end() == 0

    wait_for(lambda: server.listed(driver.log) is False)
    assert event_logs.open_key(driver.log) in pods.moto.objects()
    assert event_logs.hot_key(driver.log) not in pods.moto.objects()
