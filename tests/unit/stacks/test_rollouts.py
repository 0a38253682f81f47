"""A change of any workload of ours has the time that its pods may take, one after the other or in waves.

The engine gives each of them 10 minutes where nothing else is said (pulumi/pulumi-kubernetes:
provider/pkg/await/daemonset.go, deployment.go and statefulset.go).
"""

import math
import re

import pytest

from moka.sizes.rollouts import GRACE_SECONDS, PULL_SECONDS, START_SECONDS
from stacks import program, settings
from stacks.slices import Slice, units
from tests.support.wrong_settings import changed

KINDS = ("DaemonSet", "Deployment", "StatefulSet")
ENGINE_SECONDS = 600
UNITS = {"h": 3600, "m": 60, "s": 1}

DRAINING = "-celeborn-worker"
"""End quickly unless they leave for good: tests/unit/components/kubernetes/test_celeborn.py."""

LARGEST = {
    "clusters.spark-a.bootstrap": {
        "agent": {"image": "registry.example/agent:1", "ready": ["true"], "memory": "1Gi"}
    },
    "history": {"replicas": 4},
    "archer.service.replicas": 20,
}


@pytest.fixture(scope="module")
def largest(deploy):
    """stacks/local.yaml with a DaemonSet of its own, and as many replicas as settings take."""
    environment = settings.parse(changed(LARGEST), "stacks/local.yaml")
    return deploy(lambda: program.deploy(environment, Slice("local", frozenset(units(environment)))))


def workloads(recorder):
    return {
        path.rpartition("$")[2]: request
        for path, request in recorder.tree().items()
        if path.rpartition("$")[2].startswith(tuple(f"kubernetes:apps/v1:{kind}::" for kind in KINDS))
    }


def seconds(text: str) -> int:
    """Of a duration as the engine takes it."""
    if not text:
        return ENGINE_SECONDS
    return sum(int(number) * UNITS[unit] for number, unit in re.findall(r"(\d+)([hms])", text))


def start_seconds(container) -> int:
    probe = container.get("startupProbe")
    return probe["periodSeconds"] * probe["failureThreshold"] if probe else START_SECONDS


def needed_seconds(kind: str, spec) -> int:
    """Time for all pods to be replaced, each of them as slowly as it may be."""
    pod = spec["template"]["spec"]
    grace = pod.get("terminationGracePeriodSeconds", GRACE_SECONDS)
    sidecars = [c for c in pod.get("initContainers", ()) if c.get("restartPolicy") == "Always"]
    start = sum(map(start_seconds, sidecars)) or max(map(start_seconds, pod["containers"]))
    if kind == "DaemonSet":
        share = int(spec["updateStrategy"]["rollingUpdate"]["maxUnavailable"].removesuffix("%"))
        return math.ceil(100 / share) * (grace + PULL_SECONDS + start)
    if kind == "Deployment" and spec["strategy"]["type"] == "RollingUpdate":
        # The next one is there before one goes, and nothing waits for its end.
        return int(spec["replicas"]) * (PULL_SECONDS + start)
    return int(spec["replicas"]) * (grace + PULL_SECONDS + start)


def too_short(recorder) -> dict[str, tuple[int, int]]:
    """Workloads that may take longer than the engine waits: name -> needed, waited."""
    short = {}
    for name, request in workloads(recorder).items():
        kind, logical = re.fullmatch(r"kubernetes:apps/v1:(\w+)::(.+)", name).groups()
        needed = needed_seconds(kind, recorder.by_name(f"kubernetes:apps/v1:{kind}")[logical]["spec"])
        waited = seconds(request.customTimeouts.update)
        if needed > waited and not logical.endswith(DRAINING):
            short[name] = (needed, waited)
    return short


def test_every_change_of_a_workload_has_the_time_that_its_pods_may_take(whole):
    recorder = whole("prod")

    assert {name.split(":")[2] for name in workloads(recorder)} == set(KINDS)
    assert too_short(recorder) == {}


def test_those_that_only_settings_ask_for_have_it_too(largest):
    assert "kubernetes:apps/v1:DaemonSet::spark-a-bootstrap-agent" in workloads(largest)
    assert too_short(largest) == {}
