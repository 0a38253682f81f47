"""Programs of a project, which really run in place of the pods of their Deployments.

The project names them in its `localcloud.yaml`. A program takes `--listen` (where it serves `/healthz`) and
`--service-account` (the folder that a pod finds its account in), and finds the API server in its environment,
as in a pod. Where an argument has host and port of a database of RDS, it gets those of what stands in for it.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from localcloud.aws_server import AwsServer
from localcloud.cloud import REPOSITORY
from localcloud.control_plane.parallel import parallel_map
from localcloud.control_plane.plane import ControlPlane
from localcloud.control_plane.stand_ins import pods
from localcloud.control_plane.stand_ins.accounts import account
from localcloud.control_plane.stand_ins.processes import Command, Surroundings, run, url
from localcloud.databases import reached
from localcloud.files import write_private
from localcloud.project import stand_in_modules

HTTP = "http"


@dataclass(frozen=True, kw_only=True)
class Workload:
    """A Deployment whose program runs here.

    program: its label `app.kubernetes.io/name`, by which the project names the module.
    args: of its first container.
    project: folder of the Pulumi project that deploys it.
    """

    namespace: str
    name: str
    program: str
    service_account: str
    args: tuple[str, ...]
    project: str = str(REPOSITORY)

    @classmethod
    def of(cls, deployment: Mapping[str, Any], project: Path) -> "Workload | None":
        """None for a Deployment whose pods nothing stands in for, or that is to have none."""
        metadata, spec = deployment["metadata"], deployment["spec"]
        program = (metadata.get("labels") or {}).get("app.kubernetes.io/name")
        if program not in stand_in_modules(project) or spec.get("replicas", 1) == 0:
            return None
        pod = spec["template"]["spec"]
        return cls(
            namespace=metadata["namespace"],
            name=metadata["name"],
            program=program,
            service_account=pod.get("serviceAccountName", "default"),
            args=tuple(pod["containers"][0].get("args") or ()),
            project=str(project),
        )

    @property
    def key(self) -> str:
        """Its program's name among the plane's."""
        return f"deployment.{self.namespace}.{self.name}"


def apply(plane: ControlPlane, deployment: Mapping[str, Any], project: Path) -> bool:
    """Run what stands in for a Deployment's pods, as the Deployment is now; end it where there are none.

    False when nothing stands in for them. Raises Refusal when the program does not start.
    """
    workload = Workload.of(deployment, project)
    if workload is None:
        remove(plane, deployment["metadata"]["namespace"], deployment["metadata"]["name"])
        return False
    _run(plane, workload)
    _folder(plane).mkdir(mode=0o700, exist_ok=True)
    write_private(_folder(plane) / f"{workload.key}.json", json.dumps(asdict(workload), indent=2))
    return True


def remove(plane: ControlPlane, namespace: str, name: str) -> None:
    """End what stands in for a Deployment's pods."""
    for workload in workloads(plane):
        if (workload.namespace, workload.name) == (namespace, name):
            plane.process(workload.key).stop()
            (_folder(plane) / f"{workload.key}.json").unlink(missing_ok=True)


def resume(plane: ControlPlane) -> None:
    """Run again what stood in for the pods of the plane's Deployments, as their projects name it now."""
    parallel_map(partial(_run, plane), workloads(plane))


def workloads(plane: ControlPlane) -> Iterator[Workload]:
    """The Deployments of the plane that something stands in for."""
    for path in sorted(_folder(plane).glob("*.json")):
        try:
            record = json.loads(path.read_text())
        except FileNotFoundError:  # Another that is deleted at the same time.
            continue
        yield Workload(**{**record, "args": tuple(record["args"])})


def addresses(plane: ControlPlane) -> dict[str, str | None]:
    """Namespace and name of a Deployment -> URL of its program; None while it does not run."""
    return {
        f"{workload.namespace}/{workload.name}": url(plane, workload.key, HTTP)
        for workload in workloads(plane)
    }


def _run(plane: ControlPlane, workload: Workload) -> None:
    module = stand_in_modules(Path(workload.project)).get(workload.program)
    if module is None:
        plane.process(workload.key).stop()
    else:
        aws = AwsServer(plane.cloud).variables
        arguments = tuple(reached(plane.cloud, argument) for argument in workload.args)
        folder = account(plane, workload.key, workload.namespace, workload.service_account)
        run(
            plane,
            workload.key,
            (HTTP,),
            partial(_command, replace(workload, args=arguments), module, aws),
            account=folder,
            pods=pods.variables(plane),
        )


def _command(workload: Workload, module: str, aws: Mapping[str, str], around: Surroundings) -> Command:
    address = f"127.0.0.1:{around.ports[HTTP]}"
    return Command(
        (
            sys.executable,
            "-m",
            module,
            *workload.args,
            f"--listen={address}",
            f"--service-account={around.account}",
        ),
        {
            "PYTHONPATH": workload.project,
            "KUBERNETES_SERVICE_HOST": "127.0.0.1",
            "KUBERNETES_SERVICE_PORT": str(around.api_server),
            # Not the developer's own account.
            **aws,
            **around.pods,
        },
        f"http://{address}/healthz",
    )


def _folder(plane: ControlPlane) -> Path:
    return plane.folder / "deployments"
