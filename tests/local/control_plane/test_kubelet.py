"""What kubectl says of pods in which nothing runs."""

import os
import subprocess

import pytest

from localcloud import tools
from localcloud.control_plane.stand_ins import pods as pod_network

SAYS = {
    "logs": "Pods run nothing on the laptop cloud, so there are no logs",
    "exec": "Pods run nothing on the laptop cloud, so no command runs in one",
    "port-forward": "On the laptop cloud ports are forwarded by websocket only, not as kubectl asks for it",
}
ARGUMENTS = {"logs": [], "exec": ["--", "date"], "port-forward": ["8080:80"]}


@pytest.mark.parametrize("command", SAYS)
def test_kubectl_says_in_one_sentence_what_there_is_not(plane, api, namespace, until, command):
    pods = f"/api/v1/namespaces/{namespace}/pods"
    container = {"name": "web", "image": "nginx"}
    api.create(pods, {"metadata": {"name": "web"}, "spec": {"containers": [container], "nodeName": "arm-1"}})
    until(api, pods, lambda pod: pod["status"]["phase"] == "Running")
    pod_network.variables(plane)

    done = subprocess.run(
        [tools.path("kubectl"), "--namespace", namespace, command, "web", *ARGUMENTS[command]],
        env={**os.environ, "KUBECONFIG": str(plane.kubeconfig)},
        capture_output=True,
        text=True,
    )

    assert done.returncode != 0
    assert SAYS[command] in done.stderr and done.stderr.count("\n") == 1
