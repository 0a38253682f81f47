import asyncio
import json
import os

import boto3
import pytest
from botocore.exceptions import ClientError, EndpointConnectionError
from moto import mock_aws

from services.common.metrics import Metrics
from services.ui_gateway import links as module
from services.ui_gateway.drivers import driver_of
from services.ui_gateway.links import Links
from tests.support.ui_pages import OTHER_RUN, RUN, driver_pod, run_apart

BUCKET = "acme-event-logs"
KEY = "links/spark-a/data/etl"


@pytest.fixture
def s3(monkeypatch):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setitem(os.environ, name, "test")
    with mock_aws():
        client = boto3.client("s3", region_name="us-east-1")
        client.create_bucket(Bucket=BUCKET)
        yield client


class Failing:
    """A client whose first requests fail."""

    def __init__(self, s3, failures):
        self._s3 = s3
        self._failures = failures

    def put_object(self, **request):
        if self._failures:
            self._failures -= 1
            raise EndpointConnectionError(endpoint_url="s3")
        return self._s3.put_object(**request)


def put(links, *drivers, until):
    async def play():
        for driver in drivers:
            links.note(driver)
        task = asyncio.create_task(links.run())
        while not until():
            assert not task.done(), task.exception()
            await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    run_apart(asyncio.wait_for(play(), 60))


def in_bucket(s3):
    try:
        return json.loads(s3.get_object(Bucket=BUCKET, Key=KEY)["Body"].read())
    except ClientError:
        return None


def make_links(s3):
    return Links(s3, BUCKET, "spark-a", Metrics("ui_gateway"))


def test_a_run_is_linked_by_the_name_of_its_application_and_found_by_it(s3):
    links = make_links(s3)

    put(links, driver_of(driver_pod()), until=lambda: in_bucket(s3))

    assert in_bucket(s3) == {"run": RUN, "since": "2026-11-22T10:00:00Z"}
    assert run_apart(links.find(("data", "etl"))) == RUN
    assert run_apart(links.find(("science", "etl"))) is None


def test_of_two_runs_the_newer_is_linked(s3):
    older, newer = driver_of(driver_pod()), driver_of(driver_pod(uid="2", run=OTHER_RUN))

    put(make_links(s3), older, newer, until=lambda: in_bucket(s3))

    assert in_bucket(s3)["run"] == OTHER_RUN


def test_an_outage_of_s3_delays_a_link_and_does_not_lose_it(s3, monkeypatch):
    monkeypatch.setattr(module, "RETRY_SECONDS", 0.01)

    put(make_links(Failing(s3, 3)), driver_of(driver_pod()), until=lambda: in_bucket(s3))

    assert in_bucket(s3)["run"] == RUN


@pytest.mark.parametrize("text", [b"", b"[]", b"{}", b'{"run": 1}', b'{"run": "../x"}', b"\xff"])
def test_an_object_that_is_no_link_leads_nowhere(s3, text):
    s3.put_object(Bucket=BUCKET, Key=KEY, Body=text)

    assert run_apart(make_links(s3).find(("data", "etl"))) is None
