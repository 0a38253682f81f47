"""Logs of jobs, read from their buckets as the caller's own credentials let them."""

import gzip
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from moka.log_keys import LogObject, container_prefix, log_object
from moka.log_lines import Joiner, Line, Piece, UnreadableLogs, groups, in_order, merged, pieces
from stacks.job_logs import job_logs
from stacks.settings import Environment


class LogsUnreachable(Exception):
    """S3 does not give the logs; the message is a sentence that says what to do."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where logs of an application may be: a bucket, and a prefix in it."""

    bucket: str
    region: str
    prefix: str


@dataclass(frozen=True, kw_only=True)
class Stored:
    """An object in its bucket. size: in bytes, compressed. uploaded: later than any of its lines."""

    object: LogObject
    place: Place
    size: int
    uploaded: datetime


def places(
    settings: Environment, application: str, clusters: Iterable[str], namespaces: Iterable[str], role: str
) -> list[Place]:
    """Where an application's logs may be: each cluster and namespace has one folder for it."""
    namespaces = list(namespaces)
    return [
        Place(
            bucket=logs.bucket,
            region=logs.region,
            prefix=container_prefix(logs.folder, namespace, application, role),
        )
        for logs in (job_logs(settings, cluster) for cluster in clusters)
        for namespace in namespaces
    ]


class LogBuckets:
    """The buckets, with a client for each region. since: what was uploaded before is left out."""

    def __init__(self, since: datetime | None = None) -> None:
        self._since = since
        self._clients: dict[str, Any] = {}

    def find(self, places: Iterable[Place], pod: str | None = None) -> list[Stored]:
        """All objects in these places, by key. Raises LogsUnreachable."""
        entries = [entry for place in places for entry in self._listing(place)]
        return [
            entry
            for entry in sorted(entries, key=lambda entry: entry.object)
            if (pod is None or entry.object.pod == pod)
            and (self._since is None or entry.uploaded >= self._since)
        ]

    def lines(self, objects: Iterable[Stored]) -> Iterator[tuple[LogObject, Line]]:
        """Lines of all objects, by time. Raises LogsUnreachable."""
        by_container: dict[LogObject, list[Stored]] = defaultdict(list)
        for entry in objects:
            by_container[container(entry.object)].append(entry)
        streams = {of: self._container_lines(entries, Joiner()) for of, entries in by_container.items()}
        for of, line in merged(streams):
            if self._since is None or line.time >= f"{self._since:%Y-%m-%dT%H:%M:%S}":
                yield of, line

    def new_lines(
        self, objects: Iterable[Stored], joiners: defaultdict[LogObject, Joiner]
    ) -> Iterator[tuple[LogObject, Line]]:
        """The same for objects that are new since the last look; a line that goes on waits in its joiner."""
        by_container: dict[LogObject, list[Stored]] = defaultdict(list)
        for entry in objects:
            by_container[container(entry.object)].append(entry)
        yield from merged(
            {of: joiners[of].join(in_order(self._pieces(entries))) for of, entries in by_container.items()}
        )

    def _container_lines(self, entries: Iterable[Stored], joiner: Joiner) -> Iterator[Line]:
        by_object = {entry.object: entry for entry in entries}
        for group in groups(by_object):
            yield from joiner.join(in_order(self._pieces(by_object[s3_object] for s3_object in group)))
        yield from joiner.flush()

    def _pieces(self, entries: Iterable[Stored]) -> Iterator[Piece]:
        for entry in entries:
            try:
                yield from pieces(gzip.decompress(self._read(entry)))
            except (UnreadableLogs, OSError, EOFError, zlib.error) as error:
                raise LogsUnreachable(
                    f"s3://{entry.place.bucket}/{entry.object.key} cannot be read ({error}): remove it if it "
                    "is none of Fluent Bit's."
                ) from None

    def _listing(self, place: Place) -> Iterator[Stored]:
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            pages = self._client(place).get_paginator("list_objects_v2")
            for page in pages.paginate(Bucket=place.bucket, Prefix=place.prefix):
                for entry in page.get("Contents", ()):
                    if s3_object := log_object(entry["Key"]):
                        yield Stored(
                            object=s3_object, place=place, size=entry["Size"], uploaded=entry["LastModified"]
                        )
        except (BotoCoreError, ClientError) as error:
            raise _unreachable(place, error) from None

    def _read(self, entry: Stored) -> bytes:
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            answer = self._client(entry.place).get_object(Bucket=entry.place.bucket, Key=entry.object.key)
            return bytes(answer["Body"].read())
        except (BotoCoreError, ClientError) as error:
            raise _unreachable(entry.place, error) from None

    def _client(self, place: Place) -> Any:
        # Imported here, as no other command needs it at once.
        import boto3

        if place.region not in self._clients:
            self._clients[place.region] = boto3.client("s3", region_name=place.region)
        return self._clients[place.region]


def container(s3_object: LogObject) -> LogObject:
    """What all objects of a container have in common."""
    return replace(s3_object, begun=datetime.min, suffix="")


def _unreachable(place: Place, error: Exception) -> LogsUnreachable:
    reason = str(error).rstrip(".")
    return LogsUnreachable(
        f"s3://{place.bucket}/{place.prefix} is not given ({reason}): sign in with credentials that may read "
        "the bucket, or name another --cluster."
    )
