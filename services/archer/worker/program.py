"""The worker as a program."""

import logging
import tempfile
from collections.abc import Coroutine, Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from moka.names import ARCHER_WORKER
from moka.submission.configuration import Configuration
from services.archer.database.access import service_address
from services.archer.database.pool import pool
from services.archer.traces import tracing
from services.archer.worker.credentials import EksCredentials
from services.archer.worker.metrics import Counted, Numbers
from services.archer.worker.worker import Worker
from services.common.health import health_server
from services.common.kubernetes import Api, Credentials, ServiceAccount
from services.common.metrics import Metrics
from services.common.signals import run_until_signal


async def run(configuration: Configuration, listen: tuple[str, int], _: ServiceAccount) -> None:
    """Work until a signal ends it."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        credentials = {
            name: EksCredentials(name, access, folder) for name, access in configuration.clusters.items()
        }
        await work(
            configuration, listen, credentials, *[credential.run() for credential in credentials.values()]
        )


async def work(
    configuration: Configuration,
    listen: tuple[str, int],
    credentials: Mapping[str, Credentials],
    *beside: Coroutine[Any, Any, None],
) -> None:
    """Work on clusters that are entered by these credentials, until a signal ends it.

    beside: what runs with it.
    """
    metrics = Metrics("archer_worker")
    logging.getLogger("services.archer.worker").addHandler(Counted(metrics))
    async with AsyncExitStack() as stack:
        connections = await stack.enter_async_context(pool(service_address(configuration.database)))
        clusters = {
            name: await stack.enter_async_context(Api(credential)) for name, credential in credentials.items()
        }
        spans = await stack.enter_async_context(tracing(ARCHER_WORKER, configuration))
        worker = Worker(connections, clusters, configuration.weights, spans)
        await stack.enter_async_context(
            health_server(
                listen,
                lambda: None,
                metrics,
                unready=lambda: None if worker.ready else "the database has not answered yet",
            )
        )
        await run_until_signal(*beside, *worker.parts(), Numbers(connections, metrics, worker).run())
