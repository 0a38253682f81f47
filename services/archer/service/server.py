"""A server that takes its leave: who waits is answered, and nobody new is told to come, before it closes."""

import signal
import time
from types import FrameType

import uvicorn

from services.archer.service.changes import Changes

LEAVING_SECONDS = 3.0
"""Between saying that it leaves and closing its door: for those who ask `/readyz` before they send."""


class Server(uvicorn.Server):
    """Serves until a signal, and a moment longer."""

    def __init__(self, config: uvicorn.Config, changes: Changes) -> None:
        super().__init__(config)
        self._changes = changes
        self._closes: float | None = None

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to leave; a second signal ends it at once."""
        super().handle_exit(sig, frame)
        if sig == signal.SIGTERM and self._closes is None:
            self._closes = time.monotonic() + LEAVING_SECONDS
            self.should_exit = False

    async def on_tick(self, counter: int) -> bool:
        """Ten times a second: whether to close."""
        if self._closes is not None:
            self._changes.leave()
            self.should_exit = self.should_exit or time.monotonic() >= self._closes
        return await super().on_tick(counter)
