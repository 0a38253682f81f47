import json
import os
import subprocess

import pytest
import yaml

from localcloud import commands
from localcloud.cloud import REGION, REPOSITORY, Cloud
from localcloud.engine import PLUGINS, SALT, Engine
from localcloud.errors import Refusal


@pytest.fixture
def engine(tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    (project / "Pulumi.yaml").write_text("name: small\nruntime: python\n")
    return Engine(Cloud(tmp_path / "cloud"), project)


def locked_by(engine: Engine, pid: int) -> None:
    folder = engine.cloud.state / ".pulumi" / "locks" / "organization" / "small" / "dev"
    folder.mkdir(parents=True)
    (folder / "lock.json").write_text(json.dumps({"pid": pid, "hostname": "here"}))


def with_state(engine: Engine, **latest: object) -> None:
    path = engine.cloud.state / ".pulumi" / "stacks" / "small" / "dev.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"version": 3, "checkpoint": {"latest": latest}}))


def test_real_accounts_and_backends_of_the_caller_do_not_reach_the_engine(engine):
    real = {
        "AWS_PROFILE": "prod",
        "AWS_SESSION_TOKEN": "t",
        "PULUMI_ACCESS_TOKEN": "t",
        "PULUMI_BACKEND_URL": "s3://state",
        "PULUMI_ENABLE_STREAMING_JSON_PREVIEW": "true",
        "KUBECONFIG": "/home/me/.kube/config",
        "HOME": "/home/me",
    }

    seen = engine.environment(real)

    assert "AWS_PROFILE" not in seen
    assert "AWS_SESSION_TOKEN" not in seen
    assert "PULUMI_ACCESS_TOKEN" not in seen
    assert seen["KUBECONFIG"] == os.devnull
    assert seen["PULUMI_BACKEND_URL"] == f"file://{engine.cloud.state}"
    assert seen["HOME"] == "/home/me"
    # The form of what the engine prints names no account.
    assert seen["PULUMI_ENABLE_STREAMING_JSON_PREVIEW"] == "true"


def test_the_region_of_the_caller_reaches_the_engine(engine):
    assert engine.environment({"AWS_REGION": "eu-west-1"})["AWS_REGION"] == "eu-west-1"
    assert engine.environment({})["AWS_REGION"] == REGION


def test_our_plugins_lie_in_the_engine_home_of_the_laptop_only(engine):
    engine.lay_plugins()

    laid = {path.name for path in engine.cloud.engine_home.glob("plugins/*/pulumi-resource-*")}
    assert laid == {f"pulumi-resource-{name}" for name in PLUGINS}
    assert all(os.access(path, os.X_OK) for path in engine.cloud.engine_home.glob("plugins/*/pulumi-*"))


def test_a_lock_of_a_process_that_is_gone_is_lifted_and_said(engine):
    ended = subprocess.Popen(["true"])
    ended.wait()
    locked_by(engine, ended.pid)

    [line] = engine.remove_stale_locks("dev")

    assert str(ended.pid) in line
    assert engine.remove_stale_locks("dev") == []


def test_a_lock_of_a_pid_that_something_else_has_now_is_lifted(engine):
    locked_by(engine, os.getpid())

    assert len(engine.remove_stale_locks("dev")) == 1


def test_a_lock_of_a_running_pulumi_is_refused_and_stays(engine, tmp_path):
    pulumi = tmp_path / "pulumi"
    pulumi.symlink_to("/bin/sleep")
    running = subprocess.Popen([pulumi, "60"])
    try:
        locked_by(engine, running.pid)
        for _ in range(2):
            with pytest.raises(Refusal, match=f"Stack dev is locked by pulumi, process {running.pid}"):
                engine.remove_stale_locks("dev")
    finally:
        running.kill()
        running.wait()


def test_what_a_stack_has_is_read_from_its_state(engine):
    urn = "urn:pulumi:dev::small::aws:s3/bucket:Bucket::logs"
    stack = {"urn": "urn:pulumi:dev::small::pulumi:pulumi:Stack::small-dev", "type": "pulumi:pulumi:Stack"}
    with_state(engine, resources=[stack, {"urn": urn, "type": "aws:s3/bucket:Bucket"}])

    assert list(engine.stacks()) == ["dev"]
    assert [r.name for r in engine.resources("dev")] == ["logs"]


def test_what_a_stack_has_that_was_imported_is_read_too(engine):
    with_state(engine)
    path = engine.cloud.state / ".pulumi" / "stacks" / "small" / "dev.json"
    bucket = {"urn": "urn:pulumi:dev::small::aws:s3/bucket:Bucket::logs", "type": "aws:s3/bucket:Bucket"}
    path.write_text(json.dumps({"checkpoint": {"Stack": "dev", "Latest": {"resources": [bucket]}}}))

    assert engine.populated() == ["dev"]


def test_creates_that_were_cut_off_are_known(engine):
    with_state(
        engine,
        resources=[],
        pending_operations=[
            {"resource": {"urn": "urn:a"}, "type": "creating"},
            {"resource": {"urn": "urn:b"}, "type": "updating"},
        ],
    )

    assert engine.cut_off("dev") == ["urn:a"]


def test_a_stack_that_is_not_there_has_nothing(engine):
    assert engine.resources("dev") == []
    assert engine.cut_off("dev") == []


def test_a_shell_set_up_for_the_laptop_loses_the_accounts_it_had(engine, monkeypatch):
    monkeypatch.setenv("AWS_PROFILE", "prod")

    lines = commands.exports(engine).splitlines()

    assert "unset AWS_PROFILE" in lines
    assert f"export KUBECONFIG={os.devnull}" in lines


def stack_file(engine: Engine, text: str) -> None:
    (engine.project / "Pulumi.dev.yaml").write_text(text)


def taken(engine: Engine) -> dict[str, object]:
    return yaml.safe_load(engine.config_file("dev").read_text())


def test_what_a_stacks_file_says_is_taken_from_a_copy_and_the_file_stays_as_it_is(engine):
    text = "config:\n  small:size: 1\n"
    stack_file(engine, text)

    assert taken(engine) == {"config": {"small:size": 1}, "encryptionsalt": SALT}
    stack_file(engine, text.replace("1", "2"))
    assert taken(engine)["config"] == {"small:size": 2}
    assert {path.name for path in engine.project.iterdir()} == {"Pulumi.yaml", "Pulumi.dev.yaml"}


def test_a_stack_without_a_file_has_nothing_but_the_laptops_salt(engine):
    assert taken(engine) == {"config": {}, "encryptionsalt": SALT}


def test_what_only_the_real_backend_can_open_is_left_out(engine):
    stack_file(
        engine,
        "secretsprovider: awskms://alias/prod\nencryptedkey: abc\nenvironment: [prod]\n"
        "config:\n  small:size: 1\n  small:token: {secure: v1:xyz}\n",
    )

    assert taken(engine) == {"config": {"small:size": 1}, "encryptionsalt": SALT}


def test_secrets_made_on_the_laptop_are_kept(engine):
    stack_file(engine, f"encryptionsalt: {SALT}\nconfig:\n  small:token: {{secure: v1:xyz}}\n")

    assert taken(engine)["config"] == {"small:token": {"secure": "v1:xyz"}}


def test_the_salt_in_the_file_of_local_is_the_laptops():
    """Otherwise pulumi by hand and `make up` would keep its secrets apart."""
    assert yaml.safe_load((REPOSITORY / "stacks/Pulumi.local.yaml").read_text())["encryptionsalt"] == SALT
