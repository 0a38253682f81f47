"""Which stacks a change touches: those whose previews read a file that differs."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from delivery import git
from stacks.settings import InvalidDocument, path_of
from stacks.waves import stack_names

RECORDING = Path(__file__).with_name("recording.py")
RECORDING_SECONDS = 300
"""A recording takes 3 s; one that does not end counts as failed."""

Files = Mapping[str, git.Difference]
"""What differs: path -> how."""

INHERITED = ("PATH", "HOME", "LANG", "TMPDIR")
"""Variables that a recording gets: the rest must not decide what a preview reads."""


class RecordingFailed(Exception):
    """The program of a stack cannot be run, and so not be said to read only some files; the last line says
    why."""


@dataclass(frozen=True)
class AffectedStack:
    """A stack whose preview differs, or may differ.

    why: files that differ and that its preview reads, in order, or a sentence.
    """

    stack: str
    why: tuple[str, ...]

    @property
    def environment(self) -> str:
        """The stack's environment."""
        return self.stack.partition(".")[0]


def stacks_of(environment: str) -> list[str]:
    """The stacks of an environment in rollout order; those that have a file, while its settings are wrong."""
    try:
        return stack_names(environment)
    except InvalidDocument:
        files = path_of(environment).parent.glob("Pulumi.*.yaml")
        names = sorted(path.name.removeprefix("Pulumi.").removesuffix(".yaml") for path in files)
        return [name for name in names if name.partition(".")[0] == environment]


def affected_stacks(repository: Path, stacks: Iterable[str], base: str) -> list[AffectedStack]:
    """Those of the stacks whose previews read what differs from `base` in the working tree, in their order.

    base: a branch or commit; the change begins where it and HEAD parted. Zeros are nothing, as GitHub has for
    what was there before the first push.
    Raises git.GitError.
    """
    if set(base) == {"0"}:
        return [AffectedStack(stack, ("Nothing was there before.",)) for stack in stacks]
    commit = git.fork_point(repository, base)
    files = git.changed_files(repository, commit)
    stacks = list(stacks)
    if not files:
        return []
    # A program that runs differently has read a file that differs, so what it reads now says it. But not of a
    # file that is gone, where the program only asks whether it is there.
    removed = "removed" in files.values()
    tree_before = git.tree_at(repository, commit) if removed else nullcontext()
    with tree_before as before, ThreadPoolExecutor(os.cpu_count()) as pool:
        answers = pool.map(partial(_reasons, repository, before, files), stacks)
        return [
            AffectedStack(stack, reasons) for stack, reasons in zip(stacks, answers, strict=True) if reasons
        ]


def _reasons(after: Path, before: Path | None, files: Files, stack: str) -> tuple[str, ...]:
    """Why a stack is touched; empty when it is not. before: None where what it reads now is enough."""
    try:
        read = reads_among(recorded_reads(after, stack), files)
        return read or (reads_among(recorded_reads(before, stack), files) if before else ())
    except RecordingFailed as failure:
        return (f"Its program fails, so all may concern it: {failure}",)


def reads_among(reads: Iterable[str], files: Files) -> tuple[str, ...]:
    """The files that are read, in order.

    reads: paths; one that ends with `/` is a folder that is listed, which a file more or less changes.
    """
    reads = frozenset(reads)
    return tuple(
        path
        for path, difference in sorted(files.items())
        if path in reads or (difference != "changed" and f"{Path(path).parent.as_posix()}/" in reads)
    )


def recorded_reads(tree: Path, stack: str) -> frozenset[str]:
    """What the preview of a stack of a tree reads: paths within the tree. Raises RecordingFailed."""
    environment = {name: os.environ[name] for name in INHERITED if name in os.environ}
    try:
        completed = subprocess.run(
            [sys.executable, "-P", str(RECORDING), stack],
            cwd=tree,
            env={**environment, "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            timeout=RECORDING_SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise RecordingFailed(f"it does not end within {RECORDING_SECONDS} s.") from None
    if completed.returncode:
        lines = completed.stderr.strip().splitlines()
        raise RecordingFailed(lines[-1] if lines else f"exit status {completed.returncode}.")
    return frozenset(json.loads(completed.stdout))
