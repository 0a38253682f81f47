"""Pulumi's own file of a stack, `stacks/Pulumi.<stack>.yaml`."""

from collections.abc import Iterable
from pathlib import Path

from stacks.settings import path_of


def missing_files(stacks: Iterable[str]) -> list[Path]:
    """Pulumi's files that these stacks lack."""
    files = [path_of(stack.partition(".")[0]).with_name(f"Pulumi.{stack}.yaml") for stack in stacks]
    return [path for path in files if not path.exists()]


def write_file(path: Path) -> None:
    """Write Pulumi's file of a stack: its environment, and its slice if it is one."""
    environment, _, name = path.name.removeprefix("Pulumi.").removesuffix(".yaml").partition(".")
    path.write_text(stack_file(environment, name))


def stack_file(environment: str, slice_name: str = "") -> str:
    """Text of Pulumi's file of a stack: its environment, and its slice if it is one."""
    slice_line = f"  moka:slice: {slice_name}\n" if slice_name else ""
    return f"config:\n  moka:environment: {environment}\n{slice_line}"
