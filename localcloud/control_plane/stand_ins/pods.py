"""The pod network, for programs that run in place of pods: control_plane/pod_network.py."""

import sys
from functools import partial

from localcloud.cloud import REPOSITORY
from localcloud.control_plane.plane import ControlPlane
from localcloud.control_plane.stand_ins.processes import Command, Surroundings, run, url

KEY, HTTP = "pod-network", "http"


def variables(plane: ControlPlane, scheme: str = "http") -> dict[str, str]:
    """Variables by which a program reaches pods; the network is started if it does not run.

    scheme: of the proxy; socks5 for programs of Go that pass on headers.
    """
    address = network(plane).replace("http", scheme, 1)
    # What is on loopback is not a pod.
    return {"HTTP_PROXY": address, "http_proxy": address, "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}


def network(plane: ControlPlane) -> str:
    """URL of the pod network, which is started if it does not run; it is the nodes' agents as well."""
    run(plane, KEY, (HTTP,), partial(_command, plane))
    address = url(plane, KEY, HTTP)
    assert address is not None, "it has just been started"
    return address


def _command(plane: ControlPlane, around: Surroundings) -> Command:
    port = around.ports[HTTP]
    module = "localcloud.control_plane.pod_network"
    return Command(
        (
            sys.executable,
            "-m",
            module,
            f"--home={plane.cloud.home}",
            f"--cluster={plane.name}",
            f"--port={port}",
        ),
        {"PYTHONPATH": str(REPOSITORY)},
        f"http://127.0.0.1:{port}/healthz",
    )
