"""Environments of one and of many clusters, each like that of `local`, beside the floor.

Only previews: a control plane for each of twenty clusters would not fit on a laptop.
"""

import copy
import json
from collections import Counter
from typing import Any

import yaml

from benchmarks.bench import FOLDER, RUNTIME, Stack, floor, write
from benchmarks.measure import Measured, middle
from benchmarks.program import copy_program
from localcloud.cloud import REPOSITORY
from stacks import settings

FEW, SOME, MANY = 1, 10, 20
"""Clusters in an environment."""

PREVIEWS = 3
"""How often each is taken; the median counts."""

TO_THE_FLOOR = 1.25
A_CLUSTER = 1.2
"""At most: a preview of many clusters to the floor; its time a cluster to that of one cluster."""


def settings_of(clusters: int) -> dict[str, Any]:
    """Settings of an environment with as many clusters, made from those of `local`."""
    made: dict[str, Any] = yaml.safe_load(settings.path_of("local").read_text())
    made["environment"] = "fleet"
    [one] = made["clusters"].values()
    made["clusters"] = {f"spark-{number}": copy.deepcopy(one) for number in range(clusters)}
    made["home"] = "spark-0"
    # One range holds the pods of few clusters.
    network = made["foundations"]["main"]["network"]
    network["pod_cidrs"] = [f"100.{64 + number}.0.0/16" for number in range(3)]
    return made


def stack_of(clusters: int) -> Stack:
    """A project of this repository's program with such an environment."""
    name = f"fleet-{clusters}"
    folder = FOLDER / name
    folder.mkdir()
    copy_program(folder)
    described = yaml.safe_load((REPOSITORY / "Pulumi.yaml").read_text())
    write(folder / "Pulumi.yaml", {**described, "runtime": RUNTIME})
    write(folder / "stacks" / "fleet.yaml", settings_of(clusters))
    write(folder / "stacks" / f"Pulumi.{name}.yaml", {"config": {"moka:environment": "fleet"}})
    made = Stack(folder, name)
    made.engine.select(name)
    return made


def kinds(stack: Stack) -> Counter[str]:
    """How many resources of each type a preview shows, without the stack itself."""
    config = str(stack.engine.config_file(stack.name))
    shown = stack.engine.pulumi("preview", "--json", "--stack", stack.name, "--config-file", config)
    types = (step["newState"]["type"] for step in json.loads(shown)["steps"])
    return Counter(each for each in types if each != "pulumi:pulumi:Stack")


def table() -> str:
    """Measure, and tell."""
    stacks = {clusters: stack_of(clusters) for clusters in (FEW, SOME, MANY)}
    counted = {clusters: kinds(stack) for clusters, stack in stacks.items()}
    many = counted[MANY].total(), counted[MANY]["pulumi:providers:kubernetes"]
    plain, paced = floor("floor-of-many", *many), floor("floor-of-many-paced", *many, paced=True)

    previews = {clusters: _preview(stack) for clusters, stack in stacks.items()}
    least, least_paced = _preview(plain), _preview(paced)
    rows = [
        *(
            (f"{clusters} cluster{'s' if clusters > 1 else ''}", counted[clusters].total(), measured)
            for clusters, measured in previews.items()
        ),
        (f"floor of {MANY}", many[0], least),
        (f"floor of {MANY}, paced as our program is", many[0], least_paced),
    ]
    return "\n".join(
        [
            f"previews, the median of {PREVIEWS}.",
            "",
            "| environment | resources | preview | CPU | memory |",
            "| --- | --- | --- | --- | --- |",
            *(
                f"| {what} | {resources} | {measured.seconds:.1f} s | {measured.cpu_seconds:.1f} s "
                f"| {measured.mebibytes:.0f} MiB |"
                for what, resources, measured in rows
            ),
            "",
            "| ratio | time | at most | CPU | memory |",
            "| --- | --- | --- | --- | --- |",
            _ratio(f"{MANY} clusters to the floor", previews[MANY], least, 1, TO_THE_FLOOR),
            _ratio(f"{MANY} clusters to the floor, paced", previews[MANY], least_paced, 1, None),
            _ratio(f"a cluster at {MANY} to that at {FEW}", previews[MANY], previews[FEW], MANY, A_CLUSTER),
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
    return middle([stack.pulumi("preview") for _ in range(PREVIEWS)])


def _beyond(more: Measured, less: Measured) -> Measured:
    return Measured(
        more.seconds - less.seconds, more.cpu_seconds - less.cpu_seconds, more.mebibytes - less.mebibytes
    )


def _ratio(what: str, one: Measured, other: Measured, times: float, limit: float | None) -> str:
    """A row: `one`, which is `times` as much work, to `other`."""
    return (
        f"| {what} | {one.seconds / other.seconds / times:.2f} | {limit or ''} "
        f"| {one.cpu_seconds / other.cpu_seconds / times:.2f} "
        f"| {one.mebibytes / other.mebibytes / times:.2f} |"
    )
