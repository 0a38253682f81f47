"""All of Archer as processes, under load: services, workers, a replicated PostgreSQL, a real API server.

The operator is played by a stub. An observer sees each application that there ever was.
"""

import asyncio
import json
import ssl
import subprocess
import sys
import time
import urllib.request
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

import aiohttp

from localcloud.cloud import REPOSITORY, Cloud
from localcloud.control_plane import ControlPlane
from localcloud.control_plane.programs import API_SERVER, CLIENTS
from localcloud.control_plane.stand_ins.accounts import account
from localcloud.loopback import port_stays_taken
from localcloud.processes import answers
from moka.components.kubernetes import archer_deadline
from moka.components.kubernetes.archer_rights import CLUSTER_RIGHTS, NAMESPACE_RIGHTS, OPERATOR_RIGHTS
from moka.jobs.job_target import JobTarget
from moka.names import SPARK_OPERATOR_NAMESPACE
from moka.submission.cluster_document import CONFIG_MAP, ClusterDocument, OperatorShare
from moka.submission.job_id import id_text
from moka.submission.manifest import attempt_of
from moka.submission.observation import ENDS
from services.archer.database.pool import Pool, pool
from services.archer.worker.cluster import applications
from services.common.kubernetes import Api, ApiError, Object
from tests.support.admission import bind
from tests.support.archer_processes import Archer, Program, token
from tests.support.archer_worker import LEASE_SECONDS
from tests.support.jobs import make_job, make_job_target
from tests.support.oidc_issuer import OidcIssuer
from tests.support.plane_admin import plane_admin
from tests.support.relay import Relay
from tests.support.replicated_postgresql import ReplicatedPostgreSQL
from tests.support.roles import bound_cluster_role, bound_role
from tests.support.simulated_operator import define

ARCHER = "archer-worker"
CLUSTER = "spark-a"

MIX = ("good",) * 6 + ("bad", "flaky", "flaky", "endless")
"""Kinds of jobs, by first words of names (tests/support/operator_stub.py), as often as they are sent."""

ENDINGS: Mapping[str, tuple[str, str, int]] = {
    "good": ("succeeded", "succeeded", 1),
    "bad": ("failed", "program failed", 1),
    "flaky": ("succeeded", "succeeded", 2),
    "endless": ("cancelled", "stopped", 1),
}
"""Kind -> state, reason and attempts that its jobs end with. Who sends the endless ones stops them."""

SETTLED_SECONDS = 1200
"""Until all jobs have ended once there is no fault any more: a lease of a claim, a silent watch, a sweep."""


@contextmanager
def plane_of_stub(folder: Path) -> Iterator[ControlPlane]:
    """A plane for Archer and a stub of the operator; of its programs, only those run that it takes."""
    plane = ControlPlane(Cloud(folder), CLUSTER)
    try:
        plane.start()
        for program in CLIENTS:
            plane.process(program.name).stop()
        define(plane.api())
        let_in(plane)
        yield plane
    finally:
        plane.remove()


def let_in(plane: ControlPlane) -> None:
    """Give Archer's worker an account on a plane."""
    plane.api().apply_all(
        [
            *[
                {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
                for name in (ARCHER, SPARK_OPERATOR_NAMESPACE)
            ],
            {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": ARCHER, "namespace": ARCHER}},
            *bound_cluster_role(ARCHER, CLUSTER_RIGHTS, ARCHER),
            *bound_role(ARCHER, SPARK_OPERATOR_NAMESPACE, OPERATOR_RIGHTS, ARCHER),
        ]
    )


def document_of(namespace: str, a_minute: float, target: JobTarget | None = None) -> ClusterDocument:
    """What a cluster says of itself, with an operator that starts so many applications a minute."""
    return ClusterDocument(
        target=target or make_job_target(cluster=CLUSTER, namespaces=[namespace]),
        operators=[OperatorShare(name=namespace, namespaces=[namespace], applications_per_minute=a_minute)],
    )


def open_namespace(plane: ControlPlane, namespace: str, document: ClusterDocument) -> None:
    """Have a namespace for jobs of a cluster that says this of itself."""
    plane.api().apply_all(
        [
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}},
            *bound_role(ARCHER, namespace, NAMESPACE_RIGHTS, ARCHER),
            {
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": {"name": CONFIG_MAP, "namespace": SPARK_OPERATOR_NAMESPACE},
                "data": document.as_data(),
            },
        ]
    )
    bind(plane.api(), f"{archer_deadline.POLICY_NAME}-{namespace}", archer_deadline.rules([namespace]))


