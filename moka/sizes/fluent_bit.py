"""How long Fluent Bit waits with an upload, and how much it keeps on a node while S3 is away."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

LEAST_BEHIND, MOST_BEHIND = 30, 3600
"""Seconds that logs may be behind, as settings may ask for."""

REFRESH, TRACE, FLUSH, PUTS = 5, 1, 1, 8
"""Seconds until a line is in a file of the S3 output: a new file is seen (`refresh_interval`), a trace is
complete (`flush_timeout`), a chunk is flushed (`flush`); and seconds for the PUTs of one look, one after
another: those of 110 pods, a node's most, at 70 ms each."""

LEAST_TIMER = 6
"""Seconds between two looks for files to upload: at least these, at most 60, else a sixth of the time-out
(fluent/fluent-bit: plugins/out_s3/s3.c, cb_s3_init, at v5.1.1)."""

TEXT_FACTOR = Fraction(5, 4)
"""What a line of a log comes to in a buffer, as a record in JSON: its quotes and escapes."""

SHARES: Mapping[str, Fraction] = {
    # A node runs drivers or executors: either may be all that is written there.
    "drivers": Fraction(1),
    "executors": Fraction(1),
    "system": Fraction(1, 4),
    "unknown": Fraction(1, 8),
    "hosts": Fraction(1, 16),
    "summaries": Fraction(1, 16),
}
"""Output of S3 -> how much it may keep, as a share of what the pods of jobs write in an outage."""


@dataclass(frozen=True, kw_only=True)
class Buffer:
    """What one output may keep on a node, in MiB.

    store: files that wait for their upload.
    queue: chunks that wait for room there; the oldest goes, and is
    counted, when that is full as well.
    """

    store: int
    queue: int


@dataclass(frozen=True, kw_only=True)
class FluentBitSize:
    """What Fluent Bit is set to.

    drivers_upload, others_upload: seconds that a file of the S3 outputs waits for more, before its upload.
    buffers: output -> what it may keep.
    """

    drivers_upload: int
    others_upload: int
    buffers: Mapping[str, Buffer]

    @property
    def gib(self) -> int:
        """GiB that all of it may take on a node, rounded up."""
        return ceil(sum(buffer.store + buffer.queue for buffer in self.buffers.values()) / 1024)


def timer_seconds(upload: int) -> int:
    """Seconds between two looks for files to upload."""
    return min(max(upload // 6, LEAST_TIMER), 60)


def behind_seconds(upload: int) -> int:
    """The most that a line is behind in S3, in seconds, with that time-out and S3 at hand."""
    return REFRESH + TRACE + FLUSH + upload + timer_seconds(upload) + PUTS


def upload_seconds(behind: int) -> int:
    """The longest time-out of an upload with which logs are at most so many seconds behind.

    Raises ValueError below LEAST_BEHIND, with which uploads would be of single lines.
    """
    if behind < LEAST_BEHIND:
        raise ValueError(f"logs cannot be less than {LEAST_BEHIND} seconds behind")
    return max(upload for upload in range(1, behind) if behind_seconds(upload) <= behind)


def fluent_bit_size(
    *, drivers_behind: int, executors_behind: int, outage_hours: int, kib_per_second: int
) -> FluentBitSize:
    """What keeps logs at most so many seconds behind, and all of them through an outage of S3.

    executors_behind: of all others than drivers, too. kib_per_second: of logs of jobs on one node.
    """
    amount = outage_hours * 3600 * kib_per_second * TEXT_FACTOR / 1024
    return FluentBitSize(
        drivers_upload=upload_seconds(drivers_behind),
        others_upload=upload_seconds(executors_behind),
        buffers={output: _buffer(ceil(amount * share)) for output, share in SHARES.items()},
    )


def _buffer(mib: int) -> Buffer:
    """Two thirds of it as files, of at least twice what one upload takes, and a third as chunks."""
    return Buffer(store=max(ceil(mib * 2 / 3), 64), queue=max(ceil(mib / 3), 32))
