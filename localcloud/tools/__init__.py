"""The programs that the laptop cloud runs: found on PATH in a suitable version, or made here once.

`path("etcd")` is a program; `path("spark")` is a folder, Spark's home; `files("kwok")` is the folder of
what comes along with a program. `MOKA_TOOL_<NAME>` names another to use. Uses Python's own library
only, as it runs before anything is installed.
"""

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from localcloud.cloud import CHECKOUT
from localcloud.errors import Refusal
from localcloud.tools import cache, system_programs
from localcloud.tools.table import TOOLS, Tool

__all__ = ["build", "files", "link_into", "missing", "path"]


def _print(line: str) -> None:
    print(line, flush=True)


def path(name: str) -> Path:
    """The program, or the folder of files, of this name. Raises Refusal when it is missing."""
    tool = next((tool for tool in TOOLS.values() if name in tool.programs), None) or _tool(name)
    program = _programs(tool).get(name) if tool.programs else _override(tool) or cache.folder(tool)
    if program is None or not program.exists():
        command = f"python -m localcloud.tools {tool.name}" if CHECKOUT else "laptop-cloud setup"
        raise Refusal(f"{name} is missing: run `{command}`.")
    return program


def files(name: str) -> Path:
    """The folder of what comes along with a program: `stages` of kwok, `crds` of spark-operator."""
    return path(f"{name}-files")


def missing(names: Iterable[str] = ()) -> list[Tool]:
    """The tools among these, by default among all that a cloud needs, that would have to be made."""
    tools = [_tool(name) for name in names] or _needed_tools()
    return [
        tool
        for tool in tools
        if not _override(tool) and not cache.folder(tool).exists() and not system_programs.suitable(tool)
    ]


def build(names: Iterable[str] = (), say: Callable[[str], None] = _print) -> None:
    """Make the missing ones of these tools, by default of all that a cloud needs. Raises Refusal."""
    names = list(names)
    if tools := missing(names):
        # Imported here, as a call that has nothing to do is to be quick.
        from localcloud.tools import builder

        builder.make(tools, say)
    count = len(names or _needed_tools())
    say(f"Tools: {count} of {count} are ready.")


def _needed_tools() -> list[Tool]:
    return [tool for tool in TOOLS.values() if not tool.lazy]


def link_into(folder: Path) -> None:
    """Fill a folder, to be put on PATH, with links to the programs, and nothing else."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / system_programs.MARK).touch()
    programs = {name: program for tool in _needed_tools() for name, program in _programs(tool).items()}
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


def _programs(tool: Tool) -> dict[str, Path]:
    """The programs of a tool: all from one place, so that they fit each other."""
    if tool.programs and (override := _override(tool)):
        programs = {name: override.with_name(name) for name in tool.programs}
        existing = {name: program for name, program in programs.items() if program.exists()}
        return existing | {tool.name: override}
    if system_programs.suitable(tool):
        # Another version than ours may lack some of them.
        return {name: program for name in tool.programs if (program := system_programs.on_path(name))}
    return {name: cache.folder(tool) / name for name in tool.programs}


def _tool(name: str) -> Tool:
    if name not in TOOLS:
        raise Refusal(f"There is no tool {name}: the tools are {', '.join(TOOLS)}.")
    return TOOLS[name]


def _override(tool: Tool) -> Path | None:
    variable = f"MOKA_TOOL_{tool.name.upper().replace('-', '_')}"
    if not (place := os.environ.get(variable)):
        return None
    if not Path(place).exists():
        raise Refusal(f"{variable} is {place}, which does not exist: correct it, or unset it.")
    return Path(place).absolute()
