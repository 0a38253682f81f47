import shutil
from dataclasses import replace

import pytest

from localcloud import tools
from localcloud.errors import Refusal
from localcloud.tools import cache, machine, system_programs
from localcloud.tools.build_job import apply_patch, link_flags, targets
from localcloud.tools.builder import duration, series
from localcloud.tools.table import TOOLS, Patch, Versions

GIB = 2**30


@pytest.fixture
def path(tmp_path, monkeypatch):
    """A PATH of one folder, and a way to put programs there that say a version."""
    folder = tmp_path / "path"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("MOKA_CACHE", str(tmp_path / "cache"))

    def put(name, says=""):
        program = folder / name
        program.write_text(f"#!/bin/sh\necho '{says}'\n")
        program.chmod(0o755)
        return program

    return put


@pytest.mark.parametrize(
    ("name", "says", "serves"),
    [
        ("kubectl", "Client Version: v1.34.4-dispatcher\nKustomize Version: v5.5.0", True),
        ("kubectl", "Client Version: v1.36.1", True),
        ("kubectl", "Client Version: v1.33.9", False),
        ("kubectl", "Client Version: v1.37.0", False),
        ("helm", "v3.20.2+g8fb76d6", True),
        ("helm", "v4.0.1+g12500dd", False),
        ("etcd", "etcd Version: 3.6.16\nGit SHA: Not provided", True),
        ("etcd", "etcd Version: 3.5.21", False),
        ("kube-apiserver", "Kubernetes v1.35.4", True),
        ("kube-apiserver", "Kubernetes v0.0.0-master+$Format:%H$", False),
        ("kwok", "kwok version v0.8.0 go1.26.8 (linux/amd64)", True),
        ("kwok", "an error", False),
    ],
)
def test_a_program_on_path_serves_in_the_versions_that_were_tried(path, name, says, serves):
    program = path(name, says)

    assert system_programs.suitable(TOOLS[name]) == (program if serves else None)
    assert (TOOLS[name] in tools.missing([name])) is not serves


def test_versions_serve_from_the_least_on_and_below_the_first_that_does_not():
    versions = Versions((), (3, 200), (4,))

    assert system_programs.accepts(versions, (3, 200, 0))
    assert system_programs.accepts(versions, (3, 999, 9))
    assert not system_programs.accepts(versions, (3, 199, 9))
    assert not system_programs.accepts(versions, (4, 0, 0))
    assert not system_programs.accepts(versions, None)


def test_an_installed_pulumi_is_used_with_its_own_parts_and_nothing_of_ours(path):
    pulumi, host = path("pulumi", "v3.250.0"), path("pulumi-language-python")

    assert tools.path("pulumi") == pulumi
    assert tools.path("pulumi-language-python") == host
    assert tools.missing(["pulumi"]) == []
    with pytest.raises(Refusal, match="pulumi-analyzer-policy-python is missing"):
        tools.path("pulumi-analyzer-policy-python")


def test_a_pulumi_without_its_language_host_does_not_serve(path):
    path("pulumi", "v3.250.0")

    assert [tool.name for tool in tools.missing(["pulumi"])] == ["pulumi"]


def test_a_language_host_alone_is_not_mixed_with_a_pulumi_made_here(path):
    host = path("pulumi-language-python")

    assert tools.missing(["pulumi"])
    with pytest.raises(Refusal, match=r"run `python -m localcloud.tools pulumi`"):
        tools.path("pulumi-language-python")
    assert host.exists()


def test_yunikorn_is_always_our_own_as_only_that_one_can_be_told_its_address(path):
    path("yunikorn", "v1.8.0")

    assert tools.missing(["yunikorn"])


def test_links_made_here_do_not_pass_for_programs_of_the_machine(path, tmp_path):
    kubectl = path("kubectl", "Client Version: v1.35.4")
    (kubectl.parent / system_programs.MARK).touch()

    assert system_programs.on_path("kubectl") is None


def test_a_tool_can_be_named_by_the_environment(path, tmp_path, monkeypatch):
    program = tmp_path / "mine"
    program.touch()
    monkeypatch.setenv("MOKA_TOOL_SPARK_OPERATOR", str(program))

    assert tools.path("spark-operator") == program
    assert tools.missing(["spark-operator"]) == []


def test_a_named_tool_that_is_not_there_is_refused(path, monkeypatch):
    monkeypatch.setenv("MOKA_TOOL_ETCD", "/nowhere/etcd")

    with pytest.raises(Refusal, match="MOKA_TOOL_ETCD is /nowhere/etcd, which does not exist"):
        tools.path("etcd")


