"""Programs on pulumi_kubernetes, run by the real engine."""

import os
import signal
import time

import pytest

from localcloud.engine import Engine
from tests.support.cut_off import recover
from tests.support.pulumi_stack import PulumiStack

pytestmark = pytest.mark.usefixtures("checkpoints")

PROGRAM = """
import pulumi
import pulumi_kubernetes as k8s

config = pulumi.Config()
cluster = k8s.Provider(
    "cluster", kubeconfig=config.require("kubeconfig"),
    enable_config_map_mutable=True, enable_patch_force=True,
)
here = pulumi.ResourceOptions(provider=cluster)
namespace = k8s.core.v1.Namespace("place", metadata={"name": pulumi.get_stack()}, opts=here)
place = namespace.metadata["name"]
settings = k8s.core.v1.ConfigMap(
    "settings", metadata={"name": "settings", "namespace": place},
    data={"mode": config.get("mode") or "a"}, opts=here,
)
login = k8s.core.v1.Secret(
    "login", metadata={"namespace": place}, opts=here,
    string_data={"password": pulumi.Output.secret("hunter2")},
)
labels = {"app": "web"}
web = k8s.apps.v1.Deployment(
    "web", metadata={"name": "web", "namespace": place}, opts=here,
    spec={
        "replicas": 2,
        "selector": {"match_labels": labels},
        "template": {
            "metadata": {"labels": labels},
            "spec": {
                "node_selector": {"zone": config.get("zone")} if config.get("zone") else None,
                "tolerations": [{"operator": "Exists"}],
                "containers": [{"name": "web", "image": "registry.example/web:1"}],
            },
        },
    },
)
hello = k8s.helm.v3.Release(
    "hello", chart="greeter", name="hello", namespace=place, values={"greeting": config.get("mode") or "a"},
    repository_opts={"repo": "https://charts.invalid/stable"}, opts=here,
)
definition = k8s.apiextensions.v1.CustomResourceDefinition(
    "definition", metadata={"name": f"things.{pulumi.get_stack()}.example"}, opts=here,
    spec={
        "group": f"{pulumi.get_stack()}.example", "scope": "Namespaced",
        "names": {"kind": "Thing", "plural": "things"},
        "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"open_apiv3_schema": {
            "type": "object", "x_kubernetes_preserve_unknown_fields": True}}}],
    },
)
thing = k8s.apiextensions.CustomResource(
    "thing", api_version=f"{pulumi.get_stack()}.example/v1", kind="Thing",
    metadata={"name": "one", "namespace": place}, spec={"size": 1}, opts=here,
)
pulumi.export("replicas", web.status["available_replicas"])
pulumi.export("release", hello.status.status)
pulumi.export("password", login.data)
"""

WEB = """
import pulumi
import pulumi_kubernetes as k8s

config = pulumi.Config()
labels = {"app": "web"}
web = k8s.apps.v1.Deployment(
    "web", metadata={"namespace": "default"},
    spec={
        "selector": {"match_labels": labels},
        "template": {
            "metadata": {"labels": labels},
            "spec": {
                "node_selector": {"zone": config.get("zone")} if config.get("zone") else None,
                "tolerations": [{"operator": "Exists"}],
                "containers": [{"name": "web", "image": "registry.example/web:1"}],
            },
        },
    },
    opts=pulumi.ResourceOptions(
        provider=k8s.Provider("cluster", kubeconfig=config.require("kubeconfig")),
        custom_timeouts={"create": config.get("patience"), "update": "1m"},
    ),
)
pulumi.export("replicas", web.status["available_replicas"])
"""

IMPORTED = """
import pulumi
import pulumi_kubernetes as k8s

cluster = k8s.Provider("cluster", kubeconfig=pulumi.Config().require("kubeconfig"))
found = k8s.core.v1.ConfigMap(
    "found", metadata={"name": "found", "namespace": "default"}, data={"made": "by hand"},
    opts=pulumi.ResourceOptions(provider=cluster, import_="default/found"),
)
"""


@pytest.fixture
def stack(cloud, plane, project, charts):
    """Make a stack with a program; destroyed afterwards."""
    stacks = []

    def make(program, name):
        stack = PulumiStack(Engine(cloud, project(program)), name)
        stacks.append(stack)
        stack.engine.select(name)
        stack.run("config", "set", "kubeconfig", str(plane.kubeconfig))
        return stack

    yield make
    for stack in stacks:
        stack.engine.remove_stale_locks(stack.name)
        stack.destroy()


def test_a_program_comes_up_changes_is_put_right_and_goes(stack, plane, by_hand):
    life = stack(PROGRAM, "life")
    life.run("preview")
    assert plane.api().get("/api/v1/namespaces/life") is None

    life.up()
    assert life.outputs()["replicas"] == 2
    assert life.outputs()["release"] == "deployed"
    life.run("preview", "--expect-no-changes")
    assert "hunter2" not in life.run("stack", "export")

    life.run("config", "set", "mode", "b")
    by_hand("/apis/apps/v1/namespaces/life/deployments/web", spec={"replicas": 1})
    life.run("up", "--yes", "--refresh")
    assert plane.api().get("/api/v1/namespaces/life/configmaps/settings")["data"] == {"mode": "b"}
    assert plane.api().get("/api/v1/namespaces/life/configmaps/hello")["data"] == {"greeting": "b"}
    assert plane.api().get("/apis/apps/v1/namespaces/life/deployments/web")["spec"]["replicas"] == 2

    life.destroy()
    assert plane.api().get("/api/v1/namespaces/life") is None
    assert plane.api().get("/apis/life.example/v1") is None


def test_what_did_not_become_ready_is_kept_and_put_right_by_the_next_up(stack):
    stuck = stack(WEB, "stuck")
    stuck.run("config", "set", "zone", "nowhere")
    stuck.run("config", "set", "patience", "3s")

    up = stuck.try_run("up", "--yes", "--skip-preview")
    assert up.returncode != 0
    assert "0 of 1 pods are available); pod web-" in up.stdout and "Traceback" not in up.stdout + up.stderr

    stuck.run("config", "rm", "zone")
    stuck.up()
    assert stuck.outputs()["replicas"] == 1


def test_after_a_kill_in_the_middle_the_next_up_goes_on(stack, plane):
    killed = stack(PROGRAM, "killed")
    killed.run("config", "set", "zone", "nowhere")
    engine = killed.start("up", "--yes", "--skip-preview")
    path = "/apis/apps/v1/namespaces/killed/deployments/web"
    while plane.api().get(path) is None:
        assert engine.poll() is None
        time.sleep(0.1)
    os.killpg(engine.pid, signal.SIGKILL)
    engine.communicate()

    recovered = recover(killed, "--yes")
    assert recovered.returncode == 0, recovered.stderr
    assert "Deployment web: imported, as killed/web." in recovered.stderr
    killed.run("config", "rm", "zone")
    killed.up()
    assert killed.outputs()["replicas"] == 2


def test_what_was_made_by_hand_is_imported(stack, plane):
    config_map = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "found"},
        "data": {"made": "by hand"},
    }
    plane.api().apply("/api/v1/namespaces/default/configmaps/found", config_map)

    imported = stack(IMPORTED, "imported")
    imported.up()
    imported.run("preview", "--expect-no-changes")
