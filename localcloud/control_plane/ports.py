"""The ports of a control plane, chosen once and kept."""

import json
from dataclasses import dataclass
from pathlib import Path

from localcloud.files import locked, write_private
from localcloud.loopback import free_port, port_stays_taken


@dataclass(frozen=True)
class Ports:
    """Name of a server -> its port, in one file."""

    file: Path

    def __getitem__(self, name: str) -> int:
        return self._numbers()[name]

    def __contains__(self, name: str) -> bool:
        return name in self._numbers()

    def keep(self, name: str) -> int:
        """The server's port, at the first call a free one."""
        return self[name] if name in self else self._choose(name)

    def taken(self, name: str) -> bool:
        """Whether another program has taken the server's port."""
        return name in self and port_stays_taken(self[name])

    def keep_or_move(self, name: str) -> int:
        """The server's port, or a new one where another program took that."""
        return self._choose(name) if self.taken(name) else self.keep(name)

    def _choose(self, name: str) -> int:
        with locked(self.file.with_suffix(".lock")):
            ports = self._numbers()
            while (port := free_port()) in ports.values():
                pass
            write_private(self.file, json.dumps({**ports, name: port}, indent=2))
            return port

    def _numbers(self) -> dict[str, int]:
        return dict(json.loads(self.file.read_text())) if self.file.is_file() else {}
