import json
import socket
import urllib.request

import psutil
import pytest
from kubernetes import client, config

from localcloud.control_plane import ControlPlane, stand_ins
from localcloud.control_plane.stand_ins import pods
from localcloud.control_plane.stand_ins.charts import yunikorn_url
from localcloud.errors import Refusal


@pytest.fixture
def second_plane(planes):
    """A control plane that a test may stop and remove."""
    plane = ControlPlane(planes, "spark-b")
    plane.start()
    yield plane
    plane.remove()


def running(plane):
    """Processes that have the plane's folder on their command line or in their environment."""
    processes = []
    for process in psutil.process_iter():
        try:
            text = " ".join([*process.cmdline(), *process.environ().values()])
            if str(plane.folder) in text and process.status() != psutil.STATUS_ZOMBIE:
                processes.append(process)
        except psutil.Error:
            continue
    return processes


def config_map(name):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "default"}}


def test_its_kubeconfig_serves_any_client(plane):
    with config.new_client_from_config(str(plane.kubeconfig)) as api_client:
        names = {item.metadata.name for item in client.CoreV1Api(api_client).list_namespace().items}

    assert {"default", "kube-system", "kube-node-lease", "kube-public"} <= names


def test_it_is_found_by_its_endpoint(planes, plane):
    assert ControlPlane.at(planes, plane.endpoint) == plane
    with pytest.raises(Refusal, match=r"https://example\.com is no API server of the laptop cloud"):
        ControlPlane.at(planes, "https://example.com")


def test_nobody_gets_in_without_a_token(plane):
    stranger = type(plane.api())(plane.endpoint, plane.credentials.authority.read_text(), "guess")

    with pytest.raises(Refusal, match="Unauthorized"):
        stranger.list("/api/v1/secrets")


def test_nothing_listens_but_on_loopback(plane, yunikorn):
    pods.variables(plane)
    processes = running(plane)
    listening = [
        connection.laddr.ip
        for process in processes
        for connection in process.net_connections(kind="tcp")
        if connection.status == psutil.CONN_LISTEN
    ]

    assert len(processes) == 10, "those of the control plane, the pod network, and YuniKorn"
    assert set(listening) == {"127.0.0.1"}


def test_credentials_are_readable_by_their_owner_only(plane):
    assert plane.folder.stat().st_mode & 0o777 == 0o700
    secret = [plane.token_file, plane.kubeconfig, *plane.credentials.folder.iterdir()]
    assert {path.stat().st_mode & 0o777 for path in secret} == {0o600}


def test_starting_it_again_changes_nothing(plane):
    before = {process.pid for process in running(plane)}

    plane.start()

    assert {process.pid for process in running(plane)} == before


@pytest.mark.parametrize("program", ["kube-apiserver", "etcd"])
def test_a_program_that_was_killed_comes_back_on_its_data(plane, api, program):
    api.apply_all([config_map(f"from-before-{program}")])
    endpoint = plane.endpoint
    killed = psutil.Process(json.loads(plane.process(program).pid_file.read_text())["pid"])
    killed.kill()

    stand_ins.resume(plane)

    assert plane.alive()
    assert plane.endpoint == endpoint
    assert plane.api().get(f"/api/v1/namespaces/default/configmaps/from-before-{program}")


def test_a_plane_that_was_killed_whole_resumes_with_what_stands_in_for_charts(
    plane, api, yunikorn, eventually
):
    api.apply_all([config_map("from-before")])
    url = yunikorn_url(plane)
    for process in running(plane):
        process.kill()
    eventually(lambda: running(plane) == [])
    assert not plane.alive()
    assert yunikorn_url(plane) is None

    stand_ins.resume(plane)

    assert plane.alive()
    assert yunikorn_url(plane) == url
    with urllib.request.urlopen(f"{url}/ws/v1/clusters") as answer:
        assert answer.status == 200
    assert plane.api().get("/api/v1/namespaces/default/configmaps/from-before")


def test_a_stopped_plane_leaves_no_process_and_starts_again_with_what_it_had(second_plane):
    second_plane.api().apply_all([config_map("kept")])
    endpoint = second_plane.endpoint

    second_plane.stop()

    assert running(second_plane) == []
    second_plane.start()
    assert second_plane.endpoint == endpoint
    assert second_plane.api().get("/api/v1/namespaces/default/configmaps/kept")


def test_a_removed_plane_leaves_nothing(planes, second_plane):
    second_plane.remove()

    assert running(second_plane) == []
    assert not second_plane.folder.exists()
    assert second_plane not in ControlPlane.all(planes)


def test_a_plane_whose_port_was_taken_says_which_and_starts_once_it_is_free(second_plane):
    second_plane.stop()
    port = int(second_plane.endpoint.rsplit(":", 1)[1])

    with (
        socket.create_server(("127.0.0.1", port)),
        pytest.raises(Refusal, match=f"Port {port} of 127.0.0.1, which the API server of spark-b"),
    ):
        second_plane.start()

    second_plane.start()
    assert second_plane.alive()


def test_a_start_that_was_cut_off_is_gone_on_with(planes):
    cut = ControlPlane(planes, "spark-c")
    cut.credentials.make()
    cut.folder.joinpath("credentials", "admin.token").chmod(0o600)
    cut.ports.keep("kube-apiserver")

    cut.start()

    assert cut.alive()
    cut.remove()
