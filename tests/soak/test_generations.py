"""A node group's generations on the real engine: made beside each other, tainted, waited for, gone."""

import json
import signal
from collections.abc import Iterator
from subprocess import Popen
from typing import Any

import pytest
from kubernetes import client, config

from localcloud import commands
from localcloud.cloud import REPOSITORY, Cloud
from localcloud.engine import Engine
from tests.support.pulumi_project import write_project
from tests.support.pulumi_stack import PulumiStack

PROGRAM = f"""
import json
import os
import sys
import pulumi

sys.path.insert(0, {str(REPOSITORY)!r})

import pulumi_aws as aws
import pulumi_eks as eks
from stacks import node_groups
from stacks.settings.cluster import NodeGroup

zones = ["us-east-1a", "us-east-1b"]
vpc = aws.ec2.Vpc("net", cidr_block="10.9.0.0/16")
subnets = {{
    zone: aws.ec2.Subnet(zone, vpc_id=vpc.id, cidr_block=f"10.9.{{n}}.0/24", availability_zone=zone).id
    for n, zone in enumerate(zones)
}}
role = aws.iam.Role("node", assume_role_policy=json.dumps({{"Version": "2012-10-17", "Statement": []}}))
cluster = eks.Cluster(
    "green",
    name="generations-green",
    version="1.34",
    vpc_id=vpc.id,
    subnet_ids=list(subnets.values()),
    authentication_mode=eks.AuthenticationMode.API,
    skip_default_node_group=True,
    skip_default_security_groups=True,
)
node_groups.deploy(
    "green",
    node_groups.NodeGroupsInputs(
        eks_cluster=cluster,
        version="1.34",
        node_role_arn=role.arn,
        kubeconfig=cluster.kubeconfig_json,
        zones=zones,
        subnets=subnets,
        groups={{name: NodeGroup(**group) for name, group in json.loads(os.environ["GROUPS"]).items()}},
        protect=False,
    ),
    pulumi.ResourceOptions(),
)
pulumi.export("kubeconfig", cluster.kubeconfig_json)
"""

FIRST = {
    "role": "driver",
    "architecture": "amd64",
    "instance_types": ["m6i.large"],
    "minimum": 1,
    "maximum": 2,
    "schedule": {"night": {"cron": "0 20 * * *", "minimum": 2}},
}
CHANGED = {**FIRST, "instance_types": ["m7i.large"], "max_pods": 40}
BESIDE = {**CHANGED, "generation": 2, "retiring": {"1": {"instance_types": ["m6i.large"]}}}
AFTER = {**CHANGED, "generation": 2}


class Stack:
    """The program's stack, run with one node group `driver` or another."""

    def __init__(self, engine: Engine) -> None:
        self.pulumi = PulumiStack(engine, "dev")

    def start(self, verb: str, group: dict[str, Any], *arguments: str) -> Popen[str]:
        return self.pulumi.start(verb, *arguments, GROUPS=json.dumps({"driver": group}))

    def try_run(self, verb: str, group: dict[str, Any], *arguments: str) -> tuple[int, str]:
        """Exit status and output."""
        with self.start(verb, group, *arguments) as process:
            output = process.communicate()[0]
        return process.returncode, output

    def up(self, group: dict[str, Any]) -> None:
        self.pulumi.up(GROUPS=json.dumps({"driver": group}))


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    folder = tmp_path_factory.mktemp("generations")
    engine = Engine(Cloud(folder / "cloud"), write_project(folder / "generations", PROGRAM))
    commands.start(engine)
    try:
        engine.select("dev")
        stack = Stack(engine)
        stack.up(FIRST)
        yield stack
    finally:
        commands.stop(engine)


@pytest.fixture(scope="module")
def core(stack: Stack) -> client.CoreV1Api:
    output = stack.pulumi.outputs()["kubeconfig"]
    kubeconfig = json.loads(output) if isinstance(output, str) else output
    return client.CoreV1Api(config.new_client_from_config_dict(kubeconfig))


