"""Previews of real changes for tests/unit/report: made anew by `python -m tests.support.previews FOLDER`.

Stacks `staging.shared`, `staging.batch-a` and `local` come up on a laptop cloud in FOLDER, unless they are up
in it; then each change of CHANGES is previewed with the policy pack by the real engine. What it printed stays
in FOLDER as <name>.json, and what is read of it goes to tests/unit/report/previews/<name>.gz. It takes about
ten minutes; names after FOLDER are of those to make.

Make them anew when the pack has changed, or what is deployed, and then the snapshots (snapshots.py). With
MOKA_CLOUD=FOLDER/cloud, `python -m localcloud stop` ends what is up.
"""

import gzip
import hashlib
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from localcloud import commands
from localcloud.cloud import REPOSITORY, Cloud
from localcloud.engine import Engine
from moka import as_of
from previews import STACK_TYPE
from stacks.slices import RESOURCES
from tests.support.deployment import put
from tests.support.pulumi_project import copy_project
from tests.support.pulumi_stack import PulumiStack

PREVIEWS = REPOSITORY / "tests" / "unit" / "report" / "previews"

STACKS = ("staging.shared", "staging.batch-a", "local")
STREAM = {"PULUMI_ENABLE_STREAMING_JSON_PREVIEW": "true"}

Settings = dict[str, Any]


@dataclass(frozen=True)
class Change:
    """A change of an environment's settings, and the stack whose preview shows it."""

    stack: str
    settings: Callable[[Settings], object]
    new: bool = False
    """Previewed where nothing is up yet, and as one document."""
    charts: str = "advisory"
    """Level of the policy that charts are rendered, which they cannot here; by default a laptop's."""


EARLIER, LATER = "1.34", "1.35"
"""Versions of Kubernetes: the one from which an upgrade is previewed, and the one of the settings."""

BOTH_SUPPORTED = "2026-09-01"


def _queues(text: Settings) -> None:
    organizations = text["queues"]["organizations"]
    organizations["science"]["weight"] = 2
    del organizations["analytics"]["projects"]["reports"]["tiers"][3]
    organizations["science"]["projects"]["forecasts"] = {"weight": 1, "tiers": {2: {"weight": 1}}}


def _generation(text: Settings) -> None:
    group = text["clusters"]["batch-a"]["node_groups"]["driver-arm64"]
    types = group["instance_types"]
    group |= {"instance_types": ["m8g.4xlarge"], "generation": 2, "retiring": {1: {"instance_types": types}}}


def _cost(text: Settings) -> None:
    groups = text["clusters"]["batch-a"]["node_groups"]
    groups["executor-amd64"] |= {"minimum": 12, "maximum": 12}
    groups["executor-arm64"]["maximum"] = 80
    groups["driver-arm64"]["minimum"] = groups["driver-arm64"]["maximum"] = 6


def _people(text: Settings) -> None:
    access = text["clusters"]["batch-a"]["access"]
    access["on-call"] |= {"policy": "admin"}
    access["auditors"] = {"principal": "arn:aws:iam::222233334444:role/auditors", "policy": "view"}


def _network(text: Settings) -> None:
    network = text["foundations"]["main"]["network"]
    network["transit_gateway"]["cidrs"].append("10.251.0.0/16")
    network["nat"] = "single"


def _namespaces(text: Settings) -> None:
    text["job_namespaces"]["spark-science"] = {"isolated": False}


def _kubernetes(text: Settings) -> None:
    cluster = text["clusters"]["batch-a"]
    cluster["version"] = LATER
    for name in ("driver-arm64", "driver-amd64", "shuffle"):
        group = cluster["node_groups"][name]
        group |= {"generation": 2, "retiring": {1: {"instance_types": group["instance_types"]}}}


def _data(text: Settings) -> None:
    text["uses"]["raw"] = {"bucket": "acme-raw-data"}
    text["job_namespaces"]["spark-analytics"]["uses"]["raw"] = "write"


CHANGES: Mapping[str, Change] = {
    "nothing": Change("staging.batch-a", lambda text: None, charts="disabled"),
    "queues": Change("staging.batch-a", _queues),
    "machines": Change("staging.batch-a", put("clusters.batch-a.node_groups.executor-arm64.max_pods", 40)),
    "generation": Change("staging.batch-a", _generation),
    "sizes": Change("staging.batch-a", _cost),
    "people": Change("staging.batch-a", _people),
    "public": Change("staging.batch-a", put("clusters.batch-a.public_access", ["3.5.0.0/19"])),
    "kubernetes": Change("staging.batch-a", _kubernetes),
    "refused": Change("staging.batch-a", put("clusters.batch-a.version", LATER)),
    "namespaces": Change("staging.batch-a", _namespaces),
    "data": Change("staging.batch-a", _data),
    "network": Change("staging.shared", _network),
    "unprotected": Change("staging.shared", put("retain", False)),
    "renamed": Change("local", put("organization", "other")),
    "new": Change("local", lambda text: None, new=True),
}


def main(folder: Path, names: list[str]) -> None:
    """Make previews anew, by default all."""
    project = folder / "project"
    if not project.exists():
        copy_project(project)
        set_earlier_version(project / "stacks" / "staging.yaml")
    engine, empty = (Engine(Cloud(folder / name), project) for name in ("cloud", "empty"))
    os.environ |= {"MOKA_MACHINES": "1", as_of.VARIABLE: BOTH_SUPPORTED}
    commands.start(empty)
    empty.select("local")
    for stack in STACKS:
        if not engine.resources(stack):
            assert commands.up(engine, stack, (), brief=True) == 0
    for name in names or CHANGES:
        text = preview(empty if CHANGES[name].new else engine, CHANGES[name]).replace(str(folder), "/cloud")
        (folder / f"{name}.json").write_text(text)
        with gzip.GzipFile(PREVIEWS / f"{name}.gz", "wb", mtime=0) as file:
            file.write(trimmed(text).encode())
        print(name, f"{len(text):,}", f"{len(trimmed(text)):,}")
    commands.stop(empty)


