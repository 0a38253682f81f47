"""The log of one container as text, made of its objects bit by bit: of a long one, too, little is in memory.

What moka/log_lines.py puts in order whole is put in order within a window here: an object is of a few
megabytes (charts-values/fluent-bit/pipeline.yaml), and what is larger was written in order.
"""

import heapq
import zlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import count

from moka.log_lines import Joiner, Line, Piece, UnreadableLogs, pieces

WINDOW_BYTES = 2**20
"""Of an object, in which lines are put in order."""

LONGEST_RECORD = 64 * 2**20
"""Bytes of a record: Fluent Bit puts at most 8 MB of a log into one (multiline_buffer_limit in its pipeline),
and JSON takes six bytes for some of these."""

LONGEST_LINE = 2**20
"""Bytes of a line; the rest of a longer one is a line of its own."""

CHUNK = 64 * 2**10
"""Bytes that are unpacked at once: a few bytes of gzip can be megabytes of zeros."""


def unpacked(compressed: Iterable[bytes]) -> Iterator[bytes]:
    """What gzip has packed, one member after the other. Raises UnreadableLogs."""
    decoder = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    try:
        for data in compressed:
            while data:
                yield decoder.decompress(data, CHUNK)
                data = decoder.unconsumed_tail
                if decoder.eof:
                    data = decoder.unused_data
                    decoder = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        while rest := decoder.decompress(b"", CHUNK):
            yield rest
    except zlib.error as error:
        raise UnreadableLogs(f"it is not gzip: {error}") from None


def records(content: Iterable[bytes]) -> Iterator[bytes]:
    """The records of an object, a line each. Raises UnreadableLogs."""
    rest = b""
    for part in content:
        *lines, rest = (rest + part).split(b"\n")
        yield from lines
        if len(rest) > LONGEST_RECORD:
            raise UnreadableLogs(f"a record is longer than {LONGEST_RECORD} bytes")
    if rest:
        yield rest


def ordered_pieces(compressed: Iterable[bytes], window: int = WINDOW_BYTES) -> Iterator[Piece]:
    """The pieces of an object by time, as far as the window goes. Raises UnreadableLogs."""
    heap: list[tuple[str, int, Piece]] = []
    size = 0
    numbers = count()
    for record in records(unpacked(compressed)):
        for piece in pieces(record):
            heapq.heappush(heap, (piece.time, next(numbers), piece))
            size += len(piece.text)
            while size > window:
                first = heapq.heappop(heap)[2]
                size -= len(first.text)
                yield first
    while heap:
        yield heapq.heappop(heap)[2]


def each_once(ordered: Iterable[Piece]) -> Iterator[Piece]:
    """Pieces in order, each once: after Fluent Bit was killed it sends some again."""
    time, pieces_of_time = "", set[Piece]()
    for piece in ordered:
        if piece.time != time or len(pieces_of_time) > 10_000:
            time, pieces_of_time = piece.time, set()
        if piece not in pieces_of_time:
            pieces_of_time.add(piece)
            yield piece


def group_pieces(objects: Sequence[Iterable[bytes]]) -> Iterator[Piece]:
    """The pieces of objects whose lines belong together, by time, each once. Raises UnreadableLogs."""
    parts = [ordered_pieces(content) for content in objects]
    yield from each_once(heapq.merge(*parts, key=lambda piece: piece.time))


def text(lines: Iterable[Line], *, times: bool) -> Iterator[bytes]:
    """Lines as text; with their times before them, if wanted."""
    for line in lines:
        yield (line.time.encode() + b" " if times else b"") + line.text + b"\n"


def joiner() -> Joiner:
    """What joins the pieces of a container's lines."""
    return Joiner(LONGEST_LINE)
