"""Programs that run in place of pods: with the ports that they had, and anew when told otherwise."""

import urllib.error
import urllib.request
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING

from localcloud.control_plane.command import Command, Surroundings
from localcloud.control_plane.programs import API_SERVER

if TYPE_CHECKING:
    from localcloud.control_plane.plane import ControlPlane


def run(
    plane: "ControlPlane", key: str, serves: Iterable[str], command: Callable[[Surroundings], Command]
) -> None:
    """Run a program, or run it anew where its command is another than the one it runs with.

    key: tells it from the others of the plane.
    serves: what it serves, a port each.
    Raises Refusal when it does not start.
    """
    process = plane.process(key)
    # A running program holds its ports, so these are only looked at when it does not run.
    choose = plane.ports.keep if process.alive() else plane.ports.keep_or_move
    ports = {port: choose(port_of(key, port)) for port in serves}
    wanted = command(Surroundings(plane.kubeconfig, plane.ports[API_SERVER.name], ports))
    if not process.runs_as(wanted.argv, wanted.environment):
        process.stop()
    process.start(wanted.argv, wanted.environment, partial(_answers, wanted.healthy))


def port_of(key: str, port: str) -> str:
    """What a program's port is kept as."""
    return f"{key}/{port}"


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5):
            return True
    except (urllib.error.URLError, OSError):
        return False
