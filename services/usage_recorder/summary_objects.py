"""Summaries of applications that Fluent Bit brought to the bucket: each object is read once, late or not."""

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from moka.usage import places
from moka.usage.summaries import Summary, summaries
from services.usage_recorder.bucket import Bucket

DAYS = 7
"""That an object may be late. Fluent Bit keeps what it cannot bring as long as there is room on its node."""

Names = Mapping[str, Sequence[str]]
"""Day -> ends of the keys of the objects of that day that were read."""


@dataclass(frozen=True)
class SummaryObject:
    """An object: its day, the end of its key, and what its lines say."""

    day: str
    name: str
    summaries: list[Summary]


class SummaryObjects:
    """The objects of a cluster. eks_cluster: its name in EKS. cluster: its name in the settings."""

    def __init__(self, bucket: Bucket, eks_cluster: str, cluster: str) -> None:
        self._bucket = bucket
        self._eks_cluster = eks_cluster
        self._cluster = cluster

    def new(self, read: Names, today: date) -> Iterator[SummaryObject]:
        """Those that are not among those that were read, the oldest first. Raises FAILURES of the bucket."""
        for ago in reversed(range(DAYS + 1)):
            day = today - timedelta(days=ago)
            prefix = places.summaries_prefix(self._eks_cluster, day)
            read_names = set(read.get(day.isoformat(), ()))
            for entry in self._bucket.objects(prefix):
                name = entry.key.removeprefix(prefix)
                if name not in read_names and places.summaries_of(entry.key) is not None:
                    yield SummaryObject(day.isoformat(), name, self._read(entry.key))

    def _read(self, key: str) -> list[Summary]:
        content, _ = self._bucket.read(key)
        text, problem = _unpacked(content)
        records = list(summaries(text.splitlines(), self._cluster))
        return [*records, Summary(None, (f"{key} {problem}.",))] if problem else records


def kept(read: Names, today: date) -> dict[str, list[str]]:
    """Of what was read, what has to be remembered: older days are not looked at any more."""
    first = (today - timedelta(days=DAYS)).isoformat()
    return {day: list(names) for day, names in read.items() if day >= first}


def _unpacked(content: bytes) -> tuple[str, str]:
    """What gzip has packed, as far as it can be read, and what is wrong with it."""
    text, problem = b"", ""
    while content and not problem:
        unpacker = zlib.decompressobj(wbits=31)
        try:
            text += unpacker.decompress(content)
        except zlib.error:
            problem = "is not gzip from some place on"
        else:
            problem = "" if unpacker.eof else "is cut off"
            content = unpacker.unused_data
    return text.decode(errors="replace"), problem
