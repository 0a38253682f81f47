"""A rolling event log as one object: pure bytes.

Frames of zstd concatenate, and Spark closes one whenever it flushes (apache/spark: CompressionCodec.scala),
so files that Spark has closed are joined as they are. The last one of a killed driver may end anywhere.
"""

import json
from collections.abc import Iterable, Iterator
from io import BufferedReader, RawIOBase
from typing import Any

import zstandard

END_EVENT = "SparkListenerApplicationEnd"
CHUNK = 64 * 1024
"""Bytes that are read at a time."""

TEXT_CHUNK = 2**20
"""Bytes of text that are unpacked at a time: a few KiB may unpack to GiBs."""

LONGEST_LINE = 32 * 2**20
"""Bytes of an event; one that is longer is none."""


def joined(whole: Iterable[bytes], last: Iterable[bytes], ended_ms: int) -> Iterator[bytes]:
    """The bytes of a log in one object.

    whole: contents of all files but the last, in order. last: content of the last one, in chunks.
    ended_ms: when the driver wrote last, in milliseconds since 1970: the end of an application whose log does
    not say so itself, as it would else be listed as running for ever.
    """
    yield from whole
    yield from readable(last, ended_ms)


def readable(chunks: Iterable[bytes], ended_ms: int) -> Iterator[bytes]:
    """What can be read of a file, to its last whole line, and the application's end; compressed anew."""
    compressor = zstandard.ZstdCompressor().compressobj()
    line = b""
    for lines in whole_lines(chunks):
        line = lines[lines.rstrip(b"\n").rfind(b"\n") + 1 :]
        yield compressor.compress(lines)
    if not is_end(line):
        yield compressor.compress(end_line(ended_ms))
    yield compressor.flush()


def whole_lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Text of a compressed file, each piece of it whole lines; cut off, broken or too long, it ends there."""
    file = BufferedReader(_Chunks(chunks), CHUNK)
    reader = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
    rest = b""
    while len(rest) <= LONGEST_LINE:
        try:
            text = reader.read(TEXT_CHUNK)
        except zstandard.ZstdError:
            return
        if not text:
            return
        lines, newline, rest = (rest + text).rpartition(b"\n")
        if newline:
            yield lines + newline


class _Chunks(RawIOBase):
    """Chunks, as a file that is read from its beginning."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = iter(chunks)
        self._rest = b""

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read as much as fits, and is there; nothing at the end."""
        while not self._rest and (chunk := next(self._chunks, None)) is not None:
            self._rest = chunk
        count = min(len(buffer), len(self._rest))
        buffer[:count], self._rest = self._rest[:count], self._rest[count:]
        return count


def is_end(line: bytes) -> bool:
    """Whether a line is the event of an application's end."""
    try:
        event = json.loads(line)
    except ValueError:
        return False
    return isinstance(event, dict) and event.get("Event") == END_EVENT


def end_line(ended_ms: int) -> bytes:
    """The event of an application's end, as Spark writes it: the list's reader looks for lines that begin so,
    without a space (apache/spark: FsHistoryProvider.scala, `APPL_END_EVENT_PREFIX`).
    """
    event = {"Event": END_EVENT, "Timestamp": ended_ms}
    return json.dumps(event, separators=(",", ":")).encode() + b"\n"
