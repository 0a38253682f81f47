"""Locks of the backends that keep files (a folder, a bucket): who holds one, and whether it is dead."""

import json
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Lock:
    """A lock as pulumi writes it (pkg/backend/diy/lock.go).

    pid: process on `host`; 0 where it was cut short before it said so. since: in its own words.
    """

    pid: int = 0
    user: str = ""
    host: str = ""
    since: str = ""

    def dead(self, host: str, runs_pulumi: Callable[[int], bool]) -> bool:
        """Whether nobody holds it any more: its process is gone from this host, or it never said whose it is.

        host: this one. runs_pulumi: whether a process of this id is pulumi.
        """
        return not self.pid or (self.host == host and not runs_pulumi(self.pid))

    def __str__(self) -> str:
        if not self.pid:
            return "an unknown process"
        return f"process {self.pid} of {self.user} on {self.host}, since {self.since}"


def lock_of(content: bytes) -> Lock:
    """A lock from its file."""
    try:
        lock = json.loads(content)
        return Lock(int(lock["pid"]), str(lock["username"]), str(lock["hostname"]), str(lock["timestamp"]))
    except (ValueError, KeyError, TypeError):
        return Lock()


def lock_folder(project: str, stack: str) -> str:
    """Where a backend keeps the locks of a stack, below its root."""
    return f".pulumi/locks/organization/{project}/{stack}"
