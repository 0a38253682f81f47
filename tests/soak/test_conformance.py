"""Every probe of conformance is refused by the laptop."""

import json
import subprocess

from conformance.refusals.catalog import PROBES
from localcloud.cloud import REPOSITORY


def test_the_laptop_refuses_every_probe(tmp_path, monkeypatch):
    monkeypatch.setenv("MOKA_CLOUD", str(tmp_path / "cloud"))
    try:
        result = subprocess.run(
            ["make", "conformance", "ARGS=--json"], cwd=REPOSITORY, capture_output=True, text=True
        )
    finally:
        subprocess.run([".local/venv/bin/python", "-m", "localcloud", "stop"], cwd=REPOSITORY, check=True)

    assert result.returncode == 0, result.stdout + result.stderr[-3000:]
    answers = json.loads(result.stdout)["answers"]
    assert {answer["probe"] for answer in answers} == {probe.name for probe in PROBES}
    assert {answer["outcome"] for answer in answers} == {"refused"}
