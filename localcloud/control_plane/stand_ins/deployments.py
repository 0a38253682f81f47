"""Programs of a project, which really run in place of the pods of their Deployments.

The project names them in its `localcloud.yaml`. A program takes `--listen` (where it serves `/healthz`) and
`--service-account` (the folder that a pod finds its account in), and finds the API server in its environment,
as in a pod. ConfigMaps that its pods mount are files, and arguments have their paths as they are here; where
files or arguments have host and port of a database of RDS, they get those of what stands in for it.
"""

import hashlib
import json
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from aws_rules.iam.pod_identity import EFFECTIVE_SECONDS, is_effective
from aws_rules.iam.pod_identity import SERVICE as AUDIENCE
from localcloud.aws_server import AwsServer
from localcloud.cloud import REPOSITORY
from localcloud.control_plane import pod_identity
from localcloud.control_plane.parallel import parallel_map
from localcloud.control_plane.plane import ControlPlane
from localcloud.control_plane.stand_ins import config_maps, pods
from localcloud.control_plane.stand_ins.accounts import account, token_of
from localcloud.control_plane.stand_ins.config_maps import ConfigMapMount, mounts
from localcloud.control_plane.stand_ins.processes import Command, Surroundings, files, run, url
from localcloud.databases import reached
from localcloud.errors import Refusal
from localcloud.files import write_private
from localcloud.project import stand_in_modules, stand_in_variables

HTTP = "http"


@dataclass(frozen=True, kw_only=True)
class Workload:
    """A Deployment whose program runs here.

    program: its label `app.kubernetes.io/name`, by which the project names the module.
    args: of its first container. mounts: ConfigMaps there.
    project: folder of the Pulumi project that deploys it. stack: that does.
    """

    namespace: str
    name: str
    program: str
    service_account: str
    args: tuple[str, ...]
    mounts: tuple[ConfigMapMount, ...] = ()
    project: str = str(REPOSITORY)
    stack: str = ""

    @classmethod
    def of(cls, deployment: Mapping[str, Any], project: Path, stack: str = "") -> "Workload | None":
        """None for a Deployment whose pods nothing stands in for, or that is to have none."""
        metadata, spec = deployment["metadata"], deployment["spec"]
        program = (metadata.get("labels") or {}).get("app.kubernetes.io/name")
        if program not in stand_in_modules(project) or spec.get("replicas", 1) == 0:
            return None
        pod = spec["template"]["spec"]
        container = pod["containers"][0]
        return cls(
            namespace=metadata["namespace"],
            name=metadata["name"],
            program=program,
            service_account=pod.get("serviceAccountName", "default"),
            args=tuple(container.get("args") or ()),
            mounts=tuple(mounts(pod.get("volumes") or (), container.get("volumeMounts") or ())),
            project=str(project),
            stack=stack,
        )

    @property
    def key(self) -> str:
        """Its program's name among the plane's."""
        return f"deployment.{self.namespace}.{self.name}"


def apply(plane: ControlPlane, deployment: Mapping[str, Any], project: Path, stack: str = "") -> bool:
    """Run what stands in for a Deployment's pods, as the Deployment is now; end it where there are none.

    False when nothing stands in for them. Raises Refusal when the program does not start.
    """
    workload = Workload.of(deployment, project, stack)
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
            shutil.rmtree(files(plane, workload.key), ignore_errors=True)
            (_folder(plane) / f"{workload.key}.json").unlink(missing_ok=True)


def resume(plane: ControlPlane) -> list[str]:
    """Run again what stood in for the pods of the plane's Deployments, as their projects name it now.

    Returns a sentence for each program that does not start: pods that crash hinder nothing else either.
    A Deployment that is gone, by hand or with its namespace, has no pods: what stood in for them ends.
    """
    return [sentence for sentence in parallel_map(partial(_resume, plane), workloads(plane)) if sentence]


def workloads(plane: ControlPlane) -> Iterator[Workload]:
    """The Deployments of the plane that something stands in for."""
    for path in sorted(_folder(plane).glob("*.json")):
        try:
            record = json.loads(path.read_text())
        except FileNotFoundError:  # Another that is deleted at the same time.
            continue
        mounts = tuple(ConfigMapMount(**mount) for mount in record.get("mounts", ()))
        yield Workload(**{**record, "args": tuple(record["args"]), "mounts": mounts})


