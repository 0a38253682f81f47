"""What a scan of the real History Server asks S3 for, and what it leaves out when it is killed."""

import asyncio

import boto3
from botocore.config import Config

from benchmarks.history import BUCKET, CONF
from services.common.metrics import Metrics
from services.history_gate.listing import Listing
from services.history_gate.servers import Servers, session
from services.history_gate.storage import Storage
from tests.support.history_servers import REGION, server_of
from tests.support.many_logs import MODIFIED, PAGE, many_logs, wait_for_scans, wait_until_known
from tests.support.uploader_process import wait_for

LOGS = 150
HOURS = 3600


def test_a_scan_of_logs_that_are_known_lists_them_by_the_thousand_and_reads_none(tmp_path):
    with (
        many_logs(BUCKET, 3 * PAGE) as logs,
        server_of(tmp_path, BUCKET, logs.endpoint, {}, conf=CONF) as server,
    ):
        wait_until_known(logs)
        before = (logs.lists, logs.reads, len(logs.began))
        wait_for_scans(logs, 4)
        lists, reads, began = logs.lists - before[0], logs.reads - before[1], len(logs.began) - before[2]
        listed = len(server.ids())

    assert listed == 3 * PAGE
    assert reads == 0
    # Each is of three pages, and looks once whether there is such a folder.
    assert lists <= began * (3 + 1)


def test_jobs_that_a_killed_server_left_out_are_listed_again(tmp_path):
    with (
        many_logs(BUCKET, 0) as logs,
        server_of(tmp_path, BUCKET, logs.endpoint, {}, conf=CONF) as server,
    ):
        logs.count = LOGS
        wait_for(lambda: logs.reads > LOGS // 10, 60)
        server.kill()
        server.start()
        wait_until_known(logs)
        left = LOGS - len(server.ids())
        # Where Spark has mended it, `services/history_gate/listing.py` can go.
        assert left > 0

        opened = asyncio.run(_repaired(logs.endpoint, f"http://127.0.0.1:{server.port}"))

        assert opened == left
        assert len(server.ids()) == LOGS


async def _repaired(endpoint: str, url: str) -> float:
    """Have the gate look hour after hour until nothing is missing; how many jobs it opened."""
    keys = {"aws_access_key_id": "test", "aws_secret_access_key": "test"}
    style = Config(s3={"addressing_style": "path"})
    client = boto3.client("s3", endpoint_url=endpoint, region_name=REGION, config=style, **keys)
    metrics, moment = Metrics("history_gate"), [float(MODIFIED)]

    def value(name: str) -> float:
        return metrics.registry.get_sample_value(f"moka_history_gate_{name}") or 0.0

    async with session() as requests:
        listing = Listing(Storage(client, BUCKET), Servers(requests, [url]), 1, metrics, lambda: moment[0])
        moment[0] += 2 * HOURS
        await listing.repair()
        while value("left_out"):
            moment[0] += HOURS
            await listing.repair()
    return value("relisted_total")