def test_a_tool_that_is_not_made_yet_says_how_to_make_it(path):
    with pytest.raises(Refusal, match=r"etcd is missing: run `python -m localcloud.tools etcd`"):
        tools.path("etcd")


def test_an_unknown_tool_is_refused_with_those_there_are(path):
    with pytest.raises(Refusal, match="There is no tool ectd: the tools are kube-apiserver"):
        tools.missing(["ectd"])


def test_every_tool_has_a_version_in_its_pins():
    versions = {tool.name: cache.folder(tool).name.partition("-")[0] for tool in TOOLS.values()}
    assert versions["yunikorn"] == "v1.8.0"
    assert versions["spark"].startswith("4.1.")


def test_a_tool_is_made_anew_when_anything_that_it_is_made_from_changes(tmp_path, monkeypatch):
    pins = tmp_path / "kubernetes"
    pins.mkdir()
    (pins / "go.mod").write_text("require go.etcd.io/etcd/server/v3 v3.6.16\n")
    (pins / "go.sum").write_text("sums\n")
    monkeypatch.setattr(cache, "PINS", tmp_path)
    etcd = TOOLS["etcd"]
    before = cache.folder(etcd)
    assert before.name.startswith("v3.6.16-")
    assert cache.folder(etcd) == before

    (pins / "go.sum").write_text("other sums\n")
    assert cache.folder(etcd) != before


def test_a_change_of_a_patch_or_of_link_flags_changes_the_key():
    yunikorn = TOOLS["yunikorn"]
    [part] = yunikorn.parts
    unpatched = replace(yunikorn, parts=(replace(part, patch=None),))
    unflagged = replace(yunikorn, parts=(replace(part, variables={}),))

    assert len({cache.key(yunikorn), cache.key(unpatched), cache.key(unflagged)}) == 3


def test_the_key_of_a_tool_changes_with_the_tags_of_its_build_and_with_a_program_of_ours(
    tmp_path, monkeypatch
):
    collector = TOOLS["collector"]
    (part,) = collector.parts
    whole = cache.key(replace(collector, parts=(replace(part, tags=()),)))
    before = cache.key(collector)
    shutil.copytree(cache.PINS / "collector", tmp_path / "collector")
    (tmp_path / "collector" / "components.go").write_text("package main")
    monkeypatch.setattr(cache, "PINS", tmp_path)

    assert len({before, whole, cache.key(collector)}) == 3


def test_a_change_of_an_expected_time_changes_nothing():
    assert cache.key(replace(TOOLS["etcd"], seconds=1)) == cache.key(TOOLS["etcd"])


def test_what_shares_pins_is_made_in_series_and_the_longest_series_comes_first():
    planned = [
        [tool.name for tool in group] for group in series(tool for tool in TOOLS.values() if not tool.lazy)
    ]

    assert planned[0][0] == "kube-apiserver"
    assert "spark-operator" in planned[0]
    assert planned[1] == ["pulumi"]


@pytest.mark.parametrize(
    ("cores", "gib", "share"),
    [
        (2, 23, machine.Share(streams=2, packages=2)),
        (2, 4, machine.Share(streams=1, packages=2)),
        (2, 1, machine.Share(streams=1, packages=1)),
        (16, 8, machine.Share(streams=2, packages=2)),
        (1, 64, machine.Share(streams=1, packages=1)),
    ],
)
def test_no_more_is_done_at_once_than_cores_and_memory_allow(cores, gib, share):
    assert machine.share(cores, gib * GIB, most=5) == share


def test_linking_is_told_the_version_of_the_tool():
    flags = link_flags(TOOLS["kube-apiserver"].parts[0], "v1.35.4")

    assert "-X k8s.io/component-base/version.gitVersion=v1.35.4" in flags
    assert "-X k8s.io/component-base/version.gitMinor=35" in flags


def test_a_patch_that_no_longer_fits_is_refused():
    patch = Patch("example.com/web", "web.go", ((":9080", ":0"),))

    assert apply_patch(patch, "serve(:9080)") == "serve(:0)"
    with pytest.raises(Refusal, match=r"web.go of example.com/web has :9080 2 times"):
        apply_patch(patch, ":9080 :9080")
    with pytest.raises(Refusal, match="0 times"):
        apply_patch(patch, "serve()")


def test_files_of_an_archive_go_where_the_table_says():
    copies = (("deps/bin/*", "bin"), ("deps/jars/*", "jars"))

    assert [str(target) for target in targets(copies, "deps/jars/spark-core.jar")] == ["jars/spark-core.jar"]
    assert list(targets(copies, "deps/examples/a.py")) == []
    assert list(targets(copies, "deps/jars/deeper/a.jar")) == []


def test_times_are_said_as_people_do():
    assert duration(40) == "40 s"
    assert duration(300) == "5 min"
