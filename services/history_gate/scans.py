"""How long ago the History Server last began a scan that it finished: its page says when."""

import asyncio
import re
import time
from collections.abc import Callable, Sequence

import aiohttp

from services.common.metrics import Metrics

LAST_UPDATED = re.compile(r'id="last-updated">\s*(\d+)\s*<')
"""Milliseconds since 1970 (apache/spark: HistoryPage.scala); not there before the first scan is done."""

ROUND_SECONDS = 30.0
PAGE_SECONDS = 10.0


class Scans:
    """Looks at the pods of the History Server. urls: of each, `http://<host>:<port>`."""

    def __init__(
        self,
        session: aiohttp.ClientSession,
        urls: Sequence[str],
        metrics: Metrics,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._session = session
        # One that has never finished a scan is as old as we are.
        self._began = dict.fromkeys(urls, clock())
        metrics.gauge(
            "scan_age_seconds",
            "Since the last finished scan of the pod that is behind most.",
            lambda: clock() - min(self._began.values()),
        )

    async def run(self) -> None:
        """Look, again and again, for as long as this is awaited."""
        while True:
            await self.round()
            await asyncio.sleep(ROUND_SECONDS)

    async def round(self) -> None:
        """Look at each once; what one that does not answer said last is getting old."""
        await asyncio.gather(*map(self._look, self._began))

    async def _look(self, url: str) -> None:
        try:
            timeout = aiohttp.ClientTimeout(total=PAGE_SECONDS)
            async with self._session.get(f"{url}/", timeout=timeout) as response:
                text = await response.text(errors="replace")
        except (aiohttp.ClientError, TimeoutError):
            return
        if match := LAST_UPDATED.search(text):
            self._began[url] = int(match[1]) / 1000
