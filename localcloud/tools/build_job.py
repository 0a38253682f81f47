"""How each kind of tool is made: a Go program, files of a Go module, files of a Python package."""

import shutil
import sys
import tarfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import IO

from localcloud.errors import Refusal
from localcloud.tools import cache
from localcloud.tools.commands import Commands
from localcloud.tools.table import GoFiles, GoProgram, Patch, PythonFiles, Tool


@dataclass(frozen=True)
class BuildJob:
    """Makes one tool in a folder of its own.

    parallel: packages that Go compiles at once.
    """

    tool: Tool
    work: Path
    log: Path
    commands: Commands
    parallel: int

    def run(self) -> Path:
        """Make the tool; the folder that then holds all of it."""
        target = self.work / "made"
        target.mkdir()
        for part in self.tool.parts:
            match part:
                case GoProgram():
                    self._build(part, target)
                case GoFiles():
                    self._copy(part, target)
                case PythonFiles():
                    self._unpack(part, target)
        for name in self.tool.programs:
            (target / name).chmod(0o755)
        return target

    def _build(self, program: GoProgram, target: Path) -> None:
        pins = cache.PINS / program.pins
        if program.patch:
            patches = (program.patch,) if isinstance(program.patch, Patch) else program.patch
            pins = self._patch(patches, pins)
        tags = ("-tags", ",".join(program.tags)) if program.tags else ()
        # fmt: off
        self._go(
            pins, "build", "-mod=readonly", "-trimpath", "-p", str(self.parallel), *tags,
            "-ldflags", link_flags(program, cache.version(program)),
            "-o", target / program.name, program.package,
        )
        # fmt: on

    def _copy(self, files: GoFiles, target: Path) -> None:
        source = self._module(files.source, cache.PINS / files.pins)
        for pattern, folder in files.copies:
            for file in sorted(source.glob(pattern)):
                _write(file, target / folder / file.name)
        check_copies(files, target)

    def _unpack(self, files: PythonFiles, target: Path) -> None:
        # Python's own `venv` and `pip`, as not every Python that starts this has a pip.
        venv, downloads = self.work / "venv", self.work / "downloads"
        [requirements] = cache.pins(files)
        self._run(sys.executable, "-m", "venv", venv)
        # fmt: off
        self._run(
            venv / "bin" / "python", "-m", "pip", "download", "--progress-bar=off", "--no-deps",
            "--no-binary", files.source, "--require-hashes", "-r", requirements, "-d", downloads,
        )
        # fmt: on
        [archive] = downloads.iterdir()
        with tarfile.open(archive, "r|*") as members:
            for member in filter(tarfile.TarInfo.isfile, members):
                self.commands.check()
                for path in targets(files.copies, member.name.partition("/")[2]):
                    content = members.extractfile(member)
                    assert content is not None, "only directories and devices have none"
                    _save(content, target / path, member.mode & 0o755)
        check_copies(files, target)

    def _patch(self, patches: Sequence[Patch], pins: Path) -> Path:
        """A copy of the pins that builds a copy of a module with changes in it."""
        [name] = {patch.module for patch in patches}
        source = self._module(name, pins)
        patched_pins, module = self.work / "pins", self.work / "module"
        for file in pins.iterdir():
            _write(file, patched_pins / file.name)
        for file in source.rglob("*"):
            if file.is_file():
                _write(file, module / file.relative_to(source))
        for patch in patches:
            file = module / patch.file
            file.write_text(apply_patch(patch, file.read_text()))
        self._go(patched_pins, "mod", "edit", "-replace", f"{name}={module}")
        return patched_pins

    def _module(self, source: str, pins: Path) -> Path:
        """Where Go keeps the files of a module."""
        self._go(pins, "mod", "download", source)
        self._go(pins, "list", "-mod=readonly", "-m", "-f", "{{.Dir}}", source)
        return Path(self.log.read_text().splitlines()[-1])

    def _go(self, pins: Path, *arguments: str | Path) -> None:
        self._run("go", *arguments, folder=pins)

    def _run(self, *command: str | Path, folder: Path | None = None) -> None:
        self.commands.run(*command, log=self.log, folder=folder or self.work)


def link_flags(program: GoProgram, version: str) -> str:
    """The linker's flags: leave out what only debuggers read, and set the program's variables."""
    major, minor, *_ = version.removeprefix("v").split(".")
    variables = (
        f"-X {name}={value.format(version=version, major=major, minor=minor)}"
        for name, value in program.variables.items()
    )
    return " ".join(("-s", "-w", *variables))


def apply_patch(patch: Patch, text: str) -> str:
    """A file's text with the changes in it. Raises Refusal unless every old text is there exactly once."""
    for old, new in patch.changes:
        if (count := text.count(old)) != 1:
            raise Refusal(
                f"{patch.file} of {patch.module} has {old.strip()} {count} times where the patch expects "
                "it once: adapt the patch in localcloud/tools/table.py to that version."
            )
        text = text.replace(old, new)
    return text


def targets(copies: Sequence[tuple[str, str]], file: str) -> Iterator[Path]:
    """Where in the tool's folder a file of an archive goes, if anywhere."""
    for pattern, folder in copies:
        if fnmatch(file, pattern) and file.count("/") == pattern.count("/"):
            yield Path(folder, file.rpartition("/")[2])


def check_copies(files: GoFiles | PythonFiles, target: Path) -> None:
    """Raises Refusal when a pattern has no file."""
    for pattern, folder in files.copies:
        if not any((target / folder).glob(pattern.rpartition("/")[2])):
            raise Refusal(
                f"{files.source} has no {pattern} in the pinned version: adapt localcloud/tools/table.py."
            )


def _write(file: Path, target: Path) -> None:
    # Without the modes: Go keeps its modules read-only.
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(file, target)


def _save(content: IO[bytes], target: Path, mode: int) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("wb") as file:
        shutil.copyfileobj(content, file)
    target.chmod(mode)
