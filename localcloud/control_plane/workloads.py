"""Our own programs, which really run in place of the pods of their Deployments."""

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from localcloud.cloud import REPOSITORY
from localcloud.control_plane.certificates import write_private
from localcloud.control_plane.command import Command, Surroundings
from localcloud.control_plane.running import port_of, run
from localcloud.control_plane.side_by_side import side_by_side

if TYPE_CHECKING:
    from localcloud.control_plane.plane import ControlPlane

PROGRAMS = {"driver-finalizer": "services.driver_finalizer"}
"""Label `app.kubernetes.io/name` of a Deployment -> module that its image runs.

Each takes `--listen` (where it serves `/healthz`) and `--service-account` (the folder that a pod finds its
account in), and finds the API server in its environment, as in a pod.
"""

HTTP = "http"

TOKEN_SECONDS = 365 * 24 * 3600
"""Life of a program's token, which nothing here renews but the next `up`."""


@dataclass(frozen=True, kw_only=True)
class Workload:
    """A Deployment whose program runs here.

    program: its label `app.kubernetes.io/name`.
    args: of its first container.
    """

    namespace: str
    name: str
    program: str
    service_account: str
    args: tuple[str, ...]

    @classmethod
    def of(cls, deployment: Mapping[str, Any]) -> "Workload | None":
        """None for a Deployment whose pods nothing stands in for, or that is to have none."""
        metadata, spec = deployment["metadata"], deployment["spec"]
        program = (metadata.get("labels") or {}).get("app.kubernetes.io/name")
        if program not in PROGRAMS or spec.get("replicas", 1) == 0:
            return None
        pod = spec["template"]["spec"]
        return cls(
            namespace=metadata["namespace"],
            name=metadata["name"],
            program=program,
            service_account=pod.get("serviceAccountName", "default"),
            args=tuple(pod["containers"][0].get("args") or ()),
        )

    @property
    def key(self) -> str:
        """What tells it from the plane's other programs."""
        return f"deployment.{self.namespace}.{self.name}"


def applied(plane: "ControlPlane", deployment: Mapping[str, Any]) -> bool:
    """Run what stands in for a Deployment's pods, as the Deployment is now; end it where there are none.

    False when nothing stands in for them. Raises Refusal when the program does not start.
    """
    workload = Workload.of(deployment)
    if workload is None:
        removed(plane, deployment["metadata"]["namespace"], deployment["metadata"]["name"])
        return False
    _run(plane, workload)
    _kept(plane).mkdir(mode=0o700, exist_ok=True)
    write_private(_kept(plane) / f"{workload.key}.json", json.dumps(asdict(workload), indent=2))
    return True


def removed(plane: "ControlPlane", namespace: str, name: str) -> None:
    """End what stands in for a Deployment's pods."""
    for workload in workloads(plane):
        if (workload.namespace, workload.name) == (namespace, name):
            plane.process(workload.key).stop()
            (_kept(plane) / f"{workload.key}.json").unlink()


def resume(plane: "ControlPlane") -> None:
    """Run again what stood in for the pods of the plane's Deployments."""
    side_by_side(partial(_run, plane), workloads(plane))


def workloads(plane: "ControlPlane") -> Iterator[Workload]:
    """The Deployments of the plane that something stands in for."""
    for path in sorted(_kept(plane).glob("*.json")):
        kept = json.loads(path.read_text())
        yield Workload(**{**kept, "args": tuple(kept["args"])})


def addresses(plane: "ControlPlane") -> dict[str, str | None]:
    """Namespace and name of each -> where its program answers; None while it does not run."""
    return {
        f"{one.namespace}/{one.name}": f"http://127.0.0.1:{plane.ports[port_of(one.key, HTTP)]}"
        if plane.process(one.key).alive()
        else None
        for one in workloads(plane)
    }


def _run(plane: "ControlPlane", workload: Workload) -> None:
    account = _account(plane, workload)
    run(plane, workload.key, (HTTP,), partial(_command, workload, account))


def _command(workload: Workload, account: Path, around: Surroundings) -> Command:
    address = f"127.0.0.1:{around.ports[HTTP]}"
    return Command(
        (
            sys.executable,
            "-m",
            PROGRAMS[workload.program],
            *workload.args,
            f"--listen={address}",
            f"--service-account={account}",
        ),
        {
            "PYTHONPATH": str(REPOSITORY),
            "KUBERNETES_SERVICE_HOST": "127.0.0.1",
            "KUBERNETES_SERVICE_PORT": str(around.api_server),
        },
        f"http://{address}/healthz",
    )


def _account(plane: "ControlPlane", workload: Workload) -> Path:
    """What a pod would find of its service account, so that the program may do what the pod might."""
    folder = plane.folder / "accounts" / workload.key
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = f"/api/v1/namespaces/{workload.namespace}/serviceaccounts/{workload.service_account}/token"
    asked = {"kind": "TokenRequest", "spec": {"expirationSeconds": TOKEN_SECONDS}}
    write_private(folder / "token", plane.api().create(path, asked)["status"]["token"])
    write_private(folder / "ca.crt", plane.credentials.authority.read_text())
    write_private(folder / "namespace", workload.namespace)
    return folder


def _kept(plane: "ControlPlane") -> Path:
    return plane.folder / "deployments"