def nodes(core: client.CoreV1Api, group: str) -> list[Any]:
    return core.list_node(label_selector=f"eks.amazonaws.com/nodegroup={group}").items


def driver_pod(core: client.CoreV1Api, node: str) -> None:
    """A driver on a node, put there without a scheduler."""
    core.create_namespaced_pod(
        "default",
        {
            "metadata": {"name": "sums-driver", "labels": {"spark-role": "driver"}},
            "spec": {
                "nodeName": node,
                "containers": [{"name": "driver", "image": "spark"}],
                "tolerations": [{"operator": "Exists"}],
                "automountServiceAccountToken": False,
            },
        },
    )


def read_until(process: Popen[str], words: str) -> None:
    lines = []
    assert process.stdout
    for line in process.stdout:
        lines.append(line)
        if words in line:
            return
    raise AssertionError("".join(lines))


def test_other_machines_need_another_generation(stack):
    status, output = stack.try_run("preview", CHANGED)

    assert status != 0
    assert "would replace the machines of node group green-driver" in output
    assert "count up its generation and list the present one under retiring" in output


def test_bounds_are_not_changed_with_a_size_from_long_ago(stack, core):
    [node] = nodes(core, "driver")
    autoscaled = {"metadata": {"name": "autoscaled", "labels": dict(node.metadata.labels)}}
    core.create_node(autoscaled)
    try:
        status, output = stack.try_run("up", {**FIRST, "maximum": 3}, "--yes", "--skip-preview")
    finally:
        core.delete_node("autoscaled")

    assert status != 0
    assert "node group driver of green has 2 nodes" in output
    assert "run this again with --refresh" in output


def test_a_generation_goes_once_its_drivers_have_finished(stack, core):
    [before] = nodes(core, "driver")
    stack.up(BESIDE)
    [old], [new] = nodes(core, "driver"), nodes(core, "driver-g2")
    assert ("moka.dev/retiring", "NoSchedule") in {(t.key, t.effect) for t in old.spec.taints}
    assert "moka.dev/retiring" not in {t.key for t in new.spec.taints}
    assert old.metadata.labels["node.kubernetes.io/instance-type"] == "m6i.large"
    assert new.metadata.labels["node.kubernetes.io/instance-type"] == "m7i.large"

    # The machine is still the one that it was: what is new since then is for new machines.
    assert old.metadata.uid == before.metadata.uid
    assert (old.status.capacity["pods"], new.status.capacity["pods"]) == ("110", "40")

    driver_pod(core, old.metadata.name)
    with stack.start("up", AFTER, "--yes", "--skip-preview") as interrupted:
        read_until(interrupted, "is deleted once 1 driver on it has finished: default/sums-driver")
        interrupted.send_signal(signal.SIGINT)
        read_until(interrupted, "^C received")
        interrupted.send_signal(signal.SIGINT)
        interrupted.communicate()
    assert interrupted.returncode != 0
    assert [node.metadata.name for node in nodes(core, "driver")] == [old.metadata.name]

    with stack.start("up", AFTER, "--yes", "--skip-preview") as second:
        read_until(second, "is deleted once 1 driver on it has finished: default/sums-driver")
        core.delete_namespaced_pod("sums-driver", "default", grace_period_seconds=0)
        output = second.communicate()[0]
    assert second.returncode == 0, output
    assert nodes(core, "driver") == []
    assert [node.metadata.name for node in nodes(core, "driver-g2")] == [new.metadata.name]


def test_a_retiring_generation_is_destroyed_with_all_the_rest_by_a_run_of_the_program(stack):
    stack.up(BESIDE)

    status, output = stack.try_run("destroy", BESIDE, "--yes", "--skip-preview")
    assert status != 0
    assert "--run-program" in output

    status, output = stack.try_run("destroy", BESIDE, "--yes", "--skip-preview", "--run-program")
    assert status == 0, output
