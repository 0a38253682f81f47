import json

import pytest

from localcloud import commands
from localcloud.cloud import Cloud
from localcloud.engine import Engine
from localcloud.states import StateFile, UnreadableState

BUCKET = {"urn": "urn:bucket", "type": "aws:s3/bucket:Bucket", "id": "b", "inputs": {}, "outputs": {}}


@pytest.fixture
def engine(tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    (project / "Pulumi.yaml").write_text("name: small\nruntime: python\n")
    return Engine(Cloud(tmp_path / "cloud"), project)


@pytest.fixture
def state(engine):
    file = engine.state_file("dev")
    file.path.parent.mkdir(parents=True)
    write(file.path, BUCKET)
    return file


def write(path, *resources):
    path.write_text(json.dumps({"version": 3, "checkpoint": {"latest": {"resources": list(resources)}}}))


def cut_short(path):
    path.write_text(path.read_text()[:40] if path.exists() else "")


def test_a_whole_state_is_left_as_it_is(engine, state):
    write(state.backup)

    assert state.restore() is None
    assert [resource.urn for resource in engine.resources("dev")] == ["urn:bucket"]


@pytest.mark.parametrize("content", ["", '{"version": 3, "checkpoint": {"latest"', "[]"])
def test_the_engines_backup_is_put_in_place_of_a_state_that_was_cut_short(engine, state, content):
    state.path.rename(state.backup)
    state.path.write_text(content)

    assert engine.populated() == ["dev"]
    assert "dev.json.bak, from before its last write, is in force" in state.restore()
    assert [resource.urn for resource in engine.resources("dev")] == ["urn:bucket"]
    assert state.restore() is None


def test_where_a_full_disk_took_both_the_copy_from_before_the_last_run_is_put_in_place(engine, state):
    state.keep()
    state.path.write_text("")
    state.backup.write_text("")

    assert "from before pulumi's last run, is in force" in state.restore()
    assert [resource.urn for resource in engine.resources("dev")] == ["urn:bucket"]


def test_a_state_that_was_cut_short_is_never_the_copy(state):
    state.keep()
    cut_short(state.path)
    state.keep()

    assert "is in force" in state.restore()


def test_a_copy_for_which_there_is_no_room_leaves_the_earlier_one(state, monkeypatch):
    state.keep()
    write(state.path)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    state.keep()

    assert BUCKET["urn"] in state.copy.read_text()
    assert [path.name for path in state.copy.parent.iterdir()] == ["dev.json"]


def test_a_state_without_a_copy_that_can_be_read_is_one_sentence_with_the_way_out(engine, state):
    cut_short(state.path)

    for ask in (state.restore, lambda: engine.resources("dev")):
        with pytest.raises(UnreadableState, match=r"The state of stack dev is cut short .*: run `make down`"):
            ask()
    assert engine.populated() == ["dev"]


def test_a_stack_that_is_not_there_needs_nothing(engine, tmp_path):
    nothing = StateFile(tmp_path / "no.json", tmp_path / "copies" / "no.json")

    nothing.keep()
    assert nothing.restore() is None
    assert nothing.deployment() == {}
    assert not nothing.copy.exists()


@pytest.mark.parametrize("aws_lives", [True, False])
def test_down_of_a_state_that_nobody_can_read_clears_away(engine, state, monkeypatch, capsys, aws_lives):
    cut_short(state.path)
    state.backup.write_text("")
    monkeypatch.setattr(commands.AwsServer, "alive", lambda server: aws_lives)
    monkeypatch.setattr(commands, "start", lambda engine: None)
    monkeypatch.setattr(commands.shutil, "which", lambda *_, **__: "/bin/pulumi")

    assert commands.down(engine, "dev", ()) == 0

    assert ("is removed" if aws_lives else "is cleared away") in capsys.readouterr().out
    assert list(engine.stacks()) == []
    assert list(state.path.parent.iterdir()) == []


def test_attributes_that_a_kill_cut_short_go_and_whole_ones_stay(state):
    cut, whole = (state.path.with_name(f"{file.name}.attrs") for file in (state.path, state.backup))
    cut.write_text("")
    whole.write_text('{"user.content_type": "text/plain"}')

    assert state.restore() is None

    assert (cut.exists(), whole.exists()) == (False, True)
