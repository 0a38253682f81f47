"""`python -m localcloud preview --json` prints what pulumi prints, and nothing else, on stdout."""

from types import SimpleNamespace

import pytest

from localcloud import commands


@pytest.mark.parametrize(("arguments", "stream"), [((), "out"), (("--json",), "err"), (("-j",), "err")])
def test_what_is_for_people_is_beside_json(monkeypatch, capsys, arguments, stream):
    engine = SimpleNamespace(cloud=None, run=lambda *_: 0)
    monkeypatch.setattr(commands, "_prepare", lambda *_: commands.report.say("a lock was removed"))
    monkeypatch.setattr(commands.unknowns, "clear", lambda _: None)
    monkeypatch.setattr(commands.unknowns, "noted", lambda _: ["what x takes"])

    assert commands.preview(engine, "local", arguments) == 0

    printed = capsys.readouterr()
    assert getattr(printed, stream) == "a lock was removed\nNot decided: what x takes\n"
    assert printed.out + printed.err == getattr(printed, stream)
