"""Archer's service on loopback, with senders who say who they are."""

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Sequence

import httpx
import uvicorn

from moka.submission.configuration import HistoryPlace, LogsPlace
from moka.submission.job_id import application_name
from moka.submission.rights import Policy, Principal, Right
from services.archer.authentication.principal import Sender, Unauthenticated
from services.archer.database import claims, environment, transitions
from services.archer.database.address import Address
from services.archer.database.pool import Pool, pool
from services.archer.service.acceptor import Acceptor
from services.archer.service.app import application
from services.archer.service.changes import Changes
from services.archer.service.context import Context
from services.archer.service.limits import Rates
from services.archer.service.log_store import LogStore
from services.archer.service.program import server_config
from services.archer.service.surroundings import ClusterDirectory
from services.archer.tracing import OFF, Tracing
from tests.support.jobs import make_job_target

ANN = Right(
    who="user:ann",
    may=frozenset({"submit", "see", "stop"}),
    organization="analytics",
    tiers=frozenset({1, 2}),
)
OPERATOR = Right(who="group:operators", may=frozenset({"see", "stop", "operate"}))

NO_AUTHORITIES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""For clients of plain HTTP: by default each reads all authorities of the machine, which takes 40 ms."""


class Believing:
    """Believes what a header says: `name` or `name group`, also as a token."""

    async def sender(self, headers, peer):
        token = headers.get("authorization", "").removeprefix("Bearer ")
        name, _, group = (token or headers.get("x-sender", "")).partition(" ")
        if not name:
            raise Unauthenticated("Say who you are.")
        return Sender(Principal(name, frozenset({group} if group else ())), "proxy")


async def start(pool: Pool, spark_id: str, namespace: str = "spark-jobs") -> str:
    """Have the one job that is queued run, as workers do; the name of its driver's pod."""
    pace = claims.Pace(operator="spark-operator", namespaces=(namespace,))
    await pool.run(lambda c: claims.register(c, "spark-a", [pace]))
    [claim] = await pool.run(lambda c: claims.claim(c, "spark-a", pace, {}, "worker"))
    application = application_name(claim.name, claim.job, claim.attempt)
    done = transitions.NewApplication(job=claim.job, claim=claim.number, application=application)
    await pool.run(lambda c: transitions.record_applications(c, [done]))
    started = transitions.DriverStart(job=claim.job, attempt=claim.attempt, spark_id=spark_id)
    await pool.run(lambda c: transitions.record_starts(c, [started]))
    return f"{application}-driver"


@contextlib.asynccontextmanager
async def archer(
    address: Address,
    rights: Sequence[Right] = (ANN, OPERATOR),
    rate: float = 10_000.0,
    logs: LogsPlace | None = None,
    history: HistoryPlace | None = None,
    tracing: Tracing = OFF,
) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the service; ann sends what says nothing else."""
    async with pool(address) as connections:
        await connections.run(lambda c: environment.tell(c, "spark-a", make_job_target()))
        context = Context(
            pool=connections,
            acceptor=Acceptor(connections),
            changes=Changes(connections),
            directory=ClusterDirectory(connections),
            authenticator=Believing(),
            policy=Policy.of(rights),
            rates=Rates(rate, rate),
            logs=LogStore({"spark-a": logs} if logs else {}),
            history=history,
            tracing=tracing,
        )
        server = uvicorn.Server(server_config(application(context), ("127.0.0.1", 0)))
        task = asyncio.create_task(server._serve())
        while not server.started:
            assert not task.done(), "the service did not start"
            await asyncio.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        headers = {"X-Sender": "ann"}
        async with httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{port}", headers=headers, timeout=30, verify=NO_AUTHORITIES
        ) as client:
            client.pool = connections
            yield client
        server.should_exit = True
        await task
