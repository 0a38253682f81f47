import errno
import json
import os
import shutil
import signal
import subprocess
import sys
from collections import namedtuple

import psutil
import pytest

from localcloud import __main__ as command_line
from localcloud import commands, report, setup, store
from localcloud import engine as engine_module
from localcloud.aws_server import AwsServer
from localcloud.cloud import REPOSITORY, Cloud
from localcloud.control_plane import ControlPlane
from localcloud.control_plane.stand_ins import charts
from localcloud.control_plane.stand_ins.releases import Release
from localcloud.engine import Engine
from localcloud.errors import Refusal
from localcloud.locks import locks_folder
from localcloud.protection import unprotect

BUCKET = {"urn": "urn:pulumi:dev::small::aws:s3/bucket:Bucket::logs", "type": "aws:s3/bucket:Bucket"}
STACK = {"urn": "urn:pulumi:dev::small::pulumi:pulumi:Stack::small-dev", "type": "pulumi:pulumi:Stack"}


@pytest.fixture
def engine(tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    (project / "Pulumi.yaml").write_text(
        "name: small\nruntime: python\nstackConfigDir: stacks\nconfig:\n"
        "  small:environment: {description: which}\n  size: {default: 1}\n  color: blue\n"
    )
    return Engine(Cloud(tmp_path / "cloud"), project)


@pytest.fixture
def run(engine, monkeypatch, capsys):
    """Run the command line: its exit status, and the lines that it says as errors."""

    def command(*arguments):
        monkeypatch.setenv("MOKA_CLOUD", str(engine.cloud.home))
        monkeypatch.setattr(sys, "argv", ["localcloud", "--project", str(engine.project), *arguments])
        return command_line.main(), capsys.readouterr().err.splitlines()

    return command


def in_state(engine, stack, *resources, project="small", **latest):
    path = engine.cloud.state / ".pulumi" / "stacks" / project / f"{stack}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"checkpoint": {"latest": {"resources": resources, **latest}}}))


def test_what_was_in_an_aws_that_is_gone_is_said_to_be_lost_and_how_to_start_anew(engine):
    in_state(engine, "dev", STACK, BUCKET)

    with pytest.raises(Refusal, match=r"what dev had there is lost: run `make down` .*, then `make up`"):
        commands.start(engine)


def test_a_wrong_localcloud_yaml_is_refused_before_anything_is_started(engine):
    (engine.project / "localcloud.yaml").write_text("stand_ins: {remover: {module: nowhere}}")

    with pytest.raises(Refusal, match=r"stand_ins\.remover\.module is nowhere, .* no such module"):
        commands.start(engine)
    assert not engine.cloud.home.exists()


def test_stacks_of_other_projects_on_the_cloud_count_too(engine):
    in_state(engine, "dev", STACK, BUCKET, project="other")

    with pytest.raises(Refusal, match="organization/other/dev"):
        commands.start(engine)


def test_a_stack_without_resources_loses_nothing(engine):
    in_state(engine, "dev", STACK)

    assert engine.populated() == []


def test_status_says_what_is_lost(engine, capsys):
    in_state(engine, "dev", STACK, BUCKET)

    report.status(engine, as_json=False)

    assert "lost with the in-memory AWS: `make down`" in capsys.readouterr().out


def test_status_before_anything_is_there_says_so_and_makes_nothing(engine, capsys):
    report.status(engine, as_json=False)

    assert "none yet" in capsys.readouterr().out
    assert not engine.cloud.home.exists()


def test_down_where_nothing_was_ever_up_says_so_as_often_as_it_is_asked(engine, capsys):
    for _ in range(2):
        assert commands.down(engine, "dev", ()) == 0
        assert "Nothing to take down: there is no stack dev." in capsys.readouterr().out


def engine_at_work(engine, stack, tmp_path):
    """A program that looks like pulumi and holds the lock of a stack."""
    pulumi = tmp_path / "pulumi"
    pulumi.symlink_to("/bin/sleep")
    running = subprocess.Popen([pulumi, "600"])
    folder = locks_folder(engine.cloud, "small", stack)
    folder.mkdir(parents=True)
    (folder / "lock.json").write_text(json.dumps({"pid": running.pid}))
    return running


def test_what_is_just_being_made_was_not_cut_off_until_its_engine_has_ended(engine, capsys, tmp_path):
    in_state(engine, "dev", STACK, pending_operations=[{"type": "creating", "resource": BUCKET}])
    running = engine_at_work(engine, "dev", tmp_path)
    try:
        report.status(engine, as_json=False)
        meanwhile = capsys.readouterr().out
    finally:
        running.kill()
        running.wait()
    report.status(engine, as_json=False)
    afterwards = capsys.readouterr().out

    assert f"pulumi is at work on it, process {running.pid}" in meanwhile
    assert "cut off" not in meanwhile
    assert f"creation was cut off, may exist: {BUCKET['urn']}" in afterwards
    assert "at work" not in afterwards


def test_a_down_leaves_the_cloud_to_an_engine_that_has_only_begun(engine, capsys, tmp_path):
    running = engine_at_work(engine, "new", tmp_path)
    try:
        assert commands.down(engine, "dev", ()) == 0
    finally:
        running.kill()
        running.wait()

    assert f"as pulumi works on it, process {running.pid}." in capsys.readouterr().out


@pytest.fixture
def pulumi(engine, monkeypatch, tmp_path):
    """Have `pulumi preview` be some shell commands, and the rest of pulumi do nothing."""
    program = tmp_path / "bin" / "pulumi"
    program.parent.mkdir()
    (engine.project / "stacks").mkdir()
    (engine.project / "stacks" / "Pulumi.dev.yaml").write_text("config: {small:environment: dev}\n")
    monkeypatch.setattr(engine_module, "BIN", program.parent)
    monkeypatch.setattr(commands, "start", lambda _: None)
    engine.cloud.home.mkdir()

    def be(preview):
        program.write_text(f'#!/bin/sh\ncase "$1" in preview) {preview};; esac\n')
        program.chmod(0o755)

    return be


@pytest.mark.parametrize("number, status", [(signal.SIGKILL, 137), (signal.SIGTERM, 143)])
def test_an_engine_that_was_killed_ends_in_a_sentence_that_says_how_to_go_on(
    engine, pulumi, capsys, number, status
):
    pulumi(preview=f"kill -{number.value} $$")

    assert commands.preview(engine, "dev", ()) == status

    assert capsys.readouterr().err.startswith(
        f"pulumi was killed ({number.name}) before `preview` of dev had ended: by somebody, or by the system "
        "for want of memory. Run `make recover STACK=dev`, which finds what it made without writing it down, "
        "then `make preview` again to go on."
    )


@pytest.mark.parametrize("free, full", [(1, False), (0, True)])
def test_an_update_that_fails_as_the_disk_is_full_says_so_and_what_to_do(
    engine, pulumi, capsys, monkeypatch, free, full
):
    pulumi(preview="exit 255")
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda place: usage(10**9, 10**9, free * 2**20))

    assert commands.preview(engine, "dev", ()) == 255

    assert (f"The disk of {engine.cloud.home} is full: free 512 MiB" in capsys.readouterr().err) == full


