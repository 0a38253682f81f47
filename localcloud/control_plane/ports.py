"""The ports of a control plane, chosen once and kept."""

import fcntl
import json
from collections.abc import Container
from dataclasses import dataclass
from pathlib import Path

from localcloud.processes import free_port, port_stays_taken


@dataclass(frozen=True)
class Ports:
    """Port by the name of what listens on it, in one file."""

    file: Path

    def __getitem__(self, name: str) -> int:
        return self._all()[name]

    def known(self, name: str) -> bool:
        """Whether a port was chosen for it."""
        return name in self._all()

    def keep(self, name: str) -> int:
        """The port that was chosen for it, at the first call a free one."""
        return self[name] if self.known(name) else self._choose(name)

    def moves(self, name: str) -> bool:
        """Whether somebody has taken the port that was chosen for it."""
        return self.known(name) and port_stays_taken(self[name])

    def keep_or_move(self, name: str) -> int:
        """The port that was chosen for it, or another one where somebody else took that."""
        return self._choose(name) if self.moves(name) else self.keep(name)

    def _choose(self, name: str) -> int:
        with self.file.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            ports = self._all()
            ports[name] = _other_than(set(ports.values()))
            unfinished = self.file.with_suffix(".new")
            unfinished.write_text(json.dumps(ports, indent=2))
            unfinished.replace(self.file)
            return ports[name]

    def _all(self) -> dict[str, int]:
        return dict(json.loads(self.file.read_text())) if self.file.is_file() else {}


def _other_than(chosen: Container[int]) -> int:
    while (port := free_port()) in chosen:
        pass
    return port
