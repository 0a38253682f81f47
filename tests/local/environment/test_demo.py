"""`make demo` on `local`, with few workflows; tests/soak/test_demo.py has all of them, twice."""

import re

import pytest

from localcloud.control_plane import ControlPlane
from tests.support.demo import MOKA, demo, lines, quoted, run
from tests.support.waiting import eventually


@pytest.fixture
def shown(local, tmp_path):
    """Run the demo; what it printed. Afterwards no plan is in force, and nothing runs."""
    yield lambda: demo(local, "--workflows", "60", "--folder", str(tmp_path))
    run(local, MOKA, "plan", "withdraw", "--why", "the demo is over")
    # Others look at what there is in the namespace.
    [plane] = ControlPlane.all(local.cloud)
    applications = "/apis/sparkoperator.k8s.io/v1beta2/namespaces/spark-jobs/sparkapplications"
    for application in plane.api().list(applications):
        plane.api().delete(f"{applications}/{application['metadata']['name']}")
    eventually(lambda: not plane.api().list("/api/v1/namespaces/spark-jobs/pods"))


def test_a_history_a_plan_in_force_and_a_report_are_shown(shown, local, tmp_path):
    printed = shown()

    assert lines("".join(quoted())) - lines(printed) == set()
    assert "PUT /v1/workflows" in printed and ": 60 of 60 were not known so." in printed
    # The plan is in force, and another than the settings.
    [plan] = re.findall(r"In force: (\S+), revision", printed)
    in_force = run(local, MOKA, "queues", "local", "--in-force")
    assert (in_force.returncode, in_force.stdout) == (0, f"spark-a: as the settings and plan {plan} say\n")
    assert "before  8 cores and 64 GiB, 20 jobs at a time" in printed
    assert "pi  succeeded" in printed
    for name, begins in (("usage.html", "<!DOCTYPE html>"), ("plan.svg", "<svg")):
        assert (tmp_path / name).read_text().startswith(begins)
