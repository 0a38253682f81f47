"""Records a cluster, or stands by while another recorder does."""

import asyncio
import logging
import secrets

from services.common.logs import fields
from services.common.metrics import Metrics
from services.usage_recorder import bucket
from services.usage_recorder.ledger import Ledger, Superseded
from services.usage_recorder.measures import Measures
from services.usage_recorder.session import SAVE_SECONDS, Session
from services.usage_recorder.sources import Sources

STAND_BY_SECONDS = 3 * SAVE_SECONDS
"""Who was superseded takes over where nobody has saved for so long."""

LOOK_SECONDS = 30.0
"""Between its looks whether somebody has."""

AGAIN_SECONDS = 5.0
"""Until it tries to take over again, where the bucket is away."""

STALLED_SECONDS = 300.0
"""After this time without a look at anything it is taken for dead."""

FINISH_SECONDS = 20.0
"""For the last save; Kubernetes gives 30 seconds to end."""

log = logging.getLogger(__name__)


class Recorder:
    """The one of a cluster, as soon as it starts: who was it before stands by, and does not fight for it."""

    def __init__(self, sources: Sources, metrics: Metrics) -> None:
        self._sources = sources
        self._measures = Measures(metrics, sources)
        self._session: Session | None = None

    async def run(self) -> None:
        """Record for as long as this is awaited."""
        while True:
            try:
                await (await self.begin()).run()
            except Superseded as error:
                log.warning("another recorder has taken over", extra=fields(error=error))
                await self._end()
                await self._stand_by()
            except bucket.FAILURES as error:
                self._measures.failed("bucket", error)
                await self._end()
                await asyncio.sleep(AGAIN_SECONDS)

    async def begin(self) -> Session:
        """Take over. Raises Superseded, FAILURES of the bucket, and for a state that cannot be read
        InvalidState."""
        ledger = Ledger(self._sources.bucket, self._sources.eks_cluster, secrets.token_hex(8))
        content = await asyncio.to_thread(ledger.open)
        self._measures.looked()
        self._measures.work = self._session = session = Session(
            self._sources, self._measures, ledger, content
        )
        return session

    async def finish(self) -> None:
        """Save a last time, if there is time."""
        session = self._session
        if session is not None and not session.cut_off:
            try:
                async with asyncio.timeout(FINISH_SECONDS):
                    await session.save()
            except (Superseded, TimeoutError) as error:
                log.warning("the last save failed", extra=fields(error=error))
        await self._end()

    def problem(self) -> str | None:
        """Why it has to be started anew; None while it works."""
        return "stalled" if self._measures.silent_seconds > STALLED_SECONDS else None

    async def _end(self) -> None:
        session, self._session, self._measures.work = self._session, None, None
        if session is not None:
            await session.follower.close()

    async def _stand_by(self) -> None:
        """Wait until nobody saves any more."""
        clock = self._sources.clock
        tag, since = "", clock()
        while clock() - since < STAND_BY_SECONDS:
            self._measures.looked()
            try:
                current_tag = await asyncio.to_thread(
                    Ledger(self._sources.bucket, self._sources.eks_cluster, writer="").tag
                )
            except bucket.FAILURES as error:
                self._measures.failed("bucket", error)
                current_tag = None
            # While nobody can be seen, nobody is known to be gone.
            if current_tag is None or current_tag != tag:
                tag, since = current_tag or "", clock()
            await asyncio.sleep(LOOK_SECONDS)
