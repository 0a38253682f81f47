"""Senders whose token was proved a moment ago, and is not proved again for each request."""

import time
from collections import OrderedDict
from collections.abc import Callable

from services.archer.authentication.principal import Sender

MOST = 10_000
"""Tokens; of more, the one that was proved first is forgotten."""


class SenderCache:
    """Believes a token again.

    seconds: for so long, at most; somebody who was let in until then is let in for no longer.
    clock: seconds since 1970.
    """

    def __init__(self, seconds: float, clock: Callable[[], float] = time.time) -> None:
        self._seconds = seconds
        self._clock = clock
        self._senders: OrderedDict[str, tuple[float, Sender]] = OrderedDict()

    def of(self, token: str) -> Sender | None:
        """Whose token it is; None where it is to be proved."""
        until, sender = self._senders.get(token, (0.0, None))
        return sender if self._clock() < until else None

    def keep(self, token: str, sender: Sender, good_until: float) -> None:
        """Remember a token that is proved, and good until this moment."""
        self._senders.pop(token, None)
        self._senders[token] = min(good_until, self._clock() + self._seconds), sender
        if len(self._senders) > MOST:
            self._senders.popitem(last=False)
