"""The process of a stand-in: on the ports that it had, and started anew when its command changes."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from localcloud.control_plane.plane import ControlPlane
from localcloud.control_plane.programs import API_SERVER
from localcloud.processes import answers


@dataclass(frozen=True)
class Surroundings:
    """What a program finds around it.

    api_server: port of the API server on 127.0.0.1.
    ports: its own ports, by what it serves there.
    files: folder below which is what its pods mount, of ConfigMaps.
    account: folder with what a pod finds of its service account; None where it runs as administrator.
    pods: variables by which it reaches other pods.
    """

    kubeconfig: Path
    api_server: int
    ports: Mapping[str, int]
    files: Path = Path("/")
    account: Path | None = None
    pods: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Command:
    """A command line and its environment.

    health_url: answers once the program is ready.
    """

    argv: tuple[str, ...]
    environment: Mapping[str, str]
    health_url: str


def run(
    plane: ControlPlane,
    key: str,
    servers: Iterable[str],
    command: Callable[[Surroundings], Command],
    *,
    account: Path | None = None,
    pods: Mapping[str, str] | None = None,
) -> None:
    """Run a program, or run it anew where its command is another than the one it runs with.

    key: its name among the plane's programs.
    servers: what it serves, a port each. account, pods: of its surroundings.
    Raises Refusal when it does not start.
    """
    process = plane.process(key)
    # A running program holds its ports, so these are only looked at when it does not run.
    choose = plane.ports.keep if process.alive() else plane.ports.keep_or_move
    ports = {server: choose(port_name(key, server)) for server in servers}
    api_server = plane.ports[API_SERVER.name]
    around = Surroundings(plane.kubeconfig, api_server, ports, files(plane, key), account, pods or {})
    program = command(around)
    # A pod has no kubeconfig, and the caller's is not meant.
    environment = {"KUBECONFIG": "", **program.environment}
    if not process.runs_as(program.argv, environment):
        process.stop()
    process.start(program.argv, environment, partial(answers, program.health_url))


def files(plane: ControlPlane, key: str) -> Path:
    """Folder below which is what a program's pods mount."""
    return plane.folder / "files" / key


def url(plane: ControlPlane, key: str, server: str) -> str | None:
    """Where a program serves something; None while it does not run."""
    return f"http://127.0.0.1:{plane.ports[port_name(key, server)]}" if plane.process(key).alive() else None


def port_name(key: str, server: str) -> str:
    """What a program's port is kept as."""
    return f"{key}/{server}"
