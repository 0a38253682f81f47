"""The controller as a stack deploys it: job namespaces go with drivers that nobody read, and it goes last."""

import subprocess

import pytest

from localcloud.cloud import REPOSITORY
from localcloud.control_plane.stand_ins import deployments
from localcloud.engine import Engine
from tests.support.simulated_operator import Application, define

PROGRAM = f"""
import sys
sys.path.insert(0, {str(REPOSITORY)!r})

import pulumi
import pulumi_kubernetes as k8s
from components.kubernetes import driver_finalizer as df
from components.kubernetes.namespace import Namespace, NamespaceArgs

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
def pulumi_on(cloud, plane, project):
    """Run pulumi on a stack with the program; its job namespaces are the first argument."""
    folder = project(PROGRAM)
    (folder / "localcloud.yaml").write_text(STAND_INS)
    (folder / "services").symlink_to(REPOSITORY / "services")
    engine = Engine(cloud, folder)
    engine.select("drivers")

    def run(*arguments):
        command = ["pulumi", *arguments, "--stack", "drivers", "--non-interactive"]
        done = subprocess.run(
            command, cwd=engine.project, env=engine.environment(), capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr

    run("config", "set", "kubeconfig", str(plane.kubeconfig))
    yield run
    run("destroy", "--yes", "--skip-preview")


def test_namespaces_go_before_what_lets_their_drivers_go(pulumi_on, plane):
    api = plane.api()
    define(api)
    for node in api.list("/api/v1/nodes"):
        path = f"/api/v1/nodes/{node['metadata']['name']}"
        api.merge(path, {"metadata": {"labels": {"moka.dev/role": "system"}}})
    pulumi_on("config", "set", "namespaces", "jobs-a,jobs-b")
    pulumi_on("up", "--yes", "--skip-preview")
    process = plane.process("deployment.driver-finalizer.driver-finalizer")
    assert process.alive()
    unread = [Application(api, name, "RUNNING") for name in ("jobs-a", "jobs-b")]
    assert all(one.held for one in unread)

    pulumi_on("config", "set", "namespaces", "jobs-a")
    pulumi_on("up", "--yes", "--skip-preview")

    assert api.get("/api/v1/namespaces/jobs-b") is None
    assert unread[0].held
    assert process.alive()

    pulumi_on("destroy", "--yes", "--skip-preview")

    assert api.get("/api/v1/namespaces/jobs-a") is None
    assert api.get("/api/v1/namespaces/driver-finalizer") is None
    assert not process.alive()
    assert not list(deployments.workloads(plane))
