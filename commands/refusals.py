"""How a command refuses: a sentence on stderr, and exit status 2."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import typer

STATUS = 2
"""Exit status: wrong settings or arguments, or something that cannot be reached."""


def refuse(sentence: object) -> NoReturn:
    """End the command with what is wrong."""
    typer.echo(sentence, err=True)
    raise typer.Exit(STATUS)


@contextmanager
def exit_on(*errors: type[Exception]) -> Iterator[None]:
    """End the command where one of these is raised, with what it says."""
    try:
        yield
    except errors as error:
        refuse(error)


@contextmanager
def writing(place: Path | None = None) -> Iterator[None]:
    """End the command where a file cannot be written.

    place: the file; by default the one that the error names.
    """
    try:
        yield
    except OSError as error:
        refuse(f"{place or error.filename} cannot be written ({error.strerror}): name another file.")


def write_folder(folder: Path, files: Mapping[str, str]) -> None:
    """Write files into a folder, name -> text; end the command where that cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (folder / name).write_text(text)
    except OSError as error:
        refuse(f"Cannot write to {folder}: {error.strerror}. Name a folder of yours with --to.")
