"""The commands of `moka`, and those that documentation shows."""

import re
from collections.abc import Iterator
from pathlib import Path

import typer
from typer.core import TyperGroup

from commands.app import app
from localcloud.cloud import REPOSITORY

COMMANDS = typer.main.get_command(app)
"""The root; `commands` of it, and of its groups, has what is below."""


def leaf_commands() -> dict[str, object]:
    """Every subcommand that is no group, by its words: `celeborn drain`."""

    def below(group: TyperGroup, words: str) -> Iterator[tuple[str, object]]:
        for name, command in group.commands.items():
            if isinstance(command, TyperGroup):
                yield from below(command, f"{words}{name} ")
            else:
                yield f"{words}{name}", command

    return dict(below(COMMANDS, ""))


def pages() -> list[Path]:
    """What users read."""
    return [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]


def shown_commands(text: str, program: str) -> Iterator[list[str]]:
    """Arguments of each call of a program that a page shows: in indented lines, and between backticks."""
    lines = re.findall(r"^    (.+)$", text, re.MULTILINE)
    prose = re.sub(r"^    .*$|^```[^`]*```$", "", text, flags=re.MULTILINE)
    spans = (span.replace("\n", " ") for span in re.findall(r"`([^`]+)`", prose))
    for code in (*lines, *spans):
        for command in re.split(r"\||&&|\$\(|\)|  #", code):
            if match := re.match(rf"\s*(?:\S*/)?{re.escape(program)}(?: (.*)|$)", command):
                yield (match[1] or "").split()
