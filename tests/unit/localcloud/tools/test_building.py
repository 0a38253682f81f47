"""Tools made with a `go` that only writes down what it was asked."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from localcloud import tools
from localcloud.cloud import REPOSITORY
from localcloud.errors import Refusal
from localcloud.tools import cache, machine, system_programs
from localcloud.tools.table import LANGUAGE_CHANGES, TOOLS
from localcloud.tools.traefik_changes import TRAEFIK_CHANGES

GO = """#!/bin/sh
echo "$*" >> "$FAKE/asked"
case "$1" in
version) echo "go version ${FAKE_GO_VERSION:-go1.99.0} linux/amd64" ;;
env) echo "$FAKE/go-build" ;;
list) echo "$FAKE/module" ;;
build)
    for word in "$@"; do [ "$before" = -o ] && made=$word; before=$word; done
    [ -p "$FAKE/started" ] && { echo half > "$made"; echo > "$FAKE/started"; read _ < "$FAKE/go-on"; }
    [ -n "$FAKE_ERROR" ] && { echo "$FAKE_ERROR"; exit 1; }
    if [ -f ../module/pkg/webservice/webservice.go ]; then
        while read -r line; do echo "$line"; done < ../module/pkg/webservice/webservice.go > "$made"
    else
        echo whole > "$made"
    fi ;;
esac
"""

WEB_SERVER = 'import (\n\t"net/http"\n)\nAddr: ":9080",\n'

FILES_OF_MODULES = {
    "pkg/webservice/webservice.go": WEB_SERVER,
    "kustomize/stage/node/fast/node-initialize.yaml": "stage",
    "kustomize/stage/node/fast/kustomization.yaml": "not a stage",
    "kustomize/stage/node/heartbeat/node-heartbeat.yaml": "stage",
    "kustomize/stage/node/heartbeat-with-lease/node-heartbeat-with-lease.yaml": "stage",
    "kustomize/stage/pod/fast/pod-ready.yaml": "stage",
    "kustomize/stage/pod/general/pod-ready.yaml": "stage",
    "config/crd/bases/sparkapplications.yaml": "crd",
    "python/cmd/pulumi-language-python-exec": "#!/bin/sh",
    "python/dist/pulumi-resource-pulumi-python": "#!/bin/sh",
    "python/dist/pulumi-analyzer-policy-python": "#!/bin/sh",
    **{file: "\n".join(old for old, _ in changes) for file, changes in TRAEFIK_CHANGES.items()},
    LANGUAGE_CHANGES.file: "\n".join(old for old, _ in LANGUAGE_CHANGES.changes),
}


class Machine:
    """A machine with that `go` and nothing else on PATH."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.path = folder / "path"
        self.path.mkdir()
        self.go = self.path / "go"
        self.go.write_text(GO)
        self.go.chmod(0o755)
        for name, text in FILES_OF_MODULES.items():
            file = folder / "module" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)

    @property
    def requests(self) -> list[str]:
        file = self.folder / "asked"
        return file.read_text().splitlines() if file.exists() else []

    @property
    def builds(self) -> list[str]:
        return [line for line in self.requests if line.startswith("build")]

    @property
    def cached(self) -> set[str]:
        """What is in the cache but locks and logs."""
        files = (file.relative_to(cache.root()) for file in cache.root().rglob("*") if file.is_file())
        return {str(file) for file in files if file.name not in (".lock", "log")}

    def hold(self) -> None:
        """Have `go build` write half of a program, say that it started, and wait to be let go on."""
        os.mkfifo(self.folder / "started")
        os.mkfifo(self.folder / "go-on")

    def await_start(self) -> None:
        (self.folder / "started").read_text()

    def let_go_on(self) -> None:
        (self.folder / "go-on").write_text("\n")

    def start(self, *names: str) -> subprocess.Popen:
        return subprocess.Popen(
            [sys.executable, "-m", "localcloud.tools", *names],
            cwd=REPOSITORY,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )


