"""The History Server with as many logs as it may have, by lists that take as long as S3's are assumed to."""

from benchmarks.history import CONF, S3_SECONDS, SCANS, memory_gib, read, scan_of_known, serving
from moka.sizes.history import MAX_LISTED

HEAP_GIB = 4
"""The least that the settings allow."""

MAX_SECONDS = 300
"""The default of `history.interval_seconds`."""

# All in one scan, as a benchmark cannot wait for one scan after the other.
READ_AT_ONCE = {**CONF, "spark.history.fs.update.batchSize": str(MAX_LISTED)}


def table() -> str:
    """Measure; the table."""
    with serving(f"{HEAP_GIB}g", READ_AT_ONCE) as (logs, server):
        reading = read(logs, MAX_LISTED)
        own = scan_of_known(logs, server)
        logs.pause = S3_SECONDS
        scan = scan_of_known(logs, server)
        memory = memory_gib(server)
    return "\n".join(
        [
            f"a heap of {HEAP_GIB} GiB; the median of {SCANS} scans of logs that are all known; the stand-in "
            f"answers at once, and after {S3_SECONDS * 1000:.0f} ms.",
            "",
            "| logs | reading them first | scan of lists at once | scan of slow lists | at most | memory |",
            "| --- | --- | --- | --- | --- | --- |",
            f"| {MAX_LISTED:,} | {reading:.0f} s | {own.seconds:.0f} s | {scan.seconds:.0f} s "
            f"| {MAX_SECONDS} s | {memory:.1f} GiB |",
            "",
        ]
    )
