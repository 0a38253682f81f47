"""The API reference of `moka`, from its docstrings: `python packages/reference.py FOLDER`."""

import builtins
import inspect
import re
import sys
import typing
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pulumi

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))

# `pulumi.Input[T]` is a union with "Output[T]" in quotes, which no module of ours can resolve.
builtins.Output = pulumi.Output  # type: ignore[attr-defined]
builtins.T = typing.TypeVar("T")  # type: ignore[attr-defined]
INPUT = re.compile(
    r"(?:typing\.)?(?:Union|Optional)\[(.+?), (?:[a-z.]+\.)?Awaitable\[\1\], "
    r"(?:ForwardRef\('|pulumi\.output\.)?Output\[~?T\](?:'\))?(, NoneType)?\]"
)

import pdoc.doc  # noqa: E402
import pdoc.docstrings  # noqa: E402

PACKAGE = "moka"


class Undocumented(Exception):
    """What the reference would say nothing of; a line each."""


def build(folder: Path) -> None:
    """Write the pages. Raises Undocumented, and whatever pdoc warns of as UserWarning."""
    for module in (inspect, pdoc.doc):
        module.formatannotation = _with_inputs(module.formatannotation)  # type: ignore[attr-defined]
    pdoc.docstrings.convert = _with_lists(pdoc.docstrings.convert)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        silent = sorted(_undocumented(pdoc.doc.Module.from_name(PACKAGE)))
        if silent:
            raise Undocumented("\n".join(f"{name} has no docstring: say what it is." for name in silent))
        pdoc.pdoc(PACKAGE, output_directory=folder)


def _with_inputs(formatted: Callable[..., str]) -> Callable[..., str]:
    """The same, with unions that are an Input by that name."""

    def named(match: re.Match[str]) -> str:
        return f"pulumi.Input[{match[1]}]{' | None' if match[2] else ''}"

    return lambda *arguments, **options: INPUT.sub(named, formatted(*arguments, **options))


def _with_lists(convert: Callable[..., str]) -> Callable[..., str]:
    """The same, with a list of the arguments, and paragraphs for what is made, given and raised."""

    def converted(docstring: str, *arguments: Any) -> str:
        text = re.sub(r"^([a-z]\w*(?:, [a-z]\w*)*): ", r"- **\1**: ", docstring, flags=re.MULTILINE)
        text = re.sub(r"^(?=(?:Makes|Outputs|Raises|Sources?)\b)", "\n", text, flags=re.MULTILINE)
        return convert(text, *arguments)

    return converted


def _undocumented(doc: Any) -> Iterator[str]:
    for member in doc.own_members:
        if not member.is_inherited and _is_public(member.name) and not isinstance(member, pdoc.doc.Variable):
            if not member.docstring and member.name != "__init__":
                yield member.fullname
            if isinstance(member, pdoc.doc.Namespace):
                yield from _undocumented(member)


def _is_public(name: str) -> bool:
    return not name.startswith("_")


if __name__ == "__main__":
    to = Path(sys.argv[1])
    try:
        build(to)
    except (Undocumented, UserWarning) as error:
        sys.exit(str(error))
    print(f"{to / 'index.html'} is the first page.")
