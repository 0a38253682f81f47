"""`python -m services.history_gate`: the gate before the History Server, and the keeper of its logs."""

import asyncio

import boto3
from aiohttp import web
from botocore.config import Config

from services.common import arguments, logs
from services.common.health import health_routes, serving
from services.common.metrics import Metrics
from services.common.signals import run_until_signal
from services.history_gate.gate import Gate
from services.history_gate.keeper import Keeper
from services.history_gate.scans import Scans
from services.history_gate.servers import Servers, session
from services.history_gate.storage import Storage

SERVICE = "history_gate"

S3 = Config(
    connect_timeout=5,
    read_timeout=30,
    max_pool_connections=50,
    retries={"mode": "standard", "max_attempts": 4},
)


def main() -> None:
    """Run until a signal ends it."""
    parser = arguments.parser(SERVICE, __doc__)
    parser.add_argument("--bucket", required=True, help="bucket of the event logs")
    parser.add_argument("--region", required=True, help="its AWS region")
    parser.add_argument(
        "--server",
        action="append",
        required=True,
        help="http://<host>:<port> of a History Server (repeatable)",
    )
    parser.add_argument(
        "--live-url",
        required=True,
        help="address of a running job's UI, with {name}, {namespace} and {cluster}",
    )
    parser.add_argument("--days", type=int, required=True, help="days that event logs are kept")
    options = parser.parse_args()
    logs.configure()
    storage = Storage(boto3.client("s3", region_name=options.region, config=S3), options.bucket)
    asyncio.run(_run(storage, options.server, options.live_url, options.days, options.listen))


async def _run(
    storage: Storage, servers: list[str], live_url: str, days: int, listen: tuple[str, int]
) -> None:
    metrics = Metrics(SERVICE)
    keeper = Keeper(storage, metrics)
    async with session() as requests:
        gate = Gate(storage, Servers(requests, servers), live_url, days, metrics)
        application = web.Application()
        # Before the gate's, which take every path.
        application.add_routes([*health_routes(lambda: None, metrics), *gate.routes()])
        async with serving(application, listen):
            await run_until_signal(keeper.run(), Scans(requests, servers, metrics).run())


if __name__ == "__main__":
    main()
