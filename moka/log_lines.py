"""Lines of logs as their objects have them: read, put in order, and joined where containerd cut them.

An object holds a JSON document a line. `log` has lines as containerd writes them, several of a trace;
`log_base64` where they are no UTF-8. A line is `<time> <stream> <F, or P where it goes on> <text>`.
"""

import base64
import heapq
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import NamedTuple

from moka.log_keys import LogObject

CLOSE = timedelta(seconds=30)
"""Objects of a container that began within this time may not be in the order of their lines: after a restart,
what Fluent Bit left behind and what it reads anew."""

CONTAINERD_LINE = re.compile(rb"(\S+) (stdout|stderr) ([PF])(?:$| )(.*)", re.DOTALL)


class Piece(NamedTuple):
    """A line as containerd wrote it, or a part of one.

    time: RFC 3339 with nanoseconds, of UTC; such text is in the order of time. partial: it goes on.
    """

    time: str
    stream: str
    partial: bool
    text: bytes


class Line(NamedTuple):
    """A line as the container wrote it, without its end. time: of its first part."""

    time: str
    stream: str
    text: bytes


class UnreadableLogs(ValueError):
    """An object that Fluent Bit did not write; the message is a clause."""


def pieces(content: bytes) -> Iterator[Piece]:
    """What an object holds, not compressed any more. Raises UnreadableLogs."""
    for number, document in enumerate(content.split(b"\n"), start=1):
        if document.strip():
            yield from _pieces_of(_log(document, number))


def _log(document: bytes, number: int) -> bytes:
    try:
        record = json.loads(document)
        if "log_base64" in record:
            return base64.b64decode(record["log_base64"], validate=True)
        return str(record["log"]).encode()
    except (ValueError, KeyError, TypeError):
        raise UnreadableLogs(f"line {number} is no record of Fluent Bit's with `log`") from None


def _pieces_of(log: bytes) -> Iterator[Piece]:
    last = Piece("", "stdout", False, b"")
    for line in log.removesuffix(b"\n").split(b"\n"):
        if match := CONTAINERD_LINE.fullmatch(line):
            last = Piece(match[1].decode(), match[2].decode(), match[3] == b"P", match[4])
        else:
            # Whatever it is, it came after the one before.
            last = last._replace(partial=False, text=line)
        yield last


def in_order(unordered: Iterable[Piece]) -> list[Piece]:
    """Pieces by time, each once: after Fluent Bit was killed it sends some again."""
    return list(dict.fromkeys(sorted(unordered, key=lambda piece: piece.time)))


class Joiner:
    """Joins the pieces of one container's lines, which may come in several parts.

    longest: bytes of a line, after which what goes on is a line of its own; None for no end.
    """

    def __init__(self, longest: int | None = None) -> None:
        self._open: dict[str, list[Piece]] = {}
        self._longest = longest

    def join(self, ordered: Iterable[Piece]) -> Iterator[Line]:
        """The lines that are complete."""
        for piece in ordered:
            parts = self._open.setdefault(piece.stream, [])
            parts.append(piece)
            if not piece.partial or self._too_long(parts):
                yield _line(self._open.pop(piece.stream))

    def _too_long(self, parts: Sequence[Piece]) -> bool:
        return self._longest is not None and sum(len(part.text) for part in parts) >= self._longest

    def flush(self) -> Iterator[Line]:
        """Lines that were never ended."""
        yield from sorted(_line(parts) for parts in self._open.values())
        self._open.clear()


def _line(parts: Sequence[Piece]) -> Line:
    return Line(parts[0].time, parts[0].stream, b"".join(part.text for part in parts))


def groups(objects: Iterable[LogObject]) -> Iterator[list[LogObject]]:
    """Objects of one container, those together whose lines have to be put in order together."""
    group: list[LogObject] = []
    for log_object in sorted(objects):
        if group and log_object.begun - group[-1].begun > CLOSE:
            yield group
            group = []
        group.append(log_object)
    if group:
        yield group


def merged(containers: Mapping[LogObject, Iterable[Line]]) -> Iterator[tuple[LogObject, Line]]:
    """Lines of several containers by time, each with an object of its container."""
    yield from heapq.merge(
        *[_bound(log_object, lines) for log_object, lines in containers.items()], key=_time
    )


def _bound(log_object: LogObject, lines: Iterable[Line]) -> Iterator[tuple[LogObject, Line]]:
    for line in lines:
        yield log_object, line


def _time(item: tuple[LogObject, Line]) -> str:
    return item[1].time