def addresses(plane: ControlPlane) -> dict[str, str | None]:
    """Namespace and name of a Deployment -> URL of its program; None while it does not run."""
    return {
        f"{workload.namespace}/{workload.name}": url(plane, workload.key, HTTP)
        for workload in workloads(plane)
    }


def variables(plane: ControlPlane) -> dict[str, str]:
    """Variables by which a shell finds the programs that run, as their projects name them."""
    values: dict[str, str] = {}
    for workload in workloads(plane):
        if address := url(plane, workload.key, HTTP):
            environment = workload.stack.partition(".")[0]
            values |= stand_in_variables(
                Path(workload.project), workload.program, url=address, environment=environment
            )
    return values


def _resume(plane: ControlPlane, workload: Workload) -> str:
    """A sentence where it does not start."""
    namespace = plane.api().get(f"/api/v1/namespaces/{workload.namespace}")
    path = f"/apis/apps/v1/namespaces/{workload.namespace}/deployments/{workload.name}"
    if namespace is None or "deletionTimestamp" in namespace["metadata"] or plane.api().get(path) is None:
        remove(plane, workload.namespace, workload.name)
        return ""
    try:
        _run(plane, workload)
    except Refusal as refusal:
        return str(refusal)
    return ""


def _run(plane: ControlPlane, workload: Workload) -> None:
    module = stand_in_modules(Path(workload.project)).get(workload.program)
    if module is None:
        plane.process(workload.key).stop()
    else:
        aws = AwsServer(plane.cloud).variables
        mount_folder, content = _mounts(plane, workload)
        # Pods with other files are other pods.
        fingerprint = {"LOCALCLOUD_FILES": hashlib.sha256(content).hexdigest()} if content else {}
        arguments = tuple(
            reached(plane.cloud, _with_folder(argument, mount_folder, workload)) for argument in workload.args
        )
        folder = account(plane, workload.key, workload.namespace, workload.service_account)
        aws |= _identity(plane, workload, folder)
        run(
            plane,
            workload.key,
            (HTTP,),
            partial(_command, replace(workload, args=arguments), module, {**aws, **fingerprint}),
            account=folder,
            pods=pods.variables(plane),
        )


def _identity(plane: ControlPlane, workload: Workload, folder: Path) -> dict[str, str]:
    """Variables by which its pods have credentials of AWS of their own; none without an association.

    Raises Refusal where EKS would not know the association yet.
    """
    owner = (workload.namespace, workload.service_account)
    association = pod_identity.association(plane.cloud, plane.name, *owner)
    if association is None:
        return {}
    if not is_effective(association, datetime.now(UTC)):
        raise Refusal(
            f"its pods come less than {EFFECTIVE_SECONDS} s after the Pod Identity association of their "
            f"service account {'/'.join(owner)} was made, and may stay without its credentials for good "
            "(CreatePodIdentityAssociation, EKS API Reference): have them come later."
        )
    token = folder / pod_identity.TOKEN
    write_private(token, token_of(plane, *owner, audience=AUDIENCE))
    return pod_identity.variables(pods.network(plane), str(token))


def _mounts(plane: ControlPlane, workload: Workload) -> tuple[Path, bytes]:
    """Write what its pods mount of ConfigMaps; the folder below which that is, and all that it has."""
    folder = files(plane, workload.key)
    owner = f"deployment {workload.namespace}/{workload.name}"
    config_maps.write(plane.api(), owner, workload.namespace, workload.mounts, folder)
    contents = []
    for mount in workload.mounts:
        for path in sorted(config_maps.within(folder, mount.path).iterdir()):
            content = path.read_bytes()
            with suppress(UnicodeDecodeError):
                content = reached(plane.cloud, content.decode()).encode()
            path.write_bytes(content)
            contents.append(content)
    return folder, b"".join(contents)


def _with_folder(argument: str, folder: Path, workload: Workload) -> str:
    """An argument, with the paths of what is mounted as they are here."""
    for mount in workload.mounts:
        argument = argument.replace(f"{mount.path}/", f"{config_maps.within(folder, mount.path)}/")
    return argument


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
