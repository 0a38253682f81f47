"""The parts of a queue's path."""

import re
from functools import lru_cache
from typing import NamedTuple

from moka.names import ROOT_QUEUE

_PATH = re.compile(rf"{ROOT_QUEUE}\.([^.]+)\.([^.]+)\.tier([1-3])")


class QueueNames(NamedTuple):
    """Organization, project and tier of a queue; empty, and 0, where it is none of `grow`'s queues."""

    path: str
    organization: str = ""
    project: str = ""
    tier: int = 0


@lru_cache(maxsize=65_536)
def queue_names(path: str) -> QueueNames:
    """The parts of `root.<organization>.<project>.tier<n>`."""
    match = _PATH.fullmatch(path)
    return QueueNames(path, match[1], match[2], int(match[3])) if match else QueueNames(path)
