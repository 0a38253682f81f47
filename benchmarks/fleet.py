"""Environments of one and of many clusters, each like that of `local`, beside the floor.

Only previews: a control plane for each of twenty clusters would not fit on a laptop.
"""

import copy
import json
from collections import Counter
from typing import Any

import yaml

from benchmarks.bench import FOLDER, RUNTIME, Stack, floor, write
from benchmarks.measure import Measured, median_of
from benchmarks.program import copy_program
from localcloud.cloud import REPOSITORY
from stacks import settings

CLUSTERS = FEW, SOME, MANY = 1, 10, 20
"""Clusters in an environment."""

PREVIEWS = 3
"""Previews of each; the median counts."""

MAX_TO_FLOOR = 1.25
MAX_PER_CLUSTER = 1.2
"""Ratio of a preview of many clusters to the floor, and of its time per cluster to that of one cluster."""


def settings_of(clusters: int) -> dict[str, Any]:
    """Settings of an environment with a number of clusters, each like that of `local`."""
    document: dict[str, Any] = yaml.safe_load(settings.path_of("local").read_text())
    document["environment"] = "fleet"
    [cluster] = document["clusters"].values()
    document["clusters"] = {f"spark-{number}": copy.deepcopy(cluster) for number in range(clusters)}
    document["home"] = "spark-0"
    # So many nodes are more than Docker Hub serves behind one address.
    document["charts"] = {"mirror": "registry.example/mirror"}
    # One range holds the pods of few clusters.
    network = document["foundations"]["main"]["network"]
    network["pod_cidrs"] = [f"100.{64 + number}.0.0/16" for number in range(3)]
    return document


def stack_of(clusters: int) -> Stack:
    """A project of this repository's program with an environment of a number of clusters."""
    name = f"fleet-{clusters}"
    folder = FOLDER / name
    folder.mkdir()
    copy_program(folder)
    description = yaml.safe_load((REPOSITORY / "Pulumi.yaml").read_text())
    write(folder / "Pulumi.yaml", {**description, "runtime": RUNTIME})
    write(folder / "stacks" / "fleet.yaml", settings_of(clusters))
    write(folder / "stacks" / f"Pulumi.{name}.yaml", {"config": {"moka:environment": "fleet"}})
    stack = Stack(folder, name)
    stack.engine.select(name)
    return stack


def kinds(stack: Stack) -> Counter[str]:
    """How many resources of each type a preview shows, without the stack itself."""
    config = str(stack.engine.config_file(stack.name))
    preview = stack.engine.pulumi("preview", "--json", "--stack", stack.name, "--config-file", config)
    types = (step["newState"]["type"] for step in json.loads(preview)["steps"])
    return Counter(type for type in types if type != "pulumi:pulumi:Stack")


def table() -> str:
    """Measure; the table."""
    stacks = {clusters: stack_of(clusters) for clusters in CLUSTERS}
    types = {clusters: kinds(stack) for clusters, stack in stacks.items()}
    twenty = types[MANY].total(), types[MANY]["pulumi:providers:kubernetes"]
    unpaced, paced = floor("floor-of-many", *twenty), floor("floor-of-many-paced", *twenty, paced=True)

    previews = {clusters: _preview(stack) for clusters, stack in stacks.items()}
    floor_preview, paced_preview = _preview(unpaced), _preview(paced)
    rows = [
        *(
            (f"{clusters} cluster{'s' if clusters > 1 else ''}", types[clusters].total(), measurement)
            for clusters, measurement in previews.items()
        ),
        (f"floor of {MANY}", twenty[0], floor_preview),
        (f"floor of {MANY}, paced as our program is", twenty[0], paced_preview),
    ]
    return "\n".join(
        [
            f"previews, the median of {PREVIEWS}.",
            "",
            "| environment | resources | preview | CPU | memory |",
            "| --- | --- | --- | --- | --- |",
            *(
                f"| {subject} | {resources} | {measurement.seconds:.1f} s | {measurement.cpu_seconds:.1f} s "
                f"| {measurement.mebibytes:.0f} MiB |"
                for subject, resources, measurement in rows
            ),
            "",
            "| ratio | time | at most | CPU | memory |",
            "| --- | --- | --- | --- | --- |",
            _ratio(f"{MANY} clusters to the floor", previews[MANY], floor_preview, 1, MAX_TO_FLOOR),
            _ratio(f"{MANY} clusters to the floor, paced", previews[MANY], paced_preview, 1, None),
            _ratio(
                f"a cluster at {MANY} to that at {FEW}", previews[MANY], previews[FEW], MANY, MAX_PER_CLUSTER
            ),
            _ratio(
                f"each further cluster from {SOME} to {MANY}, to each from {FEW} to {SOME}",
                _beyond(previews[MANY], previews[SOME]),
                _beyond(previews[SOME], previews[FEW]),
                (MANY - SOME) / (SOME - FEW),
                None,
            ),
            "",
        ]
    )


def _preview(stack: Stack) -> Measured:
    return median_of([stack.pulumi("preview") for _ in range(PREVIEWS)])


def _beyond(more: Measured, less: Measured) -> Measured:
    return Measured(
        more.seconds - less.seconds, more.cpu_seconds - less.cpu_seconds, more.mebibytes - less.mebibytes
    )


def _ratio(
    subject: str, measurement: Measured, reference: Measured, times: float, limit: float | None
) -> str:
    """A row: `measurement`, which is `times` as much work, to `reference`."""
    return (
        f"| {subject} | {measurement.seconds / reference.seconds / times:.2f} | {limit or ''} "
        f"| {measurement.cpu_seconds / reference.cpu_seconds / times:.2f} "
        f"| {measurement.mebibytes / reference.mebibytes / times:.2f} |"
    )
