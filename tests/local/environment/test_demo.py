"""`make demo` on `local`, with fewer workflows than it has by itself, and once more."""

import json
import re

import pytest

from localcloud.control_plane import ControlPlane
from moka.usage import places
from tests.support.aws_clients import aws_clients
from tests.support.demo import MOKA, demo, lines, quoted, run
from tests.support.waiting import eventually

BUCKET = "moka-local-123456789012-us-east-1-resource-usage"


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


def parts(local):
    """Keys of the history in the bucket that the recorder did not write."""
    pages = aws_clients(local.cloud)("s3").get_paginator("list_objects_v2")
    keys = (
        one["Key"]
        for page in pages.paginate(Bucket=BUCKET, Prefix=places.ROOT)
        for one in page.get("Contents", ())
    )
    return {key for key in keys if (part := places.part(key)) and part.number > 90_000_000}


def test_a_history_a_plan_in_force_and_a_report_are_shown_and_again_without_anything_twice(
    shown, local, tmp_path
):
    printed = shown()

    first = parts(local)
    assert len(first) == 2 * 30
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

    printed = shown()

    assert parts(local) == first
    assert ": 0 of 60 were not known so." in printed
    assert f"{plan} is in force from before, and is taken back first." in printed
    assert "before  8 cores and 64 GiB, 20 jobs at a time" in printed
    told = run(
        *(local, MOKA, "usage", "report", "local", "--json"),
        *("--workflows", str(tmp_path / "workflows.yaml")),
    )
    [cluster] = json.loads(told.stdout)["clusters"]
    assert max(one["runs"] for one in cluster["workflows"]) == 24
