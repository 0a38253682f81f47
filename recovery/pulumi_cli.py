"""What `moka recover` asks of pulumi's command line, and does by it."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from moka import pulumi_cli
from moka.pulumi_cli import PulumiFailed, State, meant
from recovery.state import NEWER_PULUMI

COMMAND = ("pulumi", "{verb}", "--stack", "{stack}")

EARLIER = "bring back an earlier version, as docs/operations/recovery.md says; nothing was changed"

NEWER = ("unsupported checkpoint version", "needs support for the following features", "is newer than what")
"""What pulumi says of a state that a newer one wrote (pkg/resource/stack/checkpoint.go, deployment.go)."""


class Stopped(Exception):
    """Why nothing more is done: one sentence."""


def pulumi(*arguments: str, text: str | None = None) -> str:
    """What pulumi prints. Raises Stopped with its first line when it fails."""
    try:
        return pulumi_cli.pulumi(*arguments, text=text)
    except PulumiFailed as failure:
        raise Stopped(failure.in_short()) from None


def existing_stacks() -> dict[str, dict[str, Any]]:
    """Name -> stack of the project, as `pulumi stack ls` shows it. Raises Stopped."""
    try:
        return pulumi_cli.stacks()
    except PulumiFailed as failure:
        raise _unreadable("The states of the backend", failure) from None


def stacks_of(name: str) -> list[dict[str, Any]]:
    """The stacks that a name means, as `pulumi stack ls` shows them. Raises Stopped where there is none."""
    by_name = existing_stacks()
    if not (stacks := meant(name, by_name)):
        listing = f"it has {', '.join(sorted(by_name))}" if by_name else "it has none"
        raise Stopped(f"There is no stack {name} in {backend_url()}; {listing}: correct the name.")
    return [by_name[stack] for stack in stacks]


def export(stack: str) -> State:
    """The state of a stack, its secrets encrypted. Raises Stopped."""
    try:
        return pulumi_cli.export(stack)
    except PulumiFailed as failure:
        raise _unreadable(f"The state of {stack}", failure) from None


def _unreadable(subject: str, failure: PulumiFailed) -> Stopped:
    """Why pulumi reads no state, with the way out: of one that is newer than pulumi, nothing is lost."""
    way_out = NEWER_PULUMI if any(words in failure.output for words in NEWER) else EARLIER
    return Stopped(f"{subject} cannot be read ({failure.in_short()}): {way_out}.")


def run(command: Sequence[str], verb: str, stack: str, urns: Sequence[str]) -> int:
    """Run pulumi's verb on some resources for a person to watch; its exit status."""
    words = [word.replace("{verb}", verb).replace("{stack}", stack) for word in command]
    targets = [part for urn in urns for part in ("--target", urn)]
    # What people read goes beside what scripts read.
    arguments = [*words, "--yes", "--skip-preview", "--non-interactive", *targets]
    return subprocess.run(arguments, stdout=sys.stderr).returncode


def preview(command: Sequence[str], stack: str) -> dict[str, Any]:
    """What `pulumi preview --json` prints of a stack. Raises Stopped when it fails."""
    words = [word.replace("{verb}", "preview").replace("{stack}", stack) for word in command]
    done = subprocess.run([*words, "--json", "--non-interactive"], capture_output=True, text=True)
    try:
        answer: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        lines = (done.stderr or done.stdout).strip().splitlines()
        raise Stopped(
            f"What an `up` of {stack} would create cannot be told, as its preview fails: "
            f"{lines[-1] if lines else 'without output'}"
        ) from None
    return answer


def backend_url() -> str:
    """Where the states are."""
    return str(json.loads(pulumi("whoami", "--json", "-v"))["url"])


def project() -> str:
    """The name of the Pulumi project of this folder. Raises Stopped where there is none."""
    import yaml

    try:
        return str(yaml.safe_load(Path("Pulumi.yaml").read_text())["name"])
    except (OSError, KeyError, TypeError, yaml.YAMLError):
        raise Stopped("There is no Pulumi project here: run this in the folder of Pulumi.yaml.") from None