@dataclass
class Application:
    """One that there is, or was. state: the operator's word, as it was last told."""

    name: str
    job: UUID
    attempt: int
    state: str = ""
    gone: bool = False

    @property
    def over(self) -> bool:
        """Whether nothing of it runs any more."""
        return self.gone or self.state in ENDS


@dataclass
class Observer:
    """Sees every change of the applications of a namespace, from the API server's own watch.

    wrong: sentences on what must not be. gaps: how often the watch had to begin anew with a list.
    """

    api: Api
    namespace: str
    applications: dict[str, Application] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    gaps: int = -1
    held: set[str] = field(default_factory=set)
    """uids of those that a finalizer keeps."""
    _of_job: dict[UUID, list[Application]] = field(default_factory=lambda: defaultdict(list))

    async def run(self) -> None:
        """Look for ever."""
        version = ""
        while True:
            try:
                if not version:
                    version = await self._list()
                query = {"watch": "1", "allowWatchBookmarks": "true", "resourceVersion": version}
                async for event in self.api.stream(applications(self.namespace), 60, **query):
                    if event["type"] == "ERROR":
                        version = ""
                        break
                    version = event["object"]["metadata"]["resourceVersion"]
                    if event["type"] != "BOOKMARK":
                        self._see(event["object"], event["type"] == "DELETED")
            except ApiError as error:
                version = "" if error.status == 410 else version
            except (aiohttp.ClientError, OSError, TimeoutError):
                pass
            await asyncio.sleep(0.05)

    async def _list(self) -> str:
        listing = await self.api.get(applications(self.namespace))
        if listing is None:
            raise ApiError(404, "they are not served yet")
        self.gaps += 1
        items = listing["items"]
        uids = {item["metadata"]["uid"] for item in items}
        for uid, one in self.applications.items():
            if uid not in uids:
                one.gone = True
                self.held.discard(uid)
        for item in items:
            self._see(item, False)
        return str(listing["metadata"]["resourceVersion"])

    def _see(self, item: Object, gone: bool) -> None:
        attempt = attempt_of(item)
        assert attempt is not None, "only Archer makes applications here"
        metadata = item["metadata"]
        uid = metadata["uid"]
        if uid not in self.applications:
            new = Application(metadata["name"], *attempt)
            for other in self._of_job[new.job]:
                if other.attempt == new.attempt:
                    self.wrong.append(f"{new.name} was made twice")
                elif not other.over:
                    self.wrong.append(f"{new.name} was made while {other.name} was {other.state or 'new'}")
            self.applications[uid] = new
            self._of_job[new.job].append(new)
        one = self.applications[uid]
        one.state = ((item.get("status") or {}).get("applicationState") or {}).get("state", "")
        one.gone = gone
        if metadata.get("finalizers") and not gone:
            self.held.add(uid)
        else:
            self.held.discard(uid)

    def attempts(self) -> Counter[UUID]:
        """Job -> applications that it ever had."""
        return Counter(application.job for application in self.applications.values())


