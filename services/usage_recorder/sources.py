"""What a recorder asks, and the clocks that it goes by."""

import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from services.usage_recorder.bucket import Bucket
from services.usage_recorder.machines import Machines
from services.usage_recorder.scheduler import Scheduler
from services.usage_recorder.summary_objects import SummaryObjects


def _milliseconds() -> int:
    return time.time_ns() // 1_000_000


@dataclass(frozen=True, kw_only=True)
class Sources:
    """Of a cluster.

    cluster: name in the settings. eks_cluster: name in EKS. folder: for what is on its way to the bucket.
    now: milliseconds since 1970. clock: monotonic seconds.
    """

    cluster: str
    eks_cluster: str
    bucket: Bucket
    scheduler: Scheduler
    machines: Machines
    summaries: SummaryObjects
    folder: Path = Path(tempfile.gettempdir())
    now: Callable[[], int] = _milliseconds
    clock: Callable[[], float] = time.monotonic
