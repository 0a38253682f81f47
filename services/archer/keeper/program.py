"""The keeper as a program."""

import asyncio
import logging

from moka.submission.configuration import Configuration
from services.archer.database.access import master_address, service_address
from services.archer.database.migrate import migrate
from services.archer.database.pool import AWAY, pool
from services.archer.database.roles import admit, prepare
from services.archer.keeper.history import History
from services.archer.keeper.keeper import Keeper
from services.common.health import health_server
from services.common.kubernetes import ServiceAccount
from services.common.logs import fields
from services.common.metrics import Metrics
from services.common.signals import run_until_signal

AGAIN_SECONDS = 2.0

log = logging.getLogger(__name__)


async def run(configuration: Configuration, listen: tuple[str, int], _: ServiceAccount) -> None:
    """Bring the schema up to date, then keep the database in order, until a signal ends it.

    It is ready only once the schema is there: what needs it is deployed after it.
    """
    ready = asyncio.Event()
    metrics = Metrics("archer_keeper")
    async with health_server(
        listen,
        lambda: None,
        metrics,
        unready=lambda: None if ready.is_set() else "the schema is not there yet",
    ):
        await run_until_signal(_keep(configuration, ready, metrics))


async def _keep(configuration: Configuration, ready: asyncio.Event, metrics: Metrics) -> None:
    await _bring_up(configuration)
    ready.set()
    async with pool(master_address(configuration.database), size=2) as connections:
        history = History(connections, configuration.history) if configuration.history else None
        await Keeper(connections, history, metrics, configuration.plans).run()


async def _bring_up(configuration: Configuration) -> None:
    """Make the database, its user and its schema; as often as it takes."""
    access = configuration.database
    service, owner = service_address(access), master_address(access)
    while True:
        try:
            if access.master_secret is not None:
                await prepare(master_address(access, access.first_database), service.database, service.user)
            await migrate(owner)
            if access.master_secret is not None:
                await admit(owner, service.user)
        except AWAY as error:
            log.warning("the database is not there yet", extra=fields(error=error))
            await asyncio.sleep(AGAIN_SECONDS)
        else:
            return
