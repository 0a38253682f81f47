"""What a scan of the real History Server asks S3 for."""

from benchmarks.history import BUCKET, CONF
from tests.support.history_servers import server_of
from tests.support.many_logs import PAGE, many_logs, wait_for_scans, wait_until_known


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
