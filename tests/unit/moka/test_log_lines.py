import base64
import json
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moka.log_keys import log_object
from moka.log_lines import Joiner, Line, UnreadableLogs, groups, in_order, merged, pieces

OBJECT = log_object("a/jobs/spark-0a/driver/pod-1/main/20261122T101500-aB3dE6gH.jsonl.gz")
PIECE = 16
"""Bytes of containerd's pieces in these tests; its own are 16 KiB."""


def time_of(number):
    return f"2026-11-22T10:15:00.{number:09}Z"


def written(texts):
    """Lines of text -> what containerd writes of them, and the lines that one should read."""
    raw, lines = [], []
    for text in texts:
        parts = [text[at : at + PIECE] for at in range(0, len(text), PIECE)] or [b""]
        lines.append(Line(time_of(len(raw)), "stdout", text))
        for number, part in enumerate(parts):
            flag = b"F" if number == len(parts) - 1 else b"P"
            raw.append(b"%s stdout %s %s" % (time_of(len(raw)).encode(), flag, part))
    return raw, lines


def record(raw):
    """A record of Fluent Bit's, as bytes.lua leaves it."""
    try:
        return json.dumps({"log": raw.decode()}).encode() + b"\n"
    except UnicodeDecodeError:
        return json.dumps({"log_base64": base64.b64encode(raw).decode()}).encode() + b"\n"


TEXTS = st.lists(st.binary(max_size=3 * PIECE).map(lambda text: text.replace(b"\n", b"")), max_size=12)


@given(TEXTS)
def test_what_a_container_printed_is_read_byte_for_byte(texts):
    raw, lines = written(texts)

    content = b"".join(map(record, raw))
    assert list(Joiner().join(in_order(pieces(content)))) == lines


@given(TEXTS, st.data())
def test_what_was_sent_twice_and_in_disorder_is_read_once_and_in_order(texts, data):
    raw, lines = written(texts)
    again = data.draw(st.lists(st.sampled_from(raw), max_size=5)) if raw else []
    mixed = data.draw(st.permutations([*raw, *again]))

    assert list(Joiner().join(in_order(pieces(b"".join(map(record, mixed)))))) == lines


@given(TEXTS, st.integers(0, 40))
def test_a_line_that_an_object_ends_in_goes_on_in_the_next(texts, cut):
    raw, lines = written(texts)
    joiner = Joiner()

    parts = (b"".join(map(record, part)) for part in (raw[:cut], raw[cut:]))
    read = [line for part in parts for line in joiner.join(in_order(pieces(part)))]
    assert read == lines
    assert list(joiner.flush()) == []


def test_a_line_that_was_never_ended_is_read_all_the_same():
    joiner = Joiner()

    assert list(joiner.join(pieces(record(f"{time_of(0)} stderr P half".encode())))) == []
    assert list(joiner.flush()) == [Line(time_of(0), "stderr", b"half")]


def test_a_trace_in_one_record_is_as_many_lines_as_it_was():
    trace = "\n".join(
        f"{time_of(n)} stderr F {text}" for n, text in enumerate(["java.lang.Error", "\tat a.b"])
    )

    lines = Joiner().join(pieces(record(trace.encode())))
    assert [line.text for line in lines] == [b"java.lang.Error", b"\tat a.b"]


def test_a_line_that_is_none_of_containerds_comes_after_the_one_before():
    read = list(pieces(record(f"{time_of(1)} stdout F a\ncut off".encode())))

    assert [(piece.time, piece.text) for piece in read] == [(time_of(1), b"a"), (time_of(1), b"cut off")]


@pytest.mark.parametrize(
    "content", [b"text\n", b'{"message": "a"}\n', b'["log"]\n', b'{"log_base64": "?"}\n']
)
def test_an_object_of_something_else_is_refused_with_its_place(content):
    with pytest.raises(UnreadableLogs, match="line 2 is no record of Fluent Bit's"):
        list(pieces(record(b"a stdout F b") + content))


def test_only_objects_of_about_the_same_time_are_put_in_order_together():
    objects = [replace(OBJECT, begun=OBJECT.begun + timedelta(seconds=s)) for s in (0, 40, 41, 100)]

    assert [len(group) for group in groups(reversed(objects))] == [1, 2, 1]
    assert [one for group in groups(objects) for one in group] == objects


def test_lines_of_several_pods_come_by_time():
    first, second = (replace(OBJECT, pod=pod, begun=datetime.min) for pod in ("pod-1", "pod-2"))
    lines = [Line(time_of(number), "stdout", b"%d" % number) for number in range(4)]

    read = merged({first: lines[::3], second: lines[1:3]})
    assert [(of.pod, line) for of, line in read] == list(
        zip(["pod-1", "pod-2", "pod-2", "pod-1"], lines, strict=True)
    )
