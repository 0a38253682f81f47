import json
import tracemalloc

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from services.history_gate.join import END_EVENT, LONGEST_LINE, joined, readable, whole_lines

EVENTS = st.lists(
    st.dictionaries(st.sampled_from(["Event", "Stage ID", "Zeit"]), st.text(max_size=40)), max_size=12
)
ENDED = {"Event": END_EVENT, "Timestamp": 1_700_000_000_000}


def lines(events):
    """As Spark writes them."""
    return b"".join(json.dumps(event, separators=(",", ":")).encode() + b"\n" for event in events)


def written(events, flush_every=3):
    """A file as Spark writes it: each flush closes a frame."""
    content = b""
    for start in range(0, len(events), flush_every):
        content += zstandard.ZstdCompressor().compress(lines(events[start : start + flush_every]))
    return content


def text(chunks):
    """What a reader of concatenated frames gets; it raises where the last frame is cut off."""
    reader = zstandard.ZstdDecompressor().decompressobj(read_across_frames=True)
    content = b"".join(chunks)
    result = reader.decompress(content)
    # Another frame begins only after a whole one: a cut-off one would swallow it.
    again = zstandard.ZstdDecompressor().decompressobj(read_across_frames=True)
    probe = zstandard.ZstdCompressor().compress(b"probe")
    assert again.decompress(content + probe) == result + b"probe"
    return result


def in_chunks(content, size=7):
    return [content[start : start + size] for start in range(0, len(content), size)]


@given(files=st.lists(EVENTS, min_size=1, max_size=4))
def test_files_that_spark_has_closed_are_joined_line_for_line(files):
    *whole, last = files
    log = text(joined([written(events) for events in whole], in_chunks(written([*last, ENDED])), ended_ms=5))

    assert log == b"".join(map(lines, files)) + lines([ENDED])


def test_a_small_file_that_unpacks_to_gibs_is_read_in_little_memory():
    """Any job may put one there, in place of its events."""
    compressor = zstandard.ZstdCompressor().compressobj()
    packed = b"".join(compressor.compress(bytes(2**20)) for _ in range(1536)) + compressor.flush()
    assert len(packed) < 100_000
    tracemalloc.start()

    log = text(readable([packed], ended_ms=5))

    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert json.loads(log)["Event"] == END_EVENT
    assert peak < 4 * LONGEST_LINE


@given(events=EVENTS, data=st.data())
def test_a_file_that_ends_anywhere_is_read_to_its_last_whole_line(events, data):
    content = written(events)
    cut = data.draw(st.integers(0, len(content)))

    log = text(readable(in_chunks(content[:cut]), ended_ms=5))

    *before, end = log.splitlines(keepends=True)
    assert lines(events).startswith(b"".join(before))
    assert json.loads(end) == {"Event": END_EVENT, "Timestamp": 5}


@given(events=EVENTS)
def test_all_that_was_flushed_before_the_cut_is_there(events):
    flushed = written(events)
    torn = zstandard.ZstdCompressor().compress(lines([{"Event": "never flushed"}] * 9))[:-3]

    assert text(readable(in_chunks(flushed + torn), ended_ms=5)).startswith(lines(events))


def test_the_end_of_an_application_is_said_once():
    log = text(readable([written([{"Event": "x"}, ENDED])], ended_ms=5))

    assert log == lines([{"Event": "x"}, ENDED])


@pytest.mark.parametrize("content", [b"", b"\0" * 100, b"not zstd at all"])
def test_nothing_readable_is_a_log_that_has_ended(content):
    assert text(readable([content], ended_ms=5)) == lines([{"Event": END_EVENT, "Timestamp": 5}])


def test_a_line_in_several_chunks_is_one():
    content = zstandard.ZstdCompressor().compress(b"a" * 500_000 + b"\nrest")

    assert b"".join(whole_lines(in_chunks(content, 3))) == b"a" * 500_000 + b"\n"
