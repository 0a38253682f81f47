"""Event logs of ended jobs: lines that Spark 4.3 wrote for one, with another name and id in them."""

from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import zstandard

from moka import event_logs

TEXT = Path(__file__).with_name("event_log.jsonl")
"""A job of one stage and four tasks. Properties are shortened, and an executor of a pod of ours is added."""

STAGE, TASKS = 6, 4


@cache
def _template() -> str:
    return TEXT.read_text()


def log_text(app_id: str, name: str = "nightly") -> bytes:
    """All events of a job."""
    return _template().replace("LOG_ID", app_id).replace("JOB_NAME", name).encode()


def cut_log(app_id: str, name: str, tasks: int) -> bytes:
    """What there is of a job that was killed after some tasks, compressed: the last frame has no end."""
    lines = log_text(app_id, name).splitlines(keepends=True)
    ends = [index for index, line in enumerate(lines) if b"SparkListenerTaskEnd" in line]
    compressor = zstandard.ZstdCompressor().compressobj()
    flushed = compressor.compress(b"".join(lines[: ends[tasks - 1] + 1]))
    flushed += compressor.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
    return flushed + compressor.compress(lines[-1][:20])


def put_hot(client: Any, bucket: str, app_id: str, name: str = "nightly") -> None:
    """A log that was joined."""
    content = zstandard.ZstdCompressor().compress(log_text(app_id, name))
    client.put_object(Bucket=bucket, Key=event_logs.hot_key(app_id), Body=content)


def put_archive(client: Any, bucket: str, app_id: str, content: bytes, *, ended: bool) -> None:
    """A log as Spark writes it. content: of its one file of events."""
    status = event_logs.status_file(app_id, in_progress=not ended)
    for file, body in ((status, b""), (f"events_1_{app_id}.zstd", content)):
        client.put_object(Bucket=bucket, Key=event_logs.archive_key(app_id, file), Body=body)


def put_marker(client: Any, bucket: str, app_id: str, name: str, started: datetime) -> None:
    """What says that a log is not joined yet."""
    marker = event_logs.Marker(
        cluster="spark-a", namespace="jobs", name=name, app_id=app_id, started=started.isoformat()
    )
    client.put_object(Bucket=bucket, Key=event_logs.open_key(app_id), Body=marker.as_json().encode())
