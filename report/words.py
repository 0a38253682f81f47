"""How a report writes: names of resources, lists, numbers. All that a preview says goes through here."""

import html
from collections.abc import Iterable, Sequence

from previews import Step

LONGEST = 400
"""Characters of what a preview says, at most: a name or a message is not what fills a report."""


def plain(text: object) -> str:
    """Text of a preview, such that Markdown shows it as it is, in one line, and nobody is called by it."""
    words = _text(text)
    escaped = html.escape(words, quote=False)
    for character in "\\`*_[]|~":
        escaped = escaped.replace(character, f"\\{character}")
    return escaped.replace("@", "&#64;").replace("#", "&#35;") if _calls(words) else escaped


def _calls(words: str) -> bool:
    """Whether GitHub would make links of it: `@somebody`, `#12`."""
    return "@" in words or "#" in words


def code(text: object) -> str:
    """Text of a preview as code, in one line."""
    words = _text(text).replace("`", "'").replace("|", "\\|")
    return f"`{words}`"


def _text(text: object) -> str:
    """Text in one line, of a length that a reader bears, with nothing in it that cannot be printed."""
    words = " ".join(str(text).split())
    words = words if len(words) <= LONGEST else f"{words[: LONGEST - 1]}…"
    if words.isprintable():
        return words
    return "".join(character if character.isprintable() else "\ufffd" for character in words)


def short_type(type_: str) -> str:
    """The last word of a type: `Bucket` of `aws:s3/bucket:Bucket`."""
    return type_.rpartition(":")[2]


def resource(step: Step) -> str:
    """A resource as an engineer knows it: its kind and its logical name."""
    return f"{short_type(step.type)} {code(step.name)}"


def listing(parts: Iterable[str], most: int = 6) -> str:
    """Some things in a sentence; of many, the first ones and how many more there are."""
    every = list(parts)
    if len(every) > most:
        return f"{', '.join(every[:most])} and {len(every) - most} more"
    return f"{', '.join(every[:-1])} and {every[-1]}" if len(every) > 1 else "".join(every)


def count(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun: `1 node`, `3 nodes`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def change(before: object, after: object) -> str:
    """What became of a value."""
    return f"{plain(before)} → {plain(after)}" if str(before) != str(after) else plain(after)


def table_width(rows: Sequence[Sequence[str]]) -> list[int]:
    """The widest cell of each column."""
    return [max(map(len, column)) for column in zip(*rows, strict=True)]
