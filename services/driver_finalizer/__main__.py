"""`python -m services.driver_finalizer`: the controller, with a pod's service account."""

import asyncio
import logging

from services.common import arguments, logs
from services.common.health import health_server
from services.common.kubernetes import Api, ServiceAccount
from services.common.metrics import Metrics
from services.driver_finalizer.controller import Controller

SERVICE = "driver_finalizer"


def main() -> None:
    """Run until a signal ends it."""
    parser = arguments.parser(SERVICE, __doc__)
    parser.add_argument(
        "--namespace",
        action="append",
        help="job namespace to serve (repeatable); by default those that ConfigMaps in its own name",
    )
    options = parser.parse_args()
    logs.configure()
    # It warns that it handles no signals, which is as it should be: it runs in a thread.
    logging.getLogger("kopf._core.reactor.running").setLevel(logging.ERROR)
    asyncio.run(_run(options.service_account, options.namespace, options.listen))


async def _run(account: ServiceAccount, namespaces: list[str] | None, listen: tuple[str, int]) -> None:
    metrics = Metrics(SERVICE)
    async with Api(account) as api:
        controller = Controller(account, namespaces, api, metrics)
        async with health_server(listen, controller.problem, metrics):
            await controller.run()


if __name__ == "__main__":
    main()
