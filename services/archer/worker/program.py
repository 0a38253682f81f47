"""The worker as a program."""

import tempfile
from collections.abc import Coroutine
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from moka.submission.configuration import ClusterAccess, Configuration
from services.archer.database.access import service_address
from services.archer.database.claims import Pace
from services.archer.database.pool import pool
from services.archer.worker.cluster import Cluster
from services.archer.worker.credentials import EksCredentials
from services.archer.worker.metrics import Numbers
from services.archer.worker.worker import Worker
from services.common.health import health_server
from services.common.kubernetes import Api, ServiceAccount
from services.common.metrics import Metrics
from services.common.signals import run_until_signal

BURST_MINUTES = 0.25
"""Of what an operator starts, which it may get at once."""

UNACKNOWLEDGED_MINUTES = 2.0
"""Of what an operator starts, which may lie before it."""


async def run(configuration: Configuration, listen: tuple[str, int], account: ServiceAccount) -> None:
    """Work until a signal ends it."""
    metrics = Metrics("archer_worker")
    async with AsyncExitStack() as stack:
        connections = await stack.enter_async_context(pool(service_address(configuration.database)))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        clusters, signing = [], []
        for name, access in configuration.clusters.items():
            credentials: ServiceAccount | EksCredentials = account
            if access.eks is not None:
                credentials = EksCredentials(name, access, folder)
                signing.append(credentials.run())
            api = await stack.enter_async_context(Api(credentials))
            clusters.append(Cluster(name, api, paces(access)))
        worker = Worker(connections, clusters, configuration.weights)
        await worker.register()
        await stack.enter_async_context(health_server(listen, lambda: None, metrics))
        parts: list[Coroutine[Any, Any, None]] = [
            *signing,
            *worker.parts(),
            Numbers(connections, metrics).run(),
        ]
        await run_until_signal(*parts)


def paces(access: ClusterAccess) -> list[Pace]:
    """How quickly jobs go to the operators of a cluster."""
    return [
        Pace(
            operator=operator.name,
            namespaces=tuple(operator.namespaces),
            rate=operator.applications_per_minute / 60,
            burst=max(operator.applications_per_minute * BURST_MINUTES, 1),
            namespace_rate=operator.applications_per_minute / 60,
            namespace_burst=max(operator.applications_per_minute * BURST_MINUTES, 1),
            unacknowledged=max(int(operator.applications_per_minute * UNACKNOWLEDGED_MINUTES), 1),
        )
        for operator in access.operators
    ]
