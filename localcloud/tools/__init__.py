"""The programs that the laptop cloud runs: found on PATH in a version that serves, or made here once.

`path("etcd")` is a program; `path("spark")` is a folder, Spark's home; `files("kwok")` is the folder of
what comes along with a program. `MOKA_TOOL_<NAME>` names another to use. Stands on Python's own library
alone, as it runs before anything is installed.
"""

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from localcloud.errors import Refusal
from localcloud.tools import cache, installed
from localcloud.tools.table import TOOLS, Tool

__all__ = ["build", "files", "link_into", "missing", "path"]


def _print(line: str) -> None:
    print(line, flush=True)


def path(name: str) -> Path:
    """The program, or the folder of files, of this name. Raises Refusal when it is not there."""
    tool = _tool(name)
    if chosen := _chosen(tool):
        if not chosen.exists():
            raise Refusal(f"{_variable(tool)} says {chosen}, and nothing is there: correct it, or unset it.")
        return chosen
    if installed.comes_from_path(tool):
        if found := installed.serving(tool):
            return found
        raise Refusal(f"The {tool.beside} on PATH has no {name} with it: install one that is complete.")
    if not (made := cache.path(tool)).exists():
        raise Refusal(
            f"{name} {cache.version(tool)} is not there yet: run `python -m localcloud.tools {name}`."
        )
    return made


def files(name: str) -> Path:
    """The folder of what comes along with a program: `stages` of kwok, `crds` of spark-operator."""
    return path(f"{name}-files")


def missing(names: Iterable[str] = ()) -> list[Tool]:
    """Which of these tools, by default of all, would have to be made."""
    tools = [_tool(name) for name in names] or list(TOOLS.values())
    absent = [tool for tool in tools if not _chosen(tool) and not cache.path(tool).exists()]
    return [tool for tool in absent if not installed.comes_from_path(tool)]


def build(names: Iterable[str] = (), say: Callable[[str], None] = _print) -> None:
    """Make those of these tools, by default of all, that are not there. Raises Refusal."""
    names = list(names)
    if absent := missing(names):
        # Only now, as a call that has nothing to do is to be quick.
        from localcloud.tools import builder

        builder.make(absent, say)
    count = len(names or TOOLS)
    say(f"Tools: {count} of {count} are there.")


def link_into(folder: Path) -> None:
    """Fill a folder, to be put on PATH, with links to the programs; the folder holds nothing else."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / installed.MARK).touch()
    programs = {tool.name: path(tool.name) for tool in TOOLS.values() if tool.program and not _left_out(tool)}
    for link in folder.iterdir():
        if link.is_symlink() and link.name not in programs:
            link.unlink()
    for name, program in programs.items():
        link = folder / name
        if link.is_symlink() and link.readlink() == program:
            continue
        fresh = folder / f".{name}.{os.getpid()}"
        fresh.symlink_to(program)
        fresh.replace(link)


def _left_out(tool: Tool) -> bool:
    """Whether it is a part that the installed program which it belongs to has no use for."""
    return not _chosen(tool) and installed.comes_from_path(tool) and installed.serving(tool) is None


def _tool(name: str) -> Tool:
    if name not in TOOLS:
        raise Refusal(f"There is no tool {name}: the tools are {', '.join(TOOLS)}.")
    return TOOLS[name]


def _variable(tool: Tool) -> str:
    return f"MOKA_TOOL_{tool.name.upper().replace('-', '_')}"


def _chosen(tool: Tool) -> Path | None:
    named = os.environ.get(_variable(tool))
    return Path(named).absolute() if named else None
