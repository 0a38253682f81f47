"""bytes.lua, run by LuaJIT as Fluent Bit does: what is no UTF-8 survives, all else is untouched."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lupa import luajit21


@pytest.fixture(scope="module")
def call(script):
    """A record's `log` -> the code that Fluent Bit gets, and the record."""
    lua = luajit21.LuaRuntime(encoding=None)
    lua.execute(script.encode())
    function = lua.globals()[b"bytes"]

    def call(log):
        code, time, record = function(b"job.a", 1.5, lua.table_from({b"log": log, b"other": b"kept"}))
        assert time == 1.5
        return code, dict(record)

    return call


def is_utf8(log):
    try:
        log.decode()
    except UnicodeDecodeError:
        return False
    return True


@given(st.binary() | st.text().map(lambda text: text.encode()))
def test_no_byte_is_lost_whatever_was_printed(call, log):
    code, record = call(log)

    if is_utf8(log):
        assert (code, record) == (0, {b"log": log, b"other": b"kept"})
    else:
        assert code == 2
        assert base64.b64decode(record.pop(b"log_base64"), validate=True) == log
        assert record == {b"other": b"kept"}


@pytest.mark.parametrize(
    "log",
    [
        "größe €".encode()[:-1],
        b"\x00\xff",
        b"\xc0\xaf",
        b"\xed\xa0\x80",
        b"\xf4\x90\x80\x80",
        b"a\x80",
        b"\xe2\x82",
    ],
    ids=["half a character", "binary", "overlong", "surrogate", "beyond Unicode", "a stray byte", "cut off"],
)
def test_what_python_takes_for_no_utf8_is_none(call, log):
    assert call(log)[0] == 2


@pytest.mark.parametrize("log", [b"", b"plain", "größe € 𝄞 \x00".encode(), b"\xf4\x8f\xbf\xbf"])
def test_text_is_left_as_it_is(call, log):
    assert call(log)[0] == 0
