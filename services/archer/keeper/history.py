"""Months of long ago go to S3 as Parquet, and then from the database.

Everything before the last step can be done again, and comes to the same keys; the last one is a transaction
that goes by what S3 has been seen to have.
"""

import asyncio
import base64
import hashlib
import json
import logging
import tempfile
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import asyncpg
import boto3
import duckdb
from botocore.exceptions import BotoCoreError, ClientError

from moka.submission.configuration import HistoryPlace
from moka.submission.job_id import lowest_id
from moka.submission.month import Month, due
from services.archer.database.partitions import months, partition_name
from services.archer.database.pool import Connection, Pool
from services.archer.database.tables import PARTITIONED
from services.archer.keeper import parquet
from services.common.logs import fields

PATIENCE_SECONDS = 60.0
"""For a database that is away while rows are read."""

LOCK_SECONDS = 2
"""For so long at most others wait behind this one, that waits for a lock on a whole table."""

ACTIVE = """
SELECT EXISTS (SELECT 1 FROM active WHERE id >= $1 AND id < $2)
  OR EXISTS (SELECT 1 FROM unrecorded WHERE job >= $1 AND job < $2)
"""
"""Whether a job is still to end, or to be recorded among what was used."""

log = logging.getLogger(__name__)


class NotKept(Exception):
    """What S3 has is not what the database has."""


@dataclass(frozen=True, kw_only=True)
class Part:
    """A file of a table's rows."""

    table: str
    key: str
    rows: int
    sha256: str


class History:
    """Moves months to a bucket."""

    def __init__(self, pool: Pool, place: HistoryPlace) -> None:
        self._pool = pool
        self._place = place
        self._s3: Any = boto3.client("s3", region_name=place.region)

    async def due(self) -> list[Month]:
        """Months that are to go, or wait for a job of theirs. Raises Away."""
        return due(await self._pool.run(months), self._place.days, datetime.now(UTC))

    async def keep(self) -> None:
        """Move all that are due. Raises Away, NotKept and what S3 answers."""
        for month in await self.due():
            if await self._pool.run(lambda connection, month=month: _active(connection, month)):  # type: ignore[misc]
                log.warning(
                    "a month waits: a job of it is active, or not recorded", extra=fields(month=month)
                )
                continue
            parts = await self.export(month)
            await self._pool.run(lambda connection, parts=parts, month=month: drop(connection, month, parts))  # type: ignore[misc]
            log.info("a month has gone to S3", extra=fields(month=month, parts=len(parts)))

    async def export(self, month: Month) -> list[Part]:
        """Write the files of a month, read them again, and list them in its manifest. Raises NotKept."""
        parts = []
        for table in PARTITIONED:
            for day in month.days:
                for number, rows in enumerate(await self._slices(table, month, day), 1):
                    with tempfile.TemporaryDirectory() as folder:
                        parts.append(await self._part(rows, _name(day, number), Path(folder)))
        manifest = {
            "version": parquet.VERSION,
            "month": str(month),
            "parts": [asdict(part) for part in parts],
        }
        await asyncio.to_thread(
            self._s3.put_object,
            Bucket=self._place.bucket,
            Key=f"{self._root}/manifests/{month}.json",
            Body=json.dumps(manifest, indent=1).encode(),
        )
        return parts

    async def _slices(self, table: str, month: Month, day: datetime) -> list[parquet.Slice]:
        return await self._pool.run(
            lambda connection: parquet.slices(connection, table, month, day),
            patience_seconds=PATIENCE_SECONDS,
        )

    async def _part(self, rows: parquet.Slice, name: str, folder: Path) -> Part:
        """A file of rows of a table, sent and read again. Raises NotKept."""
        csv, file, again = (folder / name for name in ("rows.csv", "written", "read"))
        table = rows.table
        count = await self._pool.run(
            lambda connection: parquet.csv_of(connection, rows, csv), patience_seconds=PATIENCE_SECONDS
        )
        await asyncio.to_thread(parquet.write, table, csv, file)
        csv.unlink()
        key = f"{self._root}/{table}/month={rows.month}/{name}"
        sha256 = await asyncio.to_thread(self._send, key, file)
        await asyncio.to_thread(self._s3.download_file, self._place.bucket, key, str(again))
        if _sha256(again) != sha256 or await asyncio.to_thread(parquet.rows, again) != count:
            raise NotKept(f"s3://{self._place.bucket}/{key} is not the {count} rows that were sent")
        return Part(table=table, key=key, rows=count, sha256=sha256.hex())

    def _send(self, key: str, file: Path) -> bytes:
        digest = _sha256(file)
        with file.open("rb") as body:
            self._s3.put_object(
                Bucket=self._place.bucket,
                Key=key,
                Body=body,
                ChecksumSHA256=base64.b64encode(digest).decode(),
            )
        return digest

    @property
    def _root(self) -> str:
        return f"{self._place.prefix}/v{parquet.VERSION}"


def _name(day: datetime, number: int) -> str:
    """Of a day's file. The first is named as all of a day was when it was one file, and takes its place."""
    return f"part-{day.day:02}{'' if number == 1 else f'-{number}'}.parquet"


FAILURES = (BotoCoreError, ClientError, NotKept, OSError, duckdb.Error, asyncpg.LockNotAvailableError)
"""What moving a month may raise besides Away; it is tried again."""


async def drop(connection: Connection, month: Month, parts: list[Part]) -> None:
    """Let a month go, if the files have all its rows, and none of its jobs is active. Raises NotKept."""
    await connection.execute(f"SET LOCAL lock_timeout = '{LOCK_SECONDS}s'")
    for table in PARTITIONED:
        name = partition_name(table, month)
        await connection.execute(f"LOCK TABLE {name} IN SHARE MODE")
        count = await connection.fetchval(f"SELECT count(*) FROM {name}", timeout=parquet.EXPORT_SECONDS)
        file_rows = sum(part.rows for part in parts if part.table == table)
        if count != file_rows:
            raise NotKept(f"{name} has {count} rows, and S3 {file_rows}")
    if await _active(connection, month):
        raise NotKept(f"a job of {month} is active, or not recorded")
    for table in PARTITIONED:
        name = partition_name(table, month)
        await connection.execute(f"ALTER TABLE {table} DETACH PARTITION {name}")
        await connection.execute(f"DROP TABLE {name}")


async def _active(connection: Connection, month: Month) -> bool:
    first, after = lowest_id(month.start), lowest_id(month.next.start)
    return bool(await connection.fetchval(ACTIVE, first, after))


def _sha256(file: Path) -> bytes:
    with file.open("rb") as body:
        return hashlib.file_digest(body, "sha256").digest()
