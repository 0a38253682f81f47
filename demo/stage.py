"""The laptop on which a demonstration is, and commands there, each shown before it runs."""

import json
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from moka.project import CODE
from moka.queues.rendering import YUNIKORN_NAMES

BIN = Path(".local/venv/bin")
"""Of the checkout."""

PATIENCE = 300
"""Seconds until the scheduler has to have what was applied: the next time that the keeper looks is well
before."""

TIMEOUT_SECONDS = 20


class NotShown(Exception):
    """Why a demonstration cannot go on, as a sentence that says what to do."""


@dataclass(frozen=True)
class Stage:
    """The laptop.

    variables: of a shell that is set up for it. folder: where files of the demonstration go.
    """

    variables: Mapping[str, str]
    folder: Path
    _began: float = field(default_factory=time.monotonic)

    def say(self, text: str) -> None:
        """Print a line, at once."""
        print(f"  {text}", flush=True)

    def step(self, title: str) -> None:
        """Begin a step."""
        print(f"\n{title}  [{time.monotonic() - self._began:.0f} s]", flush=True)

    def run(self, program: str, *arguments: str | Path) -> None:
        """Show a command, and run it. Raises NotShown where it ends badly."""
        command = [str(BIN / program), *map(str, arguments)]
        print(f"\n  $ {_as_typed(command)}", flush=True)
        status = subprocess.run(command, cwd=CODE, env=self.variables, check=False).returncode
        if status:
            raise NotShown(f"`{_as_typed(command)}` ended with {status}, and the demo with it; it said why.")

    def wait(self, what: str, program: str, *arguments: str) -> None:
        """Run a command each second until it ends well, and then show it. Raises NotShown."""
        command = [str(BIN / program), *arguments]
        began = time.monotonic()
        while True:
            answer = subprocess.run(
                command, cwd=CODE, env=self.variables, capture_output=True, text=True, check=False
            )
            if answer.returncode == 0:
                break
            if answer.returncode != 1 or time.monotonic() - began > PATIENCE:
                raise NotShown(
                    f"{what}, says `{_as_typed(command)}`:\n{answer.stdout}{answer.stderr}".rstrip()
                )
            time.sleep(1)
        print(f"\n  $ {_as_typed(command)}\n{answer.stdout}", end="", flush=True)
        self.say(f"... after {time.monotonic() - began:.0f} s.")

    def schedulers(self) -> dict[str, str]:
        """URL of the scheduler of each cluster, by its name in EKS."""
        return dict(pair.split("=", 1) for pair in self.variables.get("MOKA_SCHEDULERS", "").split())


def stage(environ: Mapping[str, str], folder: Path) -> Stage:
    """The laptop that variables name. Raises NotShown where they name none, or it is not up."""
    endpoint = environ.get("AWS_ENDPOINT_URL", "")
    if not _is_local(endpoint):
        raise NotShown(
            "The demo makes up a history and has a plan in force, so it runs on the laptop only: use "
            "`make demo`, or a shell after `. .local/env`."
        )
    if not _is_local(environ.get("ARCHER_URL", "")) or not environ.get("MOKA_SCHEDULERS"):
        raise NotShown("`local` is not up on the laptop: run `make up`, then this again.")
    folder.mkdir(parents=True, exist_ok=True)
    return Stage(variables=environ, folder=folder)


def guarantees(url: str, get: Callable[[str], bytes] | None = None) -> dict[str, str]:
    """What a scheduler guarantees each leaf queue now, by its path. Raises NotShown."""
    answer = json.loads((get or _get)(f"{url}/ws/v1/partition/default/queues"))
    return {
        queue["queuename"]: _guarantee(queue)
        for queue in _leaves(answer)
        if queue["queuename"].count(".") > 1
    }


def _guarantee(queue: Mapping[str, Any]) -> str:
    guaranteed = queue.get("guaranteedResource") or {}
    cores, gib = (
        guaranteed.get(YUNIKORN_NAMES[name], 0) / unit for name, unit in (("cpu", 1000), ("memory", 2**30))
    )
    amounts = f"{cores:.3g} cores and {gib:.3g} GiB" if cores or gib else "nothing"
    return f"{amounts}, {queue.get('maxRunningApps') or 'any number of'} jobs at a time"


def _leaves(queue: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    children = queue.get("children") or ()
    if not children:
        yield queue
    for child in children:
        yield from _leaves(child)


def _get(url: str) -> bytes:
    try:
        with urllib.request.urlopen(url, timeout=TIMEOUT_SECONDS) as response:
            body: bytes = response.read()
            return body
    except OSError as error:
        raise NotShown(f"The scheduler at {url} does not answer ({error}): see `make status`.") from None


def _is_local(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    return host in ("127.0.0.1", "::1", "localhost") or host.endswith(".localhost")


def _as_typed(command: list[str]) -> str:
    return " ".join(f'"{part}"' if " " in part else part for part in command)
