"""Links from applications to their runs, in the bucket of event logs: they outlive the SparkApplication."""

import asyncio
import json
import logging
from collections.abc import Callable
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from moka.event_logs import link_key
from services.common.logs import fields
from services.common.metrics import Metrics
from services.ui_gateway.drivers import RUN, Driver

WRITERS = 4
RETRY_SECONDS = 10.0

log = logging.getLogger(__name__)


class Links:
    """Puts and finds links.

    s3: client of boto3, whose calls block. bucket: of event logs. cluster: name in the settings.
    """

    def __init__(self, s3: Any, bucket: str, cluster: str, metrics: Metrics) -> None:
        self._s3 = s3
        self._bucket = bucket
        self._cluster = cluster
        # All links of an application go through the same queue, or an older one could come last.
        self._queues: list[asyncio.Queue[Driver]] = [asyncio.Queue() for _ in range(WRITERS)]
        self._newest: dict[tuple[str, str], Driver] = {}
        self._count = metrics.counter("links_put", "Links from an application to a run that were put.")
        self._failures = metrics.counter("link_failures", "Requests for links that failed.")

    def note(self, driver: Driver) -> None:
        """The newest driver of an application is known; its link will be put."""
        key = _key(driver)
        self._newest[key] = driver
        self._queues[hash(key) % WRITERS].put_nowait(driver)

    async def run(self) -> None:
        """Put links for ever."""
        await asyncio.gather(*(self._write(queue) for queue in self._queues))

    async def find(self, application: tuple[str, str]) -> str | None:
        """The newest run of an application, by namespace and name; None where no link is, or none of ours.

        Raises what boto3 does.
        """
        try:
            text = await asyncio.to_thread(self._read, link_key(self._cluster, *application))
        except ClientError as error:
            if error.response["Error"]["Code"] == "NoSuchKey":
                return None
            self._failures.inc()
            raise
        try:
            run = json.loads(text)["run"]
        except (ValueError, KeyError, TypeError):
            return None
        return run if isinstance(run, str) and RUN.fullmatch(run) else None

    def _read(self, key: str) -> bytes:
        body: bytes = self._s3.get_object(Bucket=self._bucket, Key=key)["Body"].read()
        return body

    async def _write(self, queue: asyncio.Queue[Driver]) -> None:
        while True:
            driver = await queue.get()
            key = _key(driver)
            while self._newest.get(key) is driver:
                if await self._put_link(driver):
                    # Another may have come meanwhile.
                    if self._newest[key] is driver:
                        del self._newest[key]
                    break
                await asyncio.sleep(RETRY_SECONDS)

    async def _put_link(self, driver: Driver) -> bool:
        put: Callable[..., Any] = self._s3.put_object
        try:
            await asyncio.to_thread(
                put,
                Bucket=self._bucket,
                Key=link_key(self._cluster, driver.namespace, driver.application),
                Body=json.dumps({"run": driver.run, "since": driver.created}).encode(),
                ContentType="application/json",
            )
        except (BotoCoreError, ClientError) as error:
            self._failures.inc()
            log.warning("putting a link failed", extra=fields(application=driver.application, error=error))
            return False
        self._count.inc()
        return True


def _key(driver: Driver) -> tuple[str, str]:
    return driver.namespace, driver.application