def set_earlier_version(file: Path) -> None:
    """Give the clusters of settings the earlier version."""
    settings = yaml.safe_load(file.read_text())
    for cluster in settings["clusters"].values():
        assert cluster["version"] == LATER
        cluster["version"] = EARLIER
    file.write_text(yaml.safe_dump(settings, sort_keys=False))


def preview(engine: Engine, change: Change) -> str:
    """What the engine streams of a change."""
    environment = change.stack.partition(".")[0]
    file = engine.project / "stacks" / f"{environment}.yaml"
    before = file.read_text()
    settings = yaml.safe_load(before)
    change.settings(settings)
    file.write_text(yaml.safe_dump(settings, sort_keys=False))
    levels = engine.project.parent / "levels.json"
    levels.write_text(json.dumps({"chart-rendered": change.charts}))
    pack = ("--policy-pack", str(REPOSITORY / "policies"), "--policy-pack-config", str(levels))
    try:
        stack = PulumiStack(engine, change.stack)
        copy = str(engine.config_file(change.stack))
        arguments = ("preview", "--json", "--config-file", copy, *pack)
        result = stack.try_run(*arguments, **({} if change.new else STREAM))
    finally:
        file.write_text(before)
    if result.returncode:
        print(f"{change}: {result.stderr}", file=sys.stderr)
    return result.stdout


def trimmed(text: str) -> str:
    """A preview without what nobody here reads."""
    if text.startswith("{\n"):
        digest = json.loads(text)
        for step in digest["steps"]:
            step |= {side: _state(step[side]) for side in ("oldState", "newState") if side in step}
        return json.dumps(digest, sort_keys=True)
    return "".join(f"{json.dumps(event, sort_keys=True)}\n" for event in _events(text))


KEPT = (
    "resourcePreEvent",
    "resOutputsEvent",
    "summaryEvent",
    "policyEvent",
    "policyRemediationEvent",
    "policyAnalyzeSummaryEvent",
    "policyAnalyzeStackSummaryEvent",
    "diagnosticEvent",
)
LONGEST = 4_000
"""Characters of a text; of longer ones the digest stays, as they are certificates and user data."""


def _events(stream: str) -> Iterator[dict[str, Any]]:
    for line in stream.splitlines():
        event = json.loads(line)
        kind = next((key for key in KEPT if key in event), None)
        if kind is None or event[kind].get("severity") == "debug":
            continue
        if "Analyze" in kind:
            # Which policies had nothing against a resource is of no use.
            if not event[kind].get("failed"):
                continue
            event[kind].pop("passed", None)
        if "PolicyPacks" in event[kind]:
            packs = event[kind]["PolicyPacks"]
            event[kind]["PolicyPacks"] = {key.split("|")[0]: version for key, version in packs.items()}
        metadata = event[kind].get("metadata")
        if metadata:
            stack = metadata["type"] == STACK_TYPE
            # All ends but the stack's say what the beginnings do.
            if kind == "resOutputsEvent" and not stack:
                continue
            # What the engine does for a replacement is in the one step of it.
            if metadata["op"] in ("create-replacement", "delete-replaced"):
                continue
            if metadata["op"] == "same" and not stack and not _tells(metadata):
                continue
            for side in ("old", "new"):
                if metadata[side]:
                    metadata[side] = _state(metadata[side])
        yield {"sequence": event["sequence"], "timestamp": 0, kind: event[kind]}


NAMING = (
    "aws:iam/role:Role",
    "aws:ec2/securityGroup:SecurityGroup",
    "aws:ec2/routeTable:RouteTable",
    "aws:ec2/launchTemplate:LaunchTemplate",
)


def _tells(metadata: dict[str, Any]) -> bool:
    """Whether an unchanged resource is of use: as the name of others, or as its protection changes."""
    old, new = (
        {key: side.get(key) for key in ("protect", "retainOnDelete")}
        for side in (metadata["old"], metadata["new"])
    )
    return metadata["type"] in NAMING or old != new


NOTHING = ("__defaults", "__fieldManager", "__initialApiVersion", "managedFields", "propertyDependencies")
NOWHERE = ("sourcePosition", "stackTrace", "dependencies")


def _state(state: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in state.items() if key != "outputs"}
    inputs, outputs = state.get("inputs") or {}, state.get("outputs") or {}
    if state["type"] == STACK_TYPE:
        kept["outputs"] = {unit: {RESOURCES: outputs[unit][RESOURCES]} for unit in outputs if "/" in unit}
    else:
        kept["outputs"] = {key: value for key, value in outputs.items() if inputs.get(key) != value}
    short: dict[str, Any] = _short(kept)
    places = [place for place in state.get("stackTrace") or () if LAYERS in place.get("sourcePosition", "")]
    return {**short, "stackTrace": places} if places else short


LAYERS = "/stacks/layers/"


def _short(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _short(part) for key, part in value.items() if key not in NOTHING + NOWHERE}
    if isinstance(value, list):
        return [_short(part) for part in value]
    if isinstance(value, str) and (len(value) > LONGEST or value.startswith("TUlNR")):
        return f"sha256:{hashlib.sha256(value.encode()).hexdigest()}"
    return value


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), sys.argv[2:])