def test_programs_of_a_control_plane_that_have_ended_are_named_by_status_and_by_an_update_that_failed(
    engine, pulumi, capsys
):
    plane = ControlPlane(engine.cloud, "spark")
    plane.folder.mkdir(parents=True)
    plane.ports.keep("kube-apiserver")
    processes = [plane.process(name) for name in plane.ended()]
    for process in processes:
        process.start(["/bin/sh", "-c", "echo Error: out of tokens; sleep 600"])
    processes[0].stop()
    processes[0].pid_file.write_text("{}")
    pulumi(preview="exit 255")
    try:
        report.status(engine, as_json=False)
        assert "Cluster          spark (not running: etcd)\n" in capsys.readouterr().out
        assert commands.preview(engine, "dev", ()) == 255
        [line] = capsys.readouterr().err.splitlines()
        assert line.startswith("etcd of cluster spark has ended; its log, ")
        assert line.endswith("says “Error: out of tokens”.")
    finally:
        for process in processes:
            process.stop(timeout=0)


def test_an_operator_that_has_ended_is_named_by_status(engine, capsys):
    plane = ControlPlane(engine.cloud, "spark")
    plane.folder.mkdir(parents=True)
    plane.ports.keep("kube-apiserver")
    charts.releases(plane).keep(Release(name="operator", namespace="spark", chart="spark-operator"))

    report.status(engine, as_json=False)

    assert "runs           spark/operator: not running" in capsys.readouterr().out