@pytest.fixture
def laptop(tmp_path, monkeypatch):
    laptop = Machine(tmp_path)
    monkeypatch.setenv("PATH", str(laptop.path))
    monkeypatch.setenv("MOKA_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("MOKA_TOOL_SPARK", str(tmp_path))
    monkeypatch.setenv("FAKE", str(tmp_path))
    return laptop


def test_each_tool_says_what_is_made_how_long_it_takes_and_what_is_left(laptop):
    messages = []

    tools.build(["kube-apiserver", "etcd"], messages.append)

    assert messages[0] == "building kube-apiserver v1.35.4 (about 5 min; 2 of 2 left)"
    assert messages[1].startswith("built kube-apiserver in ")
    assert messages[2] == "building etcd v3.6.16 (about 30 s; 1 of 2 left)"
    assert tools.path("etcd").read_text() == "whole\n"
    assert os.access(tools.path("etcd"), os.X_OK)


def test_a_second_call_makes_nothing_and_says_one_line(laptop):
    tools.build(say=lambda line: None)
    requests = laptop.requests
    messages = []

    tools.build(say=messages.append)

    assert laptop.requests == requests
    needed = sum(not tool.lazy for tool in TOOLS.values())
    assert messages == [f"Tools: {needed} of {needed} are ready."]


def test_only_what_is_asked_for_and_missing_is_made(laptop):
    kubectl = laptop.path / "kubectl"
    kubectl.write_text("#!/bin/sh\necho Client Version: v1.35.0\n")
    kubectl.chmod(0o755)

    tools.build(["kubectl", "etcd"], lambda line: None)

    assert len(laptop.builds) == 1
    assert laptop.builds[0].endswith("go.etcd.io/etcd/server/v3")


def test_go_is_not_needed_when_all_is_there(laptop):
    tools.build(["etcd"], lambda line: None)
    laptop.go.unlink()

    tools.build(["etcd"], lambda line: None)


def test_yunikorn_is_built_with_its_address_made_settable(laptop):
    tools.build(["yunikorn"], lambda line: None)

    built = tools.path("yunikorn").read_text()
    assert 'Addr: cmp.Or(os.Getenv("YUNIKORN_REST_ADDRESS"), ":9080"),' in built
    assert (laptop.folder / "module/pkg/webservice/webservice.go").read_text() == WEB_SERVER


def test_the_files_that_come_with_a_program_are_kept_beside_it(laptop):
    tools.build(["kwok-files", "spark-operator-files"], lambda line: None)

    assert [file.name for file in (tools.files("kwok") / "stages/node/fast").iterdir()] == [
        "node-initialize.yaml"
    ]
    assert (tools.files("spark-operator") / "crds/sparkapplications.yaml").read_text() == "crd"


def test_the_engine_and_its_parts_are_in_one_folder_where_they_look_for_each_other(laptop):
    tools.build(["pulumi"], lambda line: None)

    folder = tools.path("pulumi").parent
    assert {file.name for file in folder.iterdir()} == set(TOOLS["pulumi"].programs)
    assert all(os.access(file, os.X_OK) for file in folder.iterdir())
    assert tools.path("pulumi-language-python").parent == folder


def test_files_that_a_module_no_longer_has_are_missed(laptop):
    (laptop.folder / "module/config/crd/bases/sparkapplications.yaml").unlink()

    with pytest.raises(Refusal, match=r"spark-operator/v2 has no config/crd/bases/\*.yaml"):
        tools.build(["spark-operator-files"], lambda line: None)
    assert laptop.cached == set()


def test_without_go_one_sentence_says_what_needs_it(laptop):
    laptop.go.unlink()

    with pytest.raises(
        Refusal, match=r"^Making etcd and 1 more needs Go 1\.26\.0 or newer, and there is no `go` on PATH"
    ):
        tools.build(["etcd", "pulumi"], lambda line: None)


def test_too_old_a_go_is_refused_with_what_it_says_of_itself(laptop, monkeypatch):
    monkeypatch.setenv("FAKE_GO_VERSION", "go1.19.8")

    with pytest.raises(
        Refusal, match=r"needs Go 1\.26\.0 or newer, and `go version` says “go version go1\.19\.8"
    ):
        tools.build(["etcd"], lambda line: None)
    assert laptop.builds == []


def test_a_disk_without_room_is_refused_before_anything_is_made(laptop, monkeypatch):
    monkeypatch.setattr(machine.shutil, "disk_usage", lambda folder: SimpleNamespace(free=2**20))

    with pytest.raises(
        Refusal, match=r"^Making kube-apiserver needs 2\.6 GiB on the disk of .* which has 1 MiB left"
    ):
        tools.build(["kube-apiserver"], lambda line: None)
    assert laptop.builds == []


def test_a_disk_that_fills_up_is_one_sentence(laptop, monkeypatch):
    monkeypatch.setenv("FAKE_ERROR", "write /x: no space left on device")

    with pytest.raises(
        Refusal, match=r"^etcd could not be made: .*no space left on device \(free 176 MiB, or set"
    ):
        tools.build(["etcd"], lambda line: None)


def test_a_build_that_fails_leaves_nothing_and_says_the_last_word_and_the_log(laptop, monkeypatch):
    monkeypatch.setenv("FAKE_ERROR", "go: dial tcp: lookup proxy: no such host")

    with pytest.raises(Refusal) as refused:
        tools.build(["etcd"], lambda line: None)
    log = cache.root() / "etcd" / "log"
    assert str(refused.value) == (
        f"etcd could not be made: go: dial tcp: lookup proxy: no such host (the full output is in {log})."
    )
    assert "no such host" in log.read_text()
    assert laptop.cached == set()


def test_an_interrupted_build_leaves_nothing_and_the_next_one_is_whole(laptop):
    laptop.hold()
    building = laptop.start("etcd")
    laptop.await_start()

    building.send_signal(signal.SIGTERM)
    _, complained = building.communicate()

    assert building.returncode == 130
    assert complained == ""
    assert laptop.cached == set()
    (laptop.folder / "started").unlink()
    tools.build(["etcd"], lambda line: None)
    assert tools.path("etcd").read_text() == "whole\n"


def test_what_a_killed_build_left_is_not_taken_for_the_tool(laptop):
    half = cache.root() / "etcd" / ".new" / "made"
    half.mkdir(parents=True)
    (half / "etcd").write_text("half")

    tools.build(["etcd"], lambda line: None)

    assert tools.path("etcd").read_text() == "whole\n"
    assert len(laptop.cached) == 1


def test_two_checkouts_that_need_the_same_tool_build_it_once(laptop):
    laptop.hold()
    first = laptop.start("etcd")
    laptop.await_start()
    second = laptop.start("etcd")
    assert second.stdout.readline() == "waiting for another process that is building etcd\n"

    laptop.let_go_on()

    assert first.wait() == second.wait() == 0
    first.communicate(), second.communicate()
    assert len(laptop.builds) == 1


def test_a_failure_is_one_line_for_the_shell_too(laptop):
    laptop.go.unlink()

    refused = laptop.start("etcd")
    _, complained = refused.communicate()

    assert refused.returncode == 1
    assert complained.count("\n") == 1
    assert complained.startswith("Making etcd needs Go")


def test_a_folder_of_links_leads_to_every_program_and_to_nothing_old(laptop, tmp_path):
    links = tmp_path / "bin"
    links.mkdir()
    (links / "gone").symlink_to(tmp_path / "old")
    tools.build(say=lambda line: None)

    tools.link_into(links)
    tools.link_into(links)

    programs = {name for tool in TOOLS.values() if not tool.lazy for name in tool.programs}
    assert {link.name for link in links.iterdir()} == programs | {system_programs.MARK}
    assert all((links / name).resolve() == tools.path(name) for name in programs)


def test_links_lead_to_what_is_installed_and_not_to_parts_that_it_lacks(laptop, tmp_path):
    for name, says in {"pulumi": "v3.250.0", "pulumi-language-python": ""}.items():
        (laptop.path / name).write_text(f"#!/bin/sh\necho '{says}'\n")
        (laptop.path / name).chmod(0o755)
    tools.build(say=lambda line: None)

    tools.link_into(tmp_path / "bin")

    assert (tmp_path / "bin" / "pulumi").readlink() == laptop.path / "pulumi"
    assert not (tmp_path / "bin" / "pulumi-analyzer-policy-python").is_symlink()
