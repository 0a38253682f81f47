"""A repository that `moka init` starts, without anything being deployed from it."""

import hashlib
import os
import re
import shutil
import subprocess
from itertools import pairwise

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from typer.testing import CliRunner

from commands.app import app
from localcloud.cloud import REPOSITORY
from stacks.settings.reading import parse
from stacks.waves import rollout_order
from tests.unit.delivery.test_workflows import commands_in, mistake

OPTIONS = ("--account", "111122223333", "--deployer-network", "54.240.193.7/32")


def moka(*arguments):
    return CliRunner().invoke(app, list(map(str, arguments)))


@pytest.fixture(scope="module")
def acme(tmp_path_factory):
    folder = tmp_path_factory.mktemp("companies") / "acme"
    result = moka("init", folder, *OPTIONS, "--region", "eu-central-1")
    assert result.exit_code == 0, result.output
    return folder


def requirements(file):
    """What a file of requirements asks for, with what it names by `-r`."""
    for line in file.read_text().splitlines():
        text = line.partition("#")[0].strip()
        if text.startswith("-r "):
            yield from requirements(file.parent / text.removeprefix("-r "))
        elif text:
            yield Requirement(text)


def test_its_settings_are_of_the_company(acme):
    local, dev = (
        parse((acme / "stacks" / f"{name}.yaml").read_text(), f"stacks/{name}.yaml", name)
        for name in ("local", "dev")
    )

    assert local.organization == dev.organization == "acme"
    [foundation] = dev.foundations.values()
    assert (foundation.account, foundation.region) == ("111122223333", "eu-central-1")
    assert foundation.network.zones == ["eu-central-1a", "eu-central-1b", "eu-central-1c"]
    assert "moka-local" not in (acme / "stacks" / "local.yaml").read_text()


def test_each_stack_has_its_file(acme):
    dev = parse((acme / "stacks" / "dev.yaml").read_text(), "stacks/dev.yaml", "dev")
    stacks = rollout_order(dev)

    assert sorted(path.name for path in acme.glob("stacks/Pulumi.*.yaml")) == sorted(
        f"Pulumi.{stack}.yaml" for stack in ("local", *stacks)
    )


def test_every_package_is_pinned_by_hash_moka_itself_too(acme):
    lines = (acme / "requirements.txt").read_text().splitlines()
    vendored = dict(line.split(" --hash=sha256:") for line in lines if line.startswith("./vendor/"))

    assert vendored == {
        f"./vendor/{path.name}": hashlib.sha256(path.read_bytes()).hexdigest()
        for path in (acme / "vendor").iterdir()
    }
    assert len(vendored) == 4
    pinned = {
        canonicalize_name(match[1]): match[2]
        for line, after in pairwise(lines)
        if (match := re.match(r"([\w.-]+)(?:\[.*\])?==(\S+)", line)) and "--hash=sha256:" in after
    }
    required = list(requirements(REPOSITORY / "packages" / "repository" / "requirements.in"))
    assert [
        str(one) for one in required if pinned.get(canonicalize_name(one.name), "") not in one.specifier
    ] == []
    assert len(required) > 20


def test_its_workflows_are_right_and_deploy_dev(acme):
    files = sorted((acme / ".github" / "workflows").glob("*.yml"))
    texts = {path.stem: path.read_text() for path in files}
    check = ["go", "-C", str(REPOSITORY / ".github" / "actionlint"), "tool", "actionlint", *map(str, files)]

    assert subprocess.run(check, capture_output=True, text=True).stdout == ""
    assert [call for text in texts.values() for call in commands_in(text) if mistake(*call)] == []
    rollout = yaml.safe_load(texts["rollout"])["jobs"]
    assert [job["with"]["environment"] for job in rollout.values() if "with" in job] == ["dev"]
    assert "staging" not in "".join(texts.values())


@pytest.mark.skipif(not shutil.which("git"), reason="no git")
def test_it_is_a_git_repository_without_a_commit_of_ours(acme):
    status = subprocess.run(["git", "status", "--short"], cwd=acme, capture_output=True, text=True).stdout

    assert "?? stacks/" in status


def test_a_folder_with_something_in_it_stays_as_it_is(acme):
    before = sorted(acme.rglob("*"))

    result = moka("init", acme, *OPTIONS)

    assert result.exit_code == 1
    assert result.output == (
        f"{acme} is there and not empty: name a new folder, or --update for one that has moka.\n"
    )
    assert sorted(acme.rglob("*")) == before


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ((), "No account: name the AWS account of the first environment, as in --account 111122223333."),
        (("--account", "12"), "--account is '12': write the twelve digits of an AWS account."),
        (("--account", "111122223333"), "No network: name where `up` runs, as in --deployer-network 54."),
        ((*OPTIONS, "--zones", "1,2"), "--zones is '1,2': name zones by their last letters, as in abc "),
        ((*OPTIONS, "--region", "us-esat-1"), "AWS has no such region; did you mean 'us-west-1'?"),
        (
            (*OPTIONS[:-1], "10.0.0.0/8"),
            "10.0.0.0/8 has addresses of 10.0.0.0/8, which the internet does not ",
        ),
        ((*OPTIONS, "--organization", "Acme Inc"), "organization: is 'Acme Inc'; "),
        ((*OPTIONS, "--domain", "-"), "domain: is '-'; write a domain such as spark.example.com"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_written(tmp_path, options, sentence):
    result = moka("init", tmp_path / "acme", *options)

    assert result.exit_code == 1
    assert sentence in result.output
    assert list(tmp_path.iterdir()) == []


def test_an_update_replaces_what_is_mokas_only(acme, tmp_path):
    folder = tmp_path / "acme"
    shutil.copytree(acme, folder)
    own = {"stacks/dev.yaml": "x", "policies/configuration.yaml": "y", "Makefile": "z"}
    for name, text in own.items():
        (folder / name).write_text(text)
    for name in ("bootstrap", "requirements.txt"):
        (folder / name).write_text("old")
    (folder / "vendor" / "moka_eks-0.0.1-py3-none-any.whl").touch()

    result = moka("init", folder, "--update")

    assert result.exit_code == 0, result.output
    assert {name: (folder / name).read_text() for name in own} == own
    assert (folder / "bootstrap").read_text() == (REPOSITORY / "bootstrap").read_text()
    assert os.access(folder / "bootstrap", os.X_OK)
    assert "/vendor/moka_eks-" in (folder / "requirements.txt").read_text()
    assert sorted(path.name for path in (folder / "vendor").iterdir()) == sorted(
        path.name for path in (acme / "vendor").iterdir()
    )


def test_an_update_of_another_folder_is_refused(tmp_path):
    result = moka("init", tmp_path, "--update")

    assert (result.exit_code, result.output) == (
        1,
        f"{tmp_path} has no vendor/ and stacks/: name a folder that `moka init` made.\n",
    )
