"""How a program that runs in place of a chart's pods is started."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Surroundings:
    """What a program finds around it.

    api_server: port of the API server on 127.0.0.1.
    ports: its own ports, by what it serves there.
    """

    kubeconfig: Path
    api_server: int
    ports: Mapping[str, int]


@dataclass(frozen=True)
class Command:
    """A command line and its environment.

    healthy: URL that answers once the program is ready.
    """

    argv: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    healthy: str = ""
