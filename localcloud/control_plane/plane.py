"""One control plane: start it, find it, stop it, remove it."""

import base64
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from localcloud import tools
from localcloud.cloud import Cloud
from localcloud.control_plane import image_pulls
from localcloud.control_plane.api import Api
from localcloud.control_plane.parallel import parallel_map
from localcloud.control_plane.ports import Ports
from localcloud.control_plane.programs import (
    API_SERVER,
    AUTHENTICATOR,
    CLIENTS,
    ETCD,
    KWOK,
    OUR_STAGES,
    SERVERS,
    STAGES,
    Program,
    authorization,
)
from localcloud.credentials import ADMIN, USERS, Credentials, Principal, kubeconfig
from localcloud.errors import Refusal
from localcloud.files import locked, write_private
from localcloud.loopback import port_stays_taken
from localcloud.processes import Process, answers

ETCD_PEER = "etcd-peer"

_DYING_SECONDS = 15.0
"""In which a program that was killed is gone, and one that runs answers."""

_PORTS = (ETCD.name, ETCD_PEER, AUTHENTICATOR.name, API_SERVER.name)


@dataclass(frozen=True)
class ControlPlane:
    """The control plane of an EKS cluster.

    name: the EKS cluster's name.
    """

    cloud: Cloud
    name: str

    @classmethod
    def all(cls, cloud: Cloud) -> list["ControlPlane"]:
        """All control planes of a cloud, running or not."""
        return [cls(cloud, ports.parent.name) for ports in sorted(cloud.clusters.glob("*/ports.json"))]

    @classmethod
    def at(cls, cloud: Cloud, endpoint: str) -> "ControlPlane":
        """The control plane whose API server has this URL. Raises Refusal when the cloud has none."""
        for plane in cls.all(cloud):
            if plane.endpoint == endpoint.rstrip("/"):
                return plane
        raise Refusal(
            f"{endpoint} is no API server of the laptop cloud in {cloud.home}: correct the kubeconfig."
        )

    @property
    def folder(self) -> Path:
        """Everything that it keeps; for the owner only."""
        return self.cloud.clusters / self.name

    @property
    def endpoint(self) -> str:
        """URL of the API server; the same until the plane is removed."""
        return f"https://127.0.0.1:{self.ports[API_SERVER.name]}"

    @property
    def certificate_authority(self) -> str:
        """Certificate of the API server's authority, PEM in base64, as EKS returns it."""
        return base64.b64encode(self.credentials.authority.read_bytes()).decode()

    @property
    def token_file(self) -> Path:
        """Holds the bearer token of the administrator."""
        return self.credentials.token_file(ADMIN)

    @property
    def kubeconfig(self) -> Path:
        """The administrator's."""
        return self.folder / "kubeconfig"

    def principal_token_file(self, principal: Principal) -> Path:
        """Holds the bearer token of a principal of IAM, which its access entry lets in."""
        self.credentials.make()
        return self._of_principal(principal, "token", self.credentials.principal_token(principal))

    def principal_kubeconfig(self, principal: Principal) -> Path:
        """A principal's, as `aws eks update-kubeconfig` would write it."""
        self.credentials.make()
        token = self.credentials.principal_token(principal)
        content = kubeconfig(self.endpoint, self.credentials.authority, token, self.name)
        return self._of_principal(principal, "kubeconfig", content)

    def _of_principal(self, principal: Principal, suffix: str, content: str) -> Path:
        # Without colons, which part the paths in KUBECONFIG.
        name = quote("@".join(filter(None, (principal.session, principal.arn))), safe="@")
        path = self.folder / "principals" / f"{name}.{suffix}"
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_private(path, content)
        return path

    @property
    def credentials(self) -> Credentials:
        """Of its programs and users."""
        return Credentials(self.folder / "credentials")

    @property
    def ports(self) -> Ports:
        """Ports of its programs."""
        return Ports(self.folder / "ports.json")

    def process(self, name: str) -> Process:
        """The process of one of its programs, or of one that runs in place of pods."""
        return Process(self.folder, name)

    def api(self) -> Api:
        """Requests to its API server, as the administrator."""
        return Api(self.endpoint, self.credentials.authority.read_text(), self.credentials.token(ADMIN))

    def alive(self) -> bool:
        """Whether all programs that every control plane has run."""
        return not self.ended()

    def ended(self) -> list[str]:
        """Names of the programs that every control plane has, and that do not run."""
        names = [program.name for program in (*SERVERS, *CLIENTS)]
        return [name for name in names if not self.process(name).alive()]

    def start(self) -> None:
        """Start the programs that are not running, on the existing data, and wait until they serve.

        Raises Refusal when a program does not start, or another program took the port that it must have.
        """
        with self._locked():
            self._prepare()
            parallel_map(self._start, SERVERS)
            self._birth_file.touch()
            self._release_machines()
            image_pulls.install(self.api())
            parallel_map(self._start, CLIENTS)
            self.process("kube-controller-manager").wait(self._has_service_accounts)
            self.process(API_SERVER.name).wait(lambda: image_pulls.marks(self.api()))

    def stop(self) -> None:
        """End all of its processes; its data stays for the next start."""
        if not self.folder.is_dir():
            return
        with self._locked():
            servers = {program.name for program in SERVERS}
            clients = {file.stem for file in self.folder.glob("*.pid")} - servers
            parallel_map(lambda name: self.process(name).stop(), clients)
            for program in reversed(SERVERS):
                self.process(program.name).stop()

    def end_without_etcd(self) -> bool:
        """End the API server if etcd has ended; whether it had.

        Without, each of its clients waits a minute for every answer. A kubelet ends it too, by its probe:
        https://kubernetes.io/docs/reference/using-api/health-checks/
        """
        if self.process(ETCD.name).alive() or not self.process(API_SERVER.name).alive():
            return False
        # Whoever starts or stops the plane has ended etcd, or starts it again.
        with self._locked():
            if self.process(ETCD.name).alive():
                return False
            self.process(API_SERVER.name).stop(timeout=0)
            return True

    def remove(self) -> None:
        """End all of its processes, and delete its data."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
        self._lock.unlink(missing_ok=True)

    @property
    def _lock(self) -> Path:
        return self.cloud.clusters / f"{self.name}.lock"

    @property
    def _birth_file(self) -> Path:
        """A file that exists once the API server has served, so that its URL may be in use."""
        return self.folder / "born"

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Keep other processes and threads from starting or stopping it at the same time."""
        self.cloud.clusters.mkdir(mode=0o700, parents=True, exist_ok=True)
        with locked(self._lock):
            yield

    def _prepare(self) -> None:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.folder.chmod(0o700)
        self.credentials.make()
        etcd = self.process(ETCD.name)
        # One that was killed just now looks alive for a moment.
        if not etcd.becomes_ready(self._stores, _DYING_SECONDS):
            etcd.stop()
            # One that outlived its etcd may hold requests for a minute, though it says that it is ready.
            self.process(API_SERVER.name).stop()
            self.ports.keep_or_move(ETCD_PEER)
            self.ports.keep_or_move(ETCD.name)
        if not self.process(AUTHENTICATOR.name).alive():
            if self.ports.taken(AUTHENTICATOR.name):
                self.process(API_SERVER.name).stop()
            self.ports.keep_or_move(AUTHENTICATOR.name)
        if not self.process(API_SERVER.name).alive():
            self._keep_endpoint()
        for user in USERS:
            path = self.kubeconfig if user == ADMIN else self.credentials.folder / f"{user}.kubeconfig"
            token = self.credentials.token(user)
            write_private(path, kubeconfig(self.endpoint, self.credentials.authority, token, self.name))
        for question in ("token", "access"):
            content = kubeconfig(self._authenticator(question), self.credentials.authority, "", self.name)
            write_private(self.folder / f"{question}-webhook.kubeconfig", content)
        configuration = authorization(self.folder / "access-webhook.kubeconfig")
        write_private(self.folder / "authorization.json", json.dumps(configuration, indent=2))

    def _authenticator(self, path: str) -> str:
        return f"https://127.0.0.1:{self.ports[AUTHENTICATOR.name]}/{path}"

    def _keep_endpoint(self) -> None:
        """Keep the API server's port, which is in its URL; it may only change before it has ever served."""
        if not self._birth_file.exists():
            self.ports.keep_or_move(API_SERVER.name)
        elif port_stays_taken(port := self.ports[API_SERVER.name]):
            raise Refusal(
                f"Port {port} of 127.0.0.1, which the API server of {self.name} must have, is taken by "
                "another program: end that program, then run this again."
            )

    def _release_machines(self) -> None:
        """Let kwok take the machines over at once, not when the leases of the previous kwok run out."""
        if not self.process(KWOK.name).alive():
            self.api().delete("/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases")

    def _start(self, program: Program) -> None:
        ready = {
            ETCD.name: self._stores,
            API_SERVER.name: self._serves,
            AUTHENTICATOR.name: self._authenticates,
        }.get(program.name)
        process, argv = self.process(program.name), program.argv(self._parameters())
        if not process.runs_as(argv, program.environment):
            # An earlier checkout may have started it with other flags.
            process.stop()
        process.start(argv, program.environment, ready)

    def _parameters(self) -> dict[str, str]:
        stages = tools.files("kwok") / "stages"
        return {
            "home": str(self.cloud.home),
            "cluster": self.name,
            "folder": str(self.folder),
            "credentials": str(self.credentials.folder),
            "stages": ",".join(str(stage) for stage in (*(stages / stage for stage in STAGES), *OUR_STAGES)),
            **{name: str(self.ports[name]) for name in _PORTS},
        }

    def _stores(self) -> bool:
        url = f"https://127.0.0.1:{self.ports[ETCD.name]}/health"
        return answers(url, self.credentials.authority, self.credentials.serving)

    def _serves(self) -> bool:
        return answers(f"{self.endpoint}/readyz", self.credentials.authority)

    def _authenticates(self) -> bool:
        return answers(self._authenticator("healthz"), self.credentials.authority)

    def _has_service_accounts(self) -> bool:
        return self.api().get("/api/v1/namespaces/default/serviceaccounts/default") is not None