class Stage:
    """What there is, and what a test does to it.

    services, workers: those that run. ways: of each worker to the database and to the API server.
    """

    def __init__(self, plane: ControlPlane, folder: Path, namespace: str) -> None:
        self.plane = plane
        self.folder = folder
        self.namespace = namespace
        self.services: list[Program] = []
        self.workers: list[Program] = []
        self.ways: list[tuple[Relay, Relay]] = []
        self.database: ReplicatedPostgreSQL
        self.pool: Pool
        self.observer: Observer
        self.archer: Archer
        self.stopped: set[str] = set()
        self._environment: dict[str, str] = {}

    @property
    def taken(self) -> dict[str, str]:
        """Id -> kind of the jobs that were taken."""
        lines = self._taken.read_text().splitlines() if self._taken.exists() else []
        return {job: name.partition("-")[0] for name, job in (line.split() for line in lines)}

    @property
    def _taken(self) -> Path:
        return self.folder / "taken"

    async def start_worker(self, number: int, environment: Mapping[str, str] | None = None) -> None:
        """Start a worker in the place of one that has ended."""
        database, api = self.ways[number]
        self.workers[number] = self.archer.start(
            "worker",
            server=f"https://127.0.0.1:{api.port}",
            database=self.archer.database_at(database.port),
            environment={**self._environment, **(environment or {})},
        )

    async def follows(self, number: int) -> bool:
        """Whether a worker follows the applications."""
        try:
            async with (
                aiohttp.ClientSession() as session,
                session.get(f"{self.workers[number].url}/metrics") as answer,
            ):
                return "moka_archer_worker_leases 1.0" in await answer.text()
        except aiohttp.ClientError:
            return False

    async def start_service(self, number: int) -> None:
        """Start a service in the place of one that has ended, where its clients look for it."""
        port = int(self.services[number].url.rpartition(":")[2])
        self.services[number] = self.archer.start("service", port)

    def etcd(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Ask etcd, by its gateway (https://etcd.io/docs/v3.5/dev-guide/api_grpc_gateway/)."""
        credentials = self.plane.credentials
        context = ssl.create_default_context(cafile=credentials.authority)
        context.load_cert_chain(*credentials.serving)
        url = f"https://127.0.0.1:{self.plane.ports['etcd']}/v3/{path}"
        request = urllib.request.Request(url, json.dumps(body).encode(), method="POST")
        with urllib.request.urlopen(request, timeout=30, context=context) as response:
            answer: dict[str, Any] = json.loads(response.read())
            return answer

    def lose_api_server(self) -> None:
        """Kill the API server."""
        process = self.plane.process(API_SERVER.name)
        self._api_server = json.loads(process.pid_file.read_text())["as"]
        process.stop(timeout=0)

    async def bring_api_server(self) -> None:
        """Start it again, as it was; until it serves."""
        argv, environment = self._api_server
        # One that was killed just now holds its port for a moment.
        await asyncio.to_thread(port_stays_taken, self.plane.ports[API_SERVER.name], 30)
        url, authority = f"{self.plane.endpoint}/readyz", self.plane.credentials.authority
        await asyncio.to_thread(
            self.plane.process(API_SERVER.name).start, argv, environment, lambda: answers(url, authority), 120
        )

    def ended(self) -> list[str]:
        """Programs that have ended without having been killed, and what they said."""
        return [
            f"{program.log.name}: {program.log.read_text()[-3000:]}"
            for program in (*self.services, *self.workers)
            if program.process.poll() is not None
        ]

    async def stop_the_endless(self) -> None:
        """Have jobs that never end stopped, a moment after they were taken, for ever."""
        due_times: dict[str, float] = {}
        async with aiohttp.ClientSession(headers=self._headers) as session:
            while True:
                now = time.monotonic()
                for job, kind in self.taken.items():
                    due = due_times.setdefault(job, now + hash(job) % 5) if kind == "endless" else None
                    if due is None or due > now or job in self.stopped:
                        continue
                    url = self.services[len(self.stopped) % len(self.services)].url
                    try:
                        async with session.post(f"{url}/v1/jobs/{job}/stop") as answer:
                            if answer.status == 202:
                                self.stopped.add(job)
                    except (aiohttp.ClientError, OSError, TimeoutError):
                        pass
                await asyncio.sleep(0.5)

    @property
    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {(self.folder / 'bearer').read_text()}"}

    async def begin_load(
        self, rate: float, count: int = 1_000_000, mix: Sequence[str] = MIX, **changes: Any
    ) -> None:
        """Have jobs sent, so many a second. mix: kinds of them. changes: of each job."""
        jobs = [
            make_job(
                name=f"{kind}-{number}",
                namespace=self.namespace,
                tier=1 + number % 2,
                # A job that was tried in vain goes on soon.
                restart={"seconds": 1},
                **changes,
            ).model_dump(mode="json", exclude_unset=True)
            for number, kind in enumerate(mix)
        ]
        (self.folder / "jobs.json").write_text(json.dumps(jobs))
        self._load_report = (self.folder / "load.json").open("w+")
        self._load = subprocess.Popen(
            [
                *(sys.executable, "-m", "tests.support.archer_load"),
                *(f"--url={service.url}" for service in self.services),
                *(f"--token={self.folder / 'bearer'}", f"--jobs={self.folder / 'jobs.json'}"),
                *(f"--count={count}", f"--rate={rate}", f"--taken={self._taken}"),
            ],
            stdout=self._load_report,
            cwd=REPOSITORY,
        )

    @property
    def loading(self) -> bool:
        """Whether jobs are being sent."""
        return self._load.poll() is None

    async def end_load(self, enough: bool = True) -> dict[str, Any]:
        """Have no more jobs sent, unless all are to be; what the load saw."""
        if enough:
            self._load.terminate()
        status = await asyncio.to_thread(self._load.wait)
        assert status == 0, "the load was refused a job"
        self._load_report.seek(0)
        report: dict[str, Any] = json.load(self._load_report)
        return report

    async def active(self) -> dict[str, int]:
        """State -> active jobs in it."""
        rows = await self.pool.fetch("SELECT state, count(*) AS jobs FROM active GROUP BY state")
        return {row["state"]: row["jobs"] for row in rows}

    async def settled(self, patience: float = SETTLED_SECONDS) -> list[str]:
        """Until all jobs have ended and nothing is held; what is wrong then, in sentences."""
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            if not await self.active() and not self.observer.held:
                break
            await asyncio.sleep(0.5)
        return await self.mistakes()

    async def mistakes(self) -> list[str]:
        """All that is wrong, once all jobs should have ended."""
        wrong = [*self.observer.wrong, *self.ended()]
        taken = self.taken
        rows = await self.pool.fetch(
            "SELECT jobs.id, coalesce(jobs.state, active.state) AS state, reason, attempts "
            "FROM jobs LEFT JOIN active USING (id)"
        )
        recorded = {id_text(row["id"]): row for row in rows}
        wrong += [f"{job} was taken, and is lost" for job in taken.keys() - recorded.keys()]
        wrong += [f"{job} is there, and nobody was told" for job in recorded.keys() - taken.keys()]
        attempts = self.observer.attempts()
        for job, kind in taken.items():
            if row := recorded.get(job):
                wrong += self._mistakes_of(job, kind, row, attempts[row["id"]])
        wrong += [f"{self.observer.applications[uid].name} is held for ever" for uid in self.observer.held]
        return wrong

    def _mistakes_of(self, job: str, kind: str, row: Mapping[str, Any], applications: int) -> list[str]:
        state, reason, attempts = ENDINGS[kind]
        seen = row["state"], row["reason"], row["attempts"], applications
        # One that was stopped before it had one.
        right = {(state, reason, attempts, attempts)} | (
            {(state, reason, 1, 0)} if kind == "endless" else set()
        )
        return [] if seen in right else [f"{kind} job {job}: {seen}, not {sorted(right)}"]


@asynccontextmanager
async def stage(
    plane: ControlPlane,
    folder: Path,
    namespace: str,
    *,
    services: int = 2,
    workers: int = 2,
    lease_seconds: float = 60,
    longest: float = 1.0,
    ttl: float = 30.0,
    document: ClusterDocument | None = None,
    played: bool = True,
) -> AsyncIterator[Stage]:
    """A stage on a plane that is prepared, with a database of its own.

    document: of the cluster. played: whether a stub plays the operator.
    longest: seconds that the stub takes at most from state to state.
    ttl: until it deletes what has ended; longer than a claim holds.
    """
    it = Stage(plane, folder, namespace)
    it._environment = {LEASE_SECONDS: str(lease_seconds)}
    await asyncio.to_thread(open_namespace, plane, namespace, document or document_of(namespace, 6000))
    folder_of_account = account(plane, ARCHER, ARCHER, ARCHER)
    admin = plane_admin(plane, folder)
    async with AsyncExitStack() as stack:
        issuer = await stack.enter_async_context(OidcIssuer({}, {}))
        (folder / "bearer").write_text(token(issuer.url))
        it.database = await stack.enter_async_context(ReplicatedPostgreSQL())
        it.archer = stack.enter_context(
            Archer(folder, it.database.address, issuer.url, account=folder_of_account, clusters=[CLUSTER])
        )
        await it.archer.kept()
        it.pool = await stack.enter_async_context(pool(it.database.address, 2))
        api = await stack.enter_async_context(Api(admin))
        it.observer = Observer(api, namespace)
        for _ in range(workers):
            database = await stack.enter_async_context(Relay(it.database.relay.port))
            server = await stack.enter_async_context(Relay(int(plane.endpoint.rpartition(":")[2])))
            it.ways.append((database, server))
        if played:
            operator = _operator(plane, folder, admin.folder, namespace, longest, ttl)
            stack.callback(lambda: (operator.kill(), operator.wait()))
        tasks = [asyncio.create_task(it.observer.run())]
        it.workers = [None] * workers  # type: ignore[list-item]
        for number in range(workers):
            await it.start_worker(number)
        it.services = [await it.archer.serving() for _ in range(services)]
        tasks.append(asyncio.create_task(it.stop_the_endless()))
        try:
            yield it
            assert not played or operator.poll() is None, "the stub that plays the operator has ended"
            for task in tasks:
                assert not task.done(), task.exception()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            load: subprocess.Popen[bytes] | None = getattr(it, "_load", None)
            if load is not None and load.poll() is None:
                load.kill()
                load.wait()


def _operator(
    plane: ControlPlane, folder: Path, account: Path, namespace: str, longest: float, ttl: float
) -> "subprocess.Popen[bytes]":
    """The stub that plays the operator, as a process of its own."""
    with (folder / "operator.log").open("wb") as log:
        return subprocess.Popen(
            [
                *(sys.executable, "-m", "tests.support.operator_stub"),
                *(plane.endpoint, str(account), namespace, str(longest), str(ttl)),
            ],
            cwd=REPOSITORY,
            stdout=log,
            stderr=log,
        )
