"""`make demo` as it is by itself: 2,000 workflows; and once more."""

import json
import re

from localcloud import commands
from localcloud.cloud import Cloud
from localcloud.engine import Engine
from moka.usage import places
from tests.support.aws_clients import aws_clients
from tests.support.demo import MOKA, demo, lines, quoted, run

BUCKET = "moka-local-123456789012-us-east-1-resource-usage"


def parts(engine):
    """Keys of the history in the bucket that the recorder did not write."""
    pages = aws_clients(engine.cloud)("s3").get_paginator("list_objects_v2")
    keys = (
        one["Key"]
        for page in pages.paginate(Bucket=BUCKET, Prefix=places.ROOT)
        for one in page.get("Contents", ())
    )
    return {key for key in keys if (part := places.part(key)) and part.number > 90_000_000}


def test_thirty_days_of_two_thousand_workflows_are_shown_as_the_page_says_and_again_without_anything_twice(
    tmp_path, progress
):
    engine = Engine(Cloud(tmp_path / "cloud"))
    try:
        assert commands.up(engine, "local", ("--non-interactive",)) == 0
        folder = tmp_path / "demo"
        printed = demo(engine, "--folder", str(folder))
        first = parts(engine)
        again = demo(engine, "--folder", str(folder))
        second = parts(engine)
        told = run(
            *(engine, MOKA, "usage", "report", "local", "--json"),
            *("--workflows", str(folder / "workflows.yaml")),
        )
        in_force = run(engine, MOKA, "queues", "local", "--in-force")
    finally:
        commands.stop(engine)

    progress("\n".join(line for line in printed.splitlines() if line.endswith(" s]")))
    assert lines("".join(quoted())) - lines(printed) == set()
    assert "on spark-a: 94,500 runs" in printed
    assert "PUT /v1/workflows" in printed and "pi  succeeded" in printed
    for name, begins in (("usage.html", "<!DOCTYPE html>"), ("plan.svg", "<svg")):
        assert (folder / name).read_text().startswith(begins)
    assert "2,000 of 2,000 were not known so" in printed
    # Twenty jobs at a time are too few for the second tier, and the plan has more.
    assert re.search(
        r"^  tier 2: \d+ of 600 workflows within their SLO, \d+%: missed$", printed, re.MULTILINE
    )
    assert "root.analytics.reports.tier2 on spark-a: jobs at a time " in printed
    [plan] = re.findall(r"In force: (\S+), revision", printed)
    # In force is what the second one made of the same.
    [latest] = re.findall(r"In force: (\S+), revision", again)
    expected = f"spark-a: as the settings and plan {latest} say\n"
    assert (in_force.returncode, in_force.stdout) == (0, expected)
    assert len(first) == 2 * 30 and second == first
    assert ": 0 of 2,000 were not known so." in again
    assert f"{plan} is in force from before, and is taken back first." in again
    [cluster] = json.loads(told.stdout)["clusters"]
    assert max(workflow["runs"] for workflow in cluster["workflows"]) == 24
