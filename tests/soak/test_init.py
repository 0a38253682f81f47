"""A company's repository from `moka init` to `make down`, all that it needs installed by its hashes."""

import os
import re
import subprocess

import pytest

from localcloud.cloud import REPOSITORY
from localcloud.tools import cache
from tests.support.documented import commands

pytestmark = pytest.mark.usefixtures("checkpoints")

COMMANDS = commands("docs/package.md", "## A company's repository", 0)


@pytest.fixture
def home(tmp_path):
    """A home with a checkout at hand."""
    environment = {name: os.environ[name] for name in ("JAVA_HOME", "LANG", "PATH") if name in os.environ}
    environment |= {"HOME": str(tmp_path), "MOKA_CACHE": str(cache.root())}

    def run(script):
        done = subprocess.run(
            ["bash", "-ec", script],
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert done.returncode == 0, done.stdout
        return done.stdout

    yield run
    run("cd acme-spark; make clean")


def test_it_comes_up_by_the_commands_of_the_documentation_and_so_does_dev(home):
    shown = home(COMMANDS.replace(".local/venv/bin/moka", f"{REPOSITORY}/.local/venv/bin/moka"))

    assert re.search(r"^local is up: \d+ resources\.$", shown, re.MULTILINE)
    assert "s3://acme-local-123456789012-us-east-1-event-logs" in shown
    assert "kind: SparkApplication" in home("cd acme-spark; make job JOB=jobs/pi.yaml")
    assert "AWS_ROLE=arn:aws:iam::123456789012:role/acme-local-deploy" in home(
        "cd acme-spark; make bootstrap ARGS=--yes"
    )
    assert "All processes have ended." in home("cd acme-spark; make down")

    dev = home("cd acme-spark; make up STACK=dev ON=laptop")

    assert "dev.shared is up: " in dev
    assert "dev.spark-a is up: " in dev
    assert "All processes have ended." in home("cd acme-spark; make down STACK=dev ON=laptop")