def test_two_cold_starts_at_once_leave_one_server_and_no_other(engine):
    start = [sys.executable, "-m", "localcloud", "--project", str(engine.project), "start"]
    environment = {**os.environ, "MOKA_CLOUD": str(engine.cloud.home)}
    try:
        starts = [subprocess.Popen(start, cwd=REPOSITORY, env=environment) for _ in range(3)]
        assert [process.wait() for process in starts] == [0, 0, 0]
        home = str(engine.cloud.home)
        servers = [
            process
            for process in psutil.process_iter(["cmdline", "environ"])
            if "localcloud.moto_server" in (process.info["cmdline"] or [])
            and (process.info["environ"] or {}).get("MOKA_CLOUD") == home
        ]
        assert len(servers) == 1
        assert AwsServer(engine.cloud).alive()
    finally:
        commands.clean(engine)
    assert not engine.cloud.home.exists()


def test_up_refuses_a_full_disk_before_it_changes_anything(engine, monkeypatch):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda place: usage(10**9, 10**9, 100 * 2**20))

    with pytest.raises(Refusal, match="has 100 MiB left: free some"):
        commands.up(engine, "dev", ())
    assert not engine.cloud.home.exists()


def test_a_stack_whose_file_lacks_what_the_project_asks_for_is_refused_and_not_made(engine):
    with pytest.raises(Refusal, match=r"dev has no small:environment, .* in \S+/stacks/Pulumi\.dev\.yaml"):
        engine.select("dev")
    assert list(engine.stacks()) == []
    assert list(engine.project.glob("**/Pulumi.dev.yaml")) == []


def test_a_stack_file_that_is_not_yaml_is_one_sentence(engine, run):
    file = engine.project / "stacks" / "Pulumi.dev.yaml"
    file.parent.mkdir()
    file.write_text("config: [")

    with pytest.raises(Refusal, match=r"Pulumi\.dev\.yaml is not YAML"):
        engine.select("dev")


def test_what_was_cut_off_is_told_also_where_the_next_up_made_it_again(engine):
    pending = [{"type": "creating", "resource": {"urn": urn}} for urn in (BUCKET["urn"], "urn:other")]
    in_state(engine, "dev", STACK, BUCKET, pending_operations=pending)

    assert engine.cut_off("dev") == sorted([BUCKET["urn"], "urn:other"])


def test_a_lock_that_was_cut_off_before_it_said_whose_it_is_is_lifted(engine):
    folder = engine.cloud.state / ".pulumi" / "locks" / "organization" / "small" / "dev"
    folder.mkdir(parents=True)
    (folder / "lock.json").write_text('{"pid": 12')

    [line] = engine.remove_stale_locks("dev")

    assert "Removed the lock" in line


def test_a_folder_without_a_project_is_one_sentence(engine, run):
    (engine.project / "Pulumi.yaml").unlink()

    status, lines = run("create", "--stack", "dev")

    assert status == 1
    assert lines == [f"There is no Pulumi project in {engine.project}: name the folder of one."]
    assert not engine.cloud.home.exists(), "nothing was started"


def test_an_engine_that_is_not_there_yet_is_one_sentence(engine, run, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)

    status, [line] = run("preview", "--stack", "dev")

    assert status == 1
    assert "run `make setup`" in line


