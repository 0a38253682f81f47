"""`moka celeborn` as it is run, on a real API server that forwards ports; Celeborn's pods are played."""

import os
import socket
import ssl
import subprocess
import sys
from contextlib import ExitStack

import pytest

from commands.celeborn_api import FORWARD_RIGHTS
from localcloud import tools
from localcloud.cloud import REPOSITORY
from localcloud.control_plane.pod_network import SERVES
from localcloud.control_plane.stand_ins import pods
from localcloud.control_plane.stand_ins.accounts import account
from localcloud.control_plane.stand_ins.processes import port_name
from localcloud.credentials import kubeconfig
from moka.celeborn.configuration import MASTER_HTTP_PORT, WORKER_HTTP_PORT
from moka.components.kubernetes.rbac import Right
from moka.names import CELEBORN_NAMESPACE
from tests.support.celeborn_server import CelebornServer, pod_server
from tests.support.roles import bound_role

PODS = f"/api/v1/namespaces/{CELEBORN_NAMESPACE}/pods"
WITHOUT_CREATE = [Right(group, resource, ("get", "list")) for group, resource, _ in FORWARD_RIGHTS]


@pytest.fixture(scope="module")
def celeborn(plane, api):
    """Celeborn's REST API, served in place of the pods of three masters and four workers."""
    server = CelebornServer()
    accounts = [
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name, "namespace": namespace}}
        for name, namespace in (
            ("default", CELEBORN_NAMESPACE),
            ("operator", "default"),
            ("reader", "default"),
        )
    ]
    api.apply_all(
        [
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": CELEBORN_NAMESPACE}},
            *accounts,
            *bound_role(
                "operator", CELEBORN_NAMESPACE, [Right(*right) for right in FORWARD_RIGHTS], "default"
            ),
            *bound_role("reader", CELEBORN_NAMESPACE, WITHOUT_CREATE, "default"),
        ]
    )
    pods.variables(plane)
    with ExitStack() as stack:
        for name in (*(f"celeborn-master-{n}" for n in range(3)), *server.workers):
            role = name.split("-")[1]
            port = MASTER_HTTP_PORT if role == "master" else WORKER_HTTP_PORT
            here = stack.enter_context(pod_server(server, name, port))
            api.apply(f"{PODS}/{name}", pod(name, role, f"{port}={here}"))
        names = {f"celeborn-master-{n}" for n in range(3)} | set(server.workers)
        for live in api.follow(PODS):
            if live["status"].get("phase") == "Running":
                names.discard(live["metadata"]["name"])
            if not names:
                break
        yield server
    api.delete(f"/api/v1/namespaces/{CELEBORN_NAMESPACE}")


def pod(name, role, serves):
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": CELEBORN_NAMESPACE,
            "labels": {"app.kubernetes.io/name": "celeborn", "app.kubernetes.io/role": role},
            "annotations": {SERVES: serves},
        },
        "spec": {"containers": [{"name": "celeborn", "image": "celeborn"}]},
    }


@pytest.fixture
def run(plane, tmp_path):
    """Run `moka celeborn` as a service account of namespace default: exit status, output, errors."""

    def command(user, *arguments):
        token = (account(plane, user, "default", user) / "token").read_text()
        file = tmp_path / "kubeconfig"
        file.write_text(kubeconfig(plane.endpoint, plane.credentials.authority, token, "spark-a"))
        result = subprocess.run(
            [sys.executable, "-m", "commands", "celeborn", *arguments],
            cwd=REPOSITORY,
            env={**os.environ, "KUBECONFIG": str(file)},
            capture_output=True,
            text=True,
        )
        return result.returncode, result.stdout, result.stderr

    return command


def test_a_worker_is_drained_over_ports_that_the_api_server_forwards(celeborn, run):
    status, output, errors = run("operator", "drain", "celeborn-worker-3")

    assert (status, errors) == (0, "")
    assert celeborn.events == [("DECOMMISSIONTHENIDLE", ["celeborn-worker-3"])]
    assert output.splitlines()[-1].startswith("celeborn-worker-3: empty; its node can be removed.")


def test_a_worker_that_serves_nothing_is_shown_and_the_others_too(celeborn, run, api):
    api.merge(f"{PODS}/celeborn-worker-0", {"metadata": {"annotations": {SERVES: ""}}})

    status, output, errors = run("operator", "status")

    assert (status, errors) == (0, "")
    assert output.splitlines()[:3] == [
        "leader: celeborn-master-1",
        "celeborn-worker-0  Normal  -  applications: ?",
        "celeborn-worker-1  Normal  -  applications: 1",
    ]


def test_a_port_is_not_forwarded_for_kubectl_which_is_told_so(plane, celeborn):
    command = [str(tools.path("kubectl")), "--kubeconfig", str(plane.kubeconfig), "-n", CELEBORN_NAMESPACE]

    result = subprocess.run(
        [*command, "port-forward", "celeborn-master-0", "0:9098"], capture_output=True, text=True, timeout=60
    )

    assert result.returncode == 1
    assert "error upgrading connection" in result.stderr


def test_who_may_not_forward_ports_is_told_the_right_that_is_missing(celeborn, run):
    status, output, errors = run("reader", "status")

    assert (status, output) == (1, "")
    assert errors == (
        "You may not forward ports of celeborn-master-0: that takes the rights to get and create "
        "pods/portforward in namespace celeborn\n"
    )


def test_ports_are_forwarded_for_the_api_server_only(plane, celeborn):
    port = plane.ports[port_name(pods.KEY, pods.HTTP)]
    context = ssl.create_default_context(cafile=plane.credentials.authority)

    with (
        socket.create_connection(("127.0.0.1", port)) as plain,
        # Whether the alert arrives before the connection is closed, nobody knows.
        pytest.raises(ssl.SSLError, match=r"certificate|EOF"),
        context.wrap_socket(plain, server_hostname="localhost") as stranger,
    ):
        stranger.sendall(b"GET /portForward/celeborn/celeborn-master-0?port=9098 HTTP/1.1\r\n\r\n")
        stranger.recv(1)
