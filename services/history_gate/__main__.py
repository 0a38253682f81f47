"""`python -m services.history_gate`: the gate before the History Server, and the keeper of its logs."""

import argparse
import asyncio

import boto3
from aiohttp import web
from botocore.config import Config

from services.common import arguments, logs
from services.common.addresses import apart
from services.common.health import handlers, serving
from services.common.metrics import Metrics
from services.common.signals import run_until_signal
from services.history_gate.executor_logs import ClusterLogs, cluster_logs
from services.history_gate.gate import Gate
from services.history_gate.keeper import Keeper
from services.history_gate.listing import Listing
from services.history_gate.scan import Scans
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
    parser.add_argument(
        "--logs",
        action="append",
        default=[],
        help="<cluster>=<folder>=<URL with {prefix}>: its jobs' logs (repeatable)",
    )
    parser.add_argument("--days", type=int, required=True, help="days that event logs are kept")
    parser.add_argument("--interval", type=int, required=True, help="seconds between two scans")
    options = parser.parse_args()
    try:
        clusters = cluster_logs(options.logs)
    except ValueError as error:
        parser.error(str(error))
    logs.configure()
    asyncio.run(_run(options, clusters))


async def _run(options: argparse.Namespace, clusters: dict[str, ClusterLogs]) -> None:
    metrics = Metrics(SERVICE)
    storage = Storage(boto3.client("s3", region_name=options.region, config=S3), options.bucket)
    keeper = Keeper(storage, metrics)
    async with session() as requests:
        servers = Servers(requests, options.server)
        scans = Scans(storage, servers, options.interval, metrics)
        listing = Listing(storage, servers, options.interval, metrics)
        gate = Gate(storage, servers, options.live_url, options.days, clusters, metrics)
        application = web.Application(middlewares=[apart(handlers(lambda: None, metrics))])
        application.add_routes(gate.routes())
        async with serving(application, options.listen):
            await run_until_signal(keeper.run(), scans.run(), listing.run())


if __name__ == "__main__":
    main()