@pytest.mark.parametrize("trouble", [errno.ENOSPC, errno.EROFS, errno.EACCES])
def test_a_disk_that_cannot_be_written_is_one_sentence_that_says_where(run, monkeypatch, trouble):
    def fails(*_, **__):
        raise OSError(trouble, "cannot be written", "/somewhere/file")

    monkeypatch.setattr(report, "status", fails)

    status, [line] = run("status")

    assert status == 1
    assert line.startswith("/somewhere/file: cannot be written;")


def test_no_java_is_one_sentence(run, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(setup, "LOCAL", tmp_path)

    status, [line] = run("setup")

    assert status == 1
    assert line.startswith("No java is on PATH")


def test_what_a_stack_protects_is_lifted_with_the_deletion_protection_of_its_clusters(engine, monkeypatch):
    arn = "arn:aws:eks:us-east-1:444455556666:cluster/acme-prod-a"
    cluster = {
        "urn": BUCKET["urn"].replace("s3/bucket:Bucket", "eks/cluster:Cluster"),
        "type": "aws:eks/cluster:Cluster",
        "outputs": {"arn": arn},
        "protect": True,
        "retainOnDelete": True,
    }
    in_state(engine, "dev", STACK, BUCKET, cluster)
    place = store.Store(store.store_folder(engine.cloud) / "444455556666" / "us-east-1" / "eks")
    place.put("cluster", "acme-prod-a", thing={"version": "1.34", "deletionProtection": True})
    imported = []

    def pulumi(self, *arguments, text=None):
        if "import" in arguments:
            imported.append(json.loads(text)["deployment"]["resources"])
        return json.dumps({"deployment": {"resources": [STACK, BUCKET, cluster]}})

    monkeypatch.setattr(Engine, "pulumi", pulumi)

    assert unprotect(engine, "dev") == 1
    assert imported == [
        [
            STACK,
            BUCKET,
            {name: cluster[name] for name in cluster if name not in ("protect", "retainOnDelete")},
        ]
    ]
    assert place.get("cluster", "acme-prod-a") == {"version": "1.34", "deletionProtection": False}


@pytest.mark.parametrize(
    ("kind", "force"), [("s3/bucket:Bucket", "forceDestroy"), ("ecr/repository:Repository", "forceDelete")]
)
def test_what_was_protected_goes_with_what_is_in_it(engine, monkeypatch, kind, force):
    kept = {
        "urn": BUCKET["urn"].replace("s3/bucket:Bucket", kind),
        "type": f"aws:{kind}",
        "inputs": {force: False},
        "outputs": {force: False},
        "protect": True,
    }
    in_state(engine, "dev", STACK, kept)
    imported = []

    def pulumi(self, *arguments, text=None):
        if "import" in arguments:
            imported.append(json.loads(text)["deployment"]["resources"])
        return json.dumps({"deployment": {"resources": [STACK, kept]}})

    monkeypatch.setattr(Engine, "pulumi", pulumi)

    assert unprotect(engine, "dev") == 1
    unmarked = {name: kept[name] for name in ("urn", "type")}
    assert imported == [[STACK, {**unmarked, "inputs": {force: True}, "outputs": {force: True}}]]


def test_the_state_of_a_stack_that_protects_nothing_is_left_alone(engine, monkeypatch):
    in_state(engine, "dev", STACK, BUCKET)
    monkeypatch.setattr(Engine, "pulumi", lambda *_, **__: pytest.fail("nothing is to be asked"))

    assert unprotect(engine, "dev") == 0


@pytest.mark.parametrize("operation", ["up", "refresh", "destroy", "preview"])
def test_a_verb_of_pulumis_is_run_on_the_stack_that_is_named(run, monkeypatch, operation):
    ran = []
    monkeypatch.setattr(Engine, "run", lambda engine, *words: ran.append(words) or 0)

    assert run("pulumi", operation, "--stack", "dev", "--", "--yes") == (0, [])

    assert ran == [(operation, "dev", "--yes")]
