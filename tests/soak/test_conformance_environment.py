"""The walk of `make conformance-environment` on the laptop: up, an upgrade, down, and looks between."""

import json
import subprocess
import sys

from localcloud.__main__ import SIMULATED
from localcloud.cloud import REPOSITORY
from localcloud.commands import create

CHECKED = ("outputs", "control plane", "version", "nodes", "pods a node", "add-ons", "job", "kill")


def test_local_is_walked_to_its_end(copied):
    create(copied, "local")
    before = (copied.project / "stacks" / "local.yaml").read_text()

    walked = subprocess.run(
        [
            *(sys.executable, "-m", "conformance.environment", "local", "--yes", "--json"),
            *("--lacking", str(SIMULATED), "--"),
            *(sys.executable, "-m", "localcloud", "--project", str(copied.project)),
            *("pulumi", "{verb}", "--stack", "{stack}", "--"),
        ],
        cwd=copied.project,
        env={**copied.environment(), "PYTHONPATH": str(REPOSITORY)},
        stdout=subprocess.PIPE,
        text=True,
    )

    report = json.loads(walked.stdout)
    assert walked.returncode == 0, report
    passed = [result["of"] for result in report["results"] if result["outcome"] == "passed"]
    assert passed == ["up", *CHECKED, "refusals", "upgrade", *CHECKED, "down", "leftovers"]
    assert (copied.project / "stacks" / "local.yaml").read_text() == before
    assert report["cost"].startswith("It cost about $")
