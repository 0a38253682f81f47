"""A company's repository, as `moka init` starts it: moka is what its wheels hold."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from commands.app import app
from localcloud.tools import cache
from tests.support.installed_wheels import environment_with


class Repository:
    """It, with its Python packages installed."""

    def __init__(self, folder: Path) -> None:
        options = ("--account", "111122223333", "--deployer-network", "54.240.193.7/32")
        result = CliRunner().invoke(app, ["init", str(folder), *options])
        assert result.exit_code == 0, result.output
        self.folder = folder
        environment_with(folder / ".local" / "venv", sorted((folder / "vendor").iterdir()))
        shutil.copy(folder / "requirements.txt", folder / ".local" / "venv" / "requirements.stamp")

    def run(self, script: str) -> str:
        """Run shell commands there, up to the first that fails; what they print."""
        kept = {
            name: os.environ[name]
            for name in ("HOME", "JAVA_HOME", "LANG", "PATH", "TMPDIR")
            if name in os.environ
        }
        environment = {**kept, "MOKA_CACHE": str(cache.root())}
        done = subprocess.run(
            ["bash", "-ec", script],
            cwd=self.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert done.returncode == 0, done.stdout
        return done.stdout


@pytest.fixture(scope="module")
def acme(tmp_path_factory):
    repository = Repository(tmp_path_factory.mktemp("companies") / "acme")
    yield repository
    repository.run("make clean")


def test_its_environment_is_previewed_with_its_policies(acme):
    shown = acme.run("make preview")

    assert "acme-local-" in shown
    assert re.search(r"\b[4-9]\d\d to create", shown), "the whole environment is previewed"
    assert "[advisory]  chart-rendered" in shown, "the policy pack of the wheel was asked"


def test_its_commands_are_about_its_own_settings(acme):
    assert "Queues of dev, cluster spark-a" in acme.run("make queues STACK=dev")
    assert "account 111122223333" in acme.run("make draw STACK=dev")
    assert acme.run(".local/venv/bin/moka rollout dev").split() == ["dev.shared", "dev.spark-a"]


def test_a_change_of_its_settings_touches_its_stacks(acme):
    acme.run("git add -A; git -c user.name=a -c user.email=a@acme.example commit --quiet --message begun")

    assert acme.run(".local/venv/bin/moka changed main") == ""
    acme.run("sed -i 's/max_applications: 40/max_applications: 50/' stacks/dev.yaml")
    assert acme.run(".local/venv/bin/moka changed main").split() == ["dev.shared", "dev.spark-a"]
