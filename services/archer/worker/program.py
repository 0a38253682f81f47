"""The worker as a program."""

import logging
import tempfile
from collections.abc import Coroutine
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from moka.submission.configuration import Configuration
from services.archer.database.access import service_address
from services.archer.database.pool import pool
from services.archer.worker.credentials import EksCredentials
from services.archer.worker.metrics import Counted, Numbers
from services.archer.worker.worker import Worker
from services.common.health import health_server
from services.common.kubernetes import Api, ServiceAccount
from services.common.metrics import Metrics
from services.common.signals import run_until_signal


async def run(configuration: Configuration, listen: tuple[str, int], _: ServiceAccount) -> None:
    """Work until a signal ends it."""
    metrics = Metrics("archer_worker")
    logging.getLogger("services.archer.worker").addHandler(Counted(metrics))
    async with AsyncExitStack() as stack:
        connections = await stack.enter_async_context(pool(service_address(configuration.database)))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        clusters: dict[str, Api] = {}
        signing = []
        for name, access in configuration.clusters.items():
            credentials = EksCredentials(name, access, folder)
            signing.append(credentials.run())
            clusters[name] = await stack.enter_async_context(Api(credentials))
        worker = Worker(connections, clusters, configuration.weights)
        await stack.enter_async_context(
            health_server(
                listen,
                lambda: None,
                metrics,
                unready=lambda: None if worker.ready else "the database has not answered yet",
            )
        )
        parts: list[Coroutine[Any, Any, None]] = [
            *signing,
            *worker.parts(),
            Numbers(connections, metrics, worker).run(),
        ]
        await run_until_signal(*parts)
