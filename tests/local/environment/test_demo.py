"""`make demo` on `local`, with fewer workflows than it has by itself, and once more."""

import json
import os
import re
import shlex
import subprocess
import sys

import pytest

from localcloud import commands
from localcloud.cloud import REPOSITORY
from localcloud.control_plane import ControlPlane
from moka.usage import places
from tests.support.aws_clients import aws_clients
from tests.support.waiting import eventually

BUCKET = "moka-local-123456789012-us-east-1-resource-usage"


@pytest.fixture(scope="module")
def shell(local):
    """Variables of a shell after `. .local/env`."""
    exports = (line.removeprefix("export ") for line in commands.exports(local).splitlines())
    pairs = (shlex.split(line)[0].partition("=") for line in exports if not line.startswith("unset"))
    return {"HOME": os.environ["HOME"], **{name: value for name, _, value in pairs}}


@pytest.fixture(scope="module")
def run(shell):
    """Run a command there."""

    def run(*command):
        return subprocess.run(command, cwd=REPOSITORY, env=shell, capture_output=True, text=True)

    return run


@pytest.fixture(scope="module")
def demo(local, run, tmp_path_factory):
    """Run the demo; its folder, and what it printed. Afterwards no plan is in force."""
    folder = tmp_path_factory.mktemp("demo")

    def show():
        done = run(sys.executable, "-m", "demo", "--workflows", "60", "--folder", str(folder))
        assert done.returncode == 0, done.stdout + done.stderr
        return folder, done.stdout

    yield show
    run(".local/venv/bin/moka", "plan", "withdraw", "--why", "the demo is over")
    # Others look at what there is in the namespace.
    [plane] = ControlPlane.all(local.cloud)
    namespace, kind = "namespaces/spark-jobs", "sparkapplications"
    path = f"/apis/sparkoperator.k8s.io/v1beta2/{namespace}/{kind}"
    for application in plane.api().list(path):
        plane.api().delete(f"{path}/{application['metadata']['name']}")
    eventually(lambda: not plane.api().list(f"/api/v1/{namespace}/pods"))


def parts(local):
    """Keys of the history in the bucket that the recorder did not write."""
    pages = aws_clients(local.cloud)("s3").get_paginator("list_objects_v2")
    keys = (
        one["Key"]
        for page in pages.paginate(Bucket=BUCKET, Prefix=places.ROOT)
        for one in page.get("Contents", ())
    )
    return {key for key in keys if (part := places.part(key)) and part.number > 90_000_000}


def lines(text):
    """Lines with anything in place of numbers, amounts, ids and verdicts."""
    for change in (
        r"\d{4}-\d\d-\d\d-cp-sat-\w+",
        r"nothing|[\d.]+ cores and [\d.]+ GiB",
        r"any number of|none|met$|missed$",
        r"/\S*(?=/[a-z]+[.])|[.]local/demo(?=/)",
        r"\d[\d.,]*[mMGi]*",
    ):
        text = re.sub(change, "#", text, flags=re.MULTILINE)
    return {re.sub(r"\s+", " ", line).strip() for line in text.splitlines()}


def quoted():
    """What the page quotes: blocks that begin with a command."""
    blocks = re.findall(r"(?:^    .*\n)+", (REPOSITORY / "docs" / "demo.md").read_text(), re.MULTILINE)
    shown = [block for block in blocks if block.startswith("    $ ")]
    assert len(shown) == 3
    return lines("".join(shown))


def test_a_history_a_plan_in_force_and_a_report_are_shown_and_again_without_anything_twice(demo, local, run):
    folder, printed = demo()

    first = parts(local)
    assert len(first) == 2 * 30
    assert "PUT /v1/workflows" in printed and ": 60 of 60 were not known so." in printed
    assert quoted() - lines(printed) == set()
    # The plan is in force, and another than the settings.
    [plan] = re.findall(r"In force: (\S+), revision", printed)
    in_force = run(".local/venv/bin/moka", "queues", "local", "--in-force")
    assert (in_force.returncode, in_force.stdout) == (0, f"spark-a: as the settings and plan {plan} say\n")
    assert "before  8 cores and 64 GiB, 20 jobs at a time" in printed
    assert "pi  succeeded" in printed
    assert re.search(r"tier 2: \d+ of \d+ workflows within their SLO", printed)
    for name, begins in (("usage.html", "<!DOCTYPE html>"), ("plan.svg", "<svg")):
        assert (folder / name).read_text().startswith(begins)

    _, printed = demo()

    assert parts(local) == first
    assert ": 0 of 60 were not known so." in printed
    assert f"{plan} is in force from before, and is taken back first." in printed
    assert "before  8 cores and 64 GiB, 20 jobs at a time" in printed
    report = run(
        *(".local/venv/bin/moka", "usage", "report", "local", "--json"),
        *("--workflows", str(folder / "workflows.yaml")),
    )
    [cluster] = json.loads(report.stdout)["clusters"]
    assert max(one["runs"] for one in cluster["workflows"]) == 24
