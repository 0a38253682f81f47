"""`python -m services.queue_keeper`: keeps the queues of a cluster to what it has at this time."""

import asyncio

from services.common import arguments, logs
from services.common.health import health_server
from services.common.kubernetes import Api, ServiceAccount
from services.common.metrics import Metrics
from services.common.signals import run_until_signal
from services.queue_keeper.keeper import Keeper

SERVICE = "queue_keeper"


def main() -> None:
    """Run until a signal ends it."""
    options = arguments.parser(SERVICE, __doc__).parse_args()
    logs.configure()
    asyncio.run(_run(options.service_account, options.listen))


async def _run(account: ServiceAccount, listen: tuple[str, int]) -> None:
    metrics = Metrics(SERVICE)
    async with Api(account) as api:
        keeper = Keeper(api, account.namespace, metrics)
        async with health_server(listen, keeper.problem, metrics):
            try:
                await run_until_signal(keeper.run())
            finally:
                # Where it goes for good, its calendar has gone before it, and what it kept has to go, too.
                await keeper.pass_by()


if __name__ == "__main__":
    main()
