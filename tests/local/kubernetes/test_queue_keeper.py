"""The keeper as a stack deploys it: neither takes what the other wrote; at its end it takes its own back."""

import pytest

from localcloud.cloud import REPOSITORY
from localcloud.engine import Engine
from moka.allocation import queue_amounts
from moka.allocation.queue_amounts import QueueAmounts
from moka.queues import config_map
from tests.support.pulumi_stack import PulumiStack
from tests.support.waiting import eventually

PROGRAM = f"""
import sys
sys.path.insert(0, {str(REPOSITORY)!r})

import pulumi
import pulumi_kubernetes as k8s
from moka.components.kubernetes import queue_keeper as qk
from moka.components.kubernetes.namespace import Namespace, NamespaceArgs
from moka.names import YUNIKORN_CONFIGS
from moka.allocation.cluster_settings import ClusterSettings
from moka.queues import config_map, queues_yaml
from moka.queues.calendar import Calendar
from moka.queues.definitions import Queues

config = pulumi.Config()
# As `stacks.deployment` has it.
provider = k8s.Provider(
    "cluster",
    kubeconfig=config.require("kubeconfig"),
    enable_server_side_apply=True,
    enable_config_map_mutable=True,
)
opts = pulumi.ResourceOptions(provider=provider)
tiers = {{"weight": 1, "tiers": {{2: {{"weight": 1}}}}}}
projects = {{name: tiers for name in config.require("projects").split(",")}}
queues = Queues.model_validate({{"organizations": {{"analytics": {{"weight": 1, "projects": projects}}}}}})
calendar = Calendar.model_validate({{
    "capacity": {{"cpu": "40", "memory": "40Gi"}},
    "node_order": "binpacking",
    "node_groups": {{
        "executor": {{
            "maximum": 2, "cpu": "20", "memory": "20Gi",
            # At every time there is but one of two.
            "changes": {{"ever": {{"cron": "* * * * *", "maximum": 1}}}},
        }},
    }},
}})
scheduler = Namespace("scheduler", NamespaceArgs(name="yunikorn"), opts)
k8s.core.v1.ConfigMap(
    "configs",
    metadata={{"name": YUNIKORN_CONFIGS, "namespace": scheduler.name}},
    data={{config_map.KEY: queues_yaml(calendar.tree(queues, calendar.all_nodes)[0])}},
    opts=opts,
)
if config.get_bool("keeper"):
    own = Namespace("own", NamespaceArgs(name="queue-keeper", pod_security="restricted"), opts)
    role = qk.QueueKeeperRole(
        "keeper", qk.QueueKeeperRoleArgs(scheduler_namespace=scheduler.name, namespace=own.name), opts
    )
    qk.QueueKeeper(
        "keeper",
        qk.QueueKeeperArgs(
            image="registry.example/qk:1",
            namespace=role.namespace,
            files=ClusterSettings(queues, calendar).as_data(),
            archer=True,
        ),
        opts,
    )
"""

STAND_INS = "stand_ins:\n  queue-keeper: {module: services.queue_keeper}\n"
AMOUNTS = "/api/v1/namespaces/queue-keeper/configmaps/queue-amounts"
CONFIGS = "/api/v1/namespaces/yunikorn/configmaps/yunikorn-configs"


@pytest.fixture
def stack(cloud, plane, project):
    """A stack with the program: queues of one project, and a keeper."""
    folder = project(PROGRAM)
    (folder / "localcloud.yaml").write_text(STAND_INS)
    for package in ("moka", "services"):
        (folder / package).symlink_to(REPOSITORY / package)
    for node in plane.api().list("/api/v1/nodes"):
        path = f"/api/v1/nodes/{node['metadata']['name']}"
        plane.api().merge(path, {"metadata": {"labels": {"moka.dev/role": "system"}}})
    engine = Engine(cloud, folder)
    engine.select("queues")
    stack = PulumiStack(engine, "queues")
    stack.run("config", "set", "kubeconfig", str(plane.kubeconfig))
    stack.run("config", "set", "projects", "reports")
    stack.run("config", "set", "keeper", "true")
    yield stack
    stack.destroy()


def test_a_stack_and_the_keeper_leave_each_other_alone_until_it_goes(stack, plane):
    api = plane.api()

    def in_force():
        return config_map.in_force(api.get(CONFIGS))

    stack.up()
    eventually(lambda: 'vcore: "20"' in in_force())
    assert 'vcore: "40"' in api.get(CONFIGS)["data"][config_map.KEY]
    managers = {entry["manager"] for entry in api.get(CONFIGS)["metadata"]["managedFields"]}
    assert "queue-keeper" in managers and len(managers) == 2

    # What it keeps is none of the stack's business: no drift, and no change that would take it back.
    stack.run("refresh", "--yes", "--skip-preview")
    assert stack.operations() == {}
    stack.up()
    assert 'vcore: "20"' in in_force()

    # Nor is what Archer brings of a plan: the stack made its ConfigMap, with nothing in it.
    plan = {
        "format": queue_amounts.FORMAT,
        "revision": 1,
        "queues": {
            "root.analytics.reports.tier2": {"hours": [{"guaranteed": {"cpu": "7", "memory": "9Gi"}}]}
        },
    }
    amounts = queue_amounts.as_config_map(QueueAmounts.model_validate(plan))
    api.merge(AMOUNTS, amounts)
    eventually(lambda: 'vcore: "7"' in in_force())
    stack.run("refresh", "--yes", "--skip-preview")
    assert stack.operations() == {}
    stack.up()
    assert 'vcore: "7"' in in_force()
    assert api.get(AMOUNTS)["binaryData"] == amounts["binaryData"]
    api.merge(AMOUNTS, {"data": None, "binaryData": None})
    eventually(lambda: 'vcore: "20"' in in_force())

    stack.run("config", "set", "projects", "reports,adhoc")
    assert stack.operations() == {"configs": "update", "keeper-calendar": "update"}
    stack.up()
    eventually(lambda: "adhoc" in in_force())
    assert 'vcore: "20"' in in_force()

    stack.run("config", "set", "keeper", "false")
    stack.up()

    assert config_map.keeper_queues(api.get(CONFIGS)) is None
    assert 'vcore: "40"' in in_force()
