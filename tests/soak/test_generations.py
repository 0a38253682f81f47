"""A node group's generations on the real engine: made beside each other, tainted, waited for, gone."""

import os
import signal
from collections.abc import Iterator
from subprocess import Popen
from typing import Any

import pytest
import yaml
from kubernetes import client, config

from localcloud import commands
from localcloud.control_plane import ControlPlane
from localcloud.engine import Engine
from stacks import settings, slices
from tests.support.pulumi_stack import PulumiStack, moka, read_until, succeeded

STACK = "local.nodes"
SLICES = {
    "nodes": {"layers": ["foundation", "cluster"]},
    "rest": {"layers": [layer for layer in slices.LAYERS if layer not in ("foundation", "cluster")]},
}

pytestmark = pytest.mark.usefixtures("checkpoints")

# Sizes and machines of the group `driver`, which replaces both of the drivers' in `local`.
FIRST = {
    "role": "driver",
    "architecture": "amd64",
    "instance_types": ["m6i.large"],
    "zones": ["us-east-1a"],
    "minimum": 1,
    "maximum": 2,
    "schedule": {
        "night": {"cron": "0 20 * * *", "minimum": 2},
        "morning": {"cron": "0 6 * * *", "minimum": 1},
    },
}
CHANGED = {**FIRST, "instance_types": ["m7i.large"], "max_pods": 40}
BESIDE = {**CHANGED, "generation": 2, "retiring": {"1": {"instance_types": ["m6i.large"]}}}
AFTER = {**CHANGED, "generation": 2}

OLD, NEW = "driver-us-east-1a", "driver-us-east-1a-g2"


class Stack:
    """The network, cluster and node groups of `local`, with one group for drivers or another."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.pulumi = PulumiStack(engine, STACK)

    def set(self, driver: dict[str, Any]) -> None:
        """Have the settings say what the group `driver` is."""
        text = yaml.safe_load(settings.path_of("local").read_text())
        cluster = text["clusters"]["spark-a"]
        groups = cluster["node_groups"]
        cluster.pop("shuffle")
        cluster["node_groups"] = {
            "system": {**groups["system"], "zones": ["us-east-1a"]},
            "executor-amd64": groups["executor-amd64"],
            "driver": driver,
        }
        text["slices"] = SLICES
        (self.engine.project / "stacks" / "local.yaml").write_text(yaml.safe_dump(text, sort_keys=False))

    def start(self, verb: str, group: dict[str, Any], *arguments: str) -> Popen[str]:
        """Begin a command with this group."""
        self.set(group)
        return self.pulumi.start(verb, *arguments)

    def try_run(self, verb: str, group: dict[str, Any], *arguments: str) -> tuple[int, str]:
        """Exit status and output."""
        with self.start(verb, group, *arguments) as process:
            output = process.communicate()[0]
        return process.returncode, output

    def up(self, group: dict[str, Any]) -> None:
        """Bring it up with this group."""
        self.set(group)
        self.pulumi.up()


@pytest.fixture(scope="module")
def stack(copied_once: Engine) -> Iterator[Stack]:
    os.environ["MOKA_MACHINES"] = "3"
    stack = Stack(copied_once)
    stack.set(FIRST)
    succeeded(moka(copied_once, "stack-files", "local"))
    assert commands.up(copied_once, STACK, ("--non-interactive",)) == 0
    yield stack
    del os.environ["MOKA_MACHINES"]


@pytest.fixture(scope="module")
def core(stack: Stack) -> client.CoreV1Api:
    [plane] = ControlPlane.all(stack.engine.cloud)
    return client.CoreV1Api(config.new_client_from_config(str(plane.kubeconfig)))


def nodes(core: client.CoreV1Api, group: str) -> list[Any]:
    return core.list_node(label_selector=f"eks.amazonaws.com/nodegroup={group}").items


def driver_pod(core: client.CoreV1Api, node: str) -> None:
    """A driver on a node, put there without a scheduler, which runs until it is deleted."""
    core.create_namespaced_pod(
        "default",
        {
            "metadata": {
                "name": "sums-driver",
                "labels": {"spark-role": "driver"},
                # Without it the laptop ends a driver after 30 s, which two commands may take.
                "annotations": {"localcloud/runs-for": "86400"},
            },
            "spec": {
                "nodeName": node,
                "containers": [{"name": "driver", "image": "spark"}],
                "tolerations": [{"operator": "Exists"}],
                "automountServiceAccountToken": False,
            },
        },
    )


def test_other_machines_need_another_generation(stack):
    status, output = stack.try_run("preview", CHANGED)

    assert status != 0
    assert "would replace the machines of node group spark-a-driver" in output
    assert "count up its generation and list the present one under retiring" in output


def test_bounds_are_not_changed_with_a_size_from_long_ago(stack, core):
    [node] = nodes(core, OLD)
    autoscaled = {"metadata": {"name": "autoscaled", "labels": dict(node.metadata.labels)}}
    core.create_node(autoscaled)
    try:
        status, output = stack.try_run("up", {**FIRST, "maximum": 3}, "--yes", "--skip-preview")
    finally:
        core.delete_node("autoscaled")

    assert status != 0
    assert f"node group {OLD} of spark-a has 2 nodes" in output
    assert "run this again with --refresh" in output


def test_a_generation_goes_once_its_drivers_have_finished(stack, core):
    [before] = nodes(core, OLD)
    stack.up(BESIDE)
    [old], [new] = nodes(core, OLD), nodes(core, NEW)
    assert ("moka.dev/retiring", "NoSchedule") in {(t.key, t.effect) for t in old.spec.taints}
    assert "moka.dev/retiring" not in {t.key for t in new.spec.taints}
    assert old.metadata.labels["node.kubernetes.io/instance-type"] == "m6i.large"
    assert new.metadata.labels["node.kubernetes.io/instance-type"] == "m7i.large"

    # The machine is still the one that it was: what is new since then is for new machines.
    assert old.metadata.uid == before.metadata.uid
    assert (old.status.capacity["pods"], new.status.capacity["pods"]) == ("110", "40")

    driver_pod(core, old.metadata.name)
    with stack.start("up", AFTER, "--yes", "--skip-preview") as interrupted:
        read_until(interrupted, "is deleted once what runs on it has ended: driver default/sums-driver")
        interrupted.send_signal(signal.SIGINT)
        read_until(interrupted, "^C received")
        interrupted.send_signal(signal.SIGINT)
        interrupted.communicate()
    assert interrupted.returncode != 0
    assert [node.metadata.name for node in nodes(core, OLD)] == [old.metadata.name]

    with stack.start("up", AFTER, "--yes", "--skip-preview") as second:
        read_until(second, "is deleted once what runs on it has ended: driver default/sums-driver")
        core.delete_namespaced_pod("sums-driver", "default", grace_period_seconds=0)
        output = second.communicate()[0]
    assert second.returncode == 0, output
    assert nodes(core, OLD) == []
    assert [node.metadata.name for node in nodes(core, NEW)] == [new.metadata.name]


def test_a_retiring_generation_is_destroyed_with_all_the_rest_by_a_run_of_the_program(stack):
    stack.up(BESIDE)

    status, output = stack.try_run("destroy", BESIDE, "--yes", "--skip-preview")
    assert status != 0
    assert "--run-program" in output

    status, output = stack.try_run("destroy", BESIDE, "--yes", "--skip-preview", "--run-program")
    assert status == 0, output
