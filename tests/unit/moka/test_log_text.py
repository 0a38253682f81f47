import gzip
import json

import pytest

from moka.log_lines import Joiner, Piece, UnreadableLogs
from moka.log_text import LONGEST_RECORD, group_pieces, ordered_pieces, records, text


def packed(*seconds):
    """An object with a line for each of these seconds."""
    documents = (
        json.dumps({"log": f"2026-11-22T10:00:{second:02}.000000000Z stdout F line {second}"})
        for second in seconds
    )
    return gzip.compress("".join(f"{one}\n" for one in documents).encode())


def seconds(pieces):
    return [int(piece.text.split()[1]) for piece in pieces]


def test_an_object_is_read_however_it_is_cut_and_of_several_members():
    content = packed(1, 2) + packed(3)

    for size in (1, 7, len(content)):
        parts = [content[at : at + size] for at in range(0, len(content), size)]
        assert seconds(ordered_pieces(parts)) == [1, 2, 3]


def test_lines_are_put_in_order_as_far_as_the_window_goes():
    content = [packed(2, 1, 3, 5, 4, 0)]

    assert seconds(ordered_pieces(content)) == [0, 1, 2, 3, 4, 5]
    # Two lines have room: the last comes too late to be the first.
    assert seconds(ordered_pieces(content, window=2 * len("line 0"))) == [1, 2, 3, 0, 4, 5]


def test_what_was_sent_twice_is_there_once():
    assert seconds(group_pieces([[packed(1, 2, 3)], [packed(2, 3, 4)]])) == [1, 2, 3, 4]


def test_a_line_without_an_end_is_cut():
    piece = Piece("2026-11-22T10:00:00Z", "stdout", True, b"x" * 10)

    lines = list(Joiner(longest=25).join([piece] * 7))

    assert [len(line.text) for line in lines] == [30, 30]


def test_lines_are_text_with_their_times_if_wanted():
    [piece] = ordered_pieces([packed(1)])
    lines = list(Joiner().join([piece]))

    assert list(text(lines, times=False)) == [b"line 1\n"]
    assert list(text(lines, times=True)) == [b"2026-11-22T10:00:01.000000000Z line 1\n"]


def test_a_record_that_is_too_long_is_refused_before_all_of_it_is_there():
    parts = (b"x" * 2**20 for _ in range(10 * LONGEST_RECORD // 2**20))

    with pytest.raises(UnreadableLogs, match="longer than"):
        list(records(parts))
    assert next(parts)
