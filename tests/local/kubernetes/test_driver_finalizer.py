"""The controller as a stack deploys it: job namespaces go with drivers that nobody read, and it goes last."""

import pytest

from localcloud.cloud import REPOSITORY
from localcloud.control_plane.stand_ins import deployments
from localcloud.engine import Engine
from tests.support.pulumi_stack import PulumiStack
from tests.support.simulated_operator import Application, define

PROGRAM = f"""
import sys
sys.path.insert(0, {str(REPOSITORY)!r})

import pulumi
import pulumi_kubernetes as k8s
from moka.components.kubernetes import driver_finalizer as df
from moka.components.kubernetes.namespace import Namespace, NamespaceArgs

config = pulumi.Config()
names = config.require("namespaces").split(",")
opts = pulumi.ResourceOptions(provider=k8s.Provider("cluster", kubeconfig=config.require("kubeconfig")))
own = Namespace("own", NamespaceArgs(name="driver-finalizer", pod_security="restricted"), opts)
remover = df.DriverFinalizer(
    "remover",
    df.DriverFinalizerArgs(image="registry.example/df:1", namespace=own.name, job_namespaces=names),
    opts,
)
for name in names:
    space = Namespace(
        name,
        NamespaceArgs(name=name),
        pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=[remover])),
    )
    df.DriverFinalizerRole(
        name,
        df.DriverFinalizerRoleArgs(job_namespace=space.name, namespace=remover.namespace),
        pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(deleted_with=space)),
    )
"""

STAND_INS = "stand_ins:\n  driver-finalizer: {module: services.driver_finalizer}\n"


@pytest.fixture
def stack(cloud, plane, project):
    """A stack with the program; its job namespaces are in its configuration."""
    folder = project(PROGRAM)
    (folder / "localcloud.yaml").write_text(STAND_INS)
    for package in ("moka", "services"):
        (folder / package).symlink_to(REPOSITORY / package)
    engine = Engine(cloud, folder)
    engine.select("drivers")
    stack = PulumiStack(engine, "drivers")
    stack.run("config", "set", "kubeconfig", str(plane.kubeconfig))
    yield stack
    stack.destroy()


def test_namespaces_go_before_what_lets_their_drivers_go(stack, plane):
    api = plane.api()
    define(api)
    for node in api.list("/api/v1/nodes"):
        path = f"/api/v1/nodes/{node['metadata']['name']}"
        api.merge(path, {"metadata": {"labels": {"moka.dev/role": "system"}}})
    stack.run("config", "set", "namespaces", "jobs-a,jobs-b")
    stack.up()
    process = plane.process("deployment.driver-finalizer.driver-finalizer")
    assert process.alive()
    unread = [Application(api, name, "RUNNING") for name in ("jobs-a", "jobs-b")]
    assert all(job.protected for job in unread)

    stack.run("config", "set", "namespaces", "jobs-a")
    stack.up()

    assert api.get("/api/v1/namespaces/jobs-b") is None
    assert unread[0].protected
    assert process.alive()

    stack.destroy()

    assert api.get("/api/v1/namespaces/jobs-a") is None
    assert api.get("/api/v1/namespaces/driver-finalizer") is None
    assert not process.alive()
    assert not list(deployments.workloads(plane))
