"""`python -m services.allocator`: makes a plan of what was used every night, and reports yesterday."""

import argparse
import asyncio
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from moka.allocation.configuration import KEY, Configuration, loads
from services.allocator.allocator import Allocator
from services.allocator.child import Children
from services.allocator.measures import Measures
from services.allocator.timetable import Clock
from services.common import arguments, logs
from services.common.health import health_server
from services.common.metrics import Metrics
from services.common.signals import run_until_signal

SERVICE = "allocator"

FILE = f"/etc/allocator/{KEY}"


def main() -> None:
    """Run until a signal ends it."""
    parser = arguments.parser(SERVICE, __doc__)
    parser.add_argument("--configuration", type=_configuration, default=FILE, metavar="FILE")
    # It asks no API server, so that its pod need not have a token.
    parser.set_defaults(service_account=None)
    options = parser.parse_args()
    logs.configure()
    asyncio.run(_run(options.configuration, options.listen))


async def _run(configuration: Configuration, listen: tuple[str, int]) -> None:
    metrics = Metrics(SERVICE)
    clock = Clock(lambda: datetime.now(UTC), asyncio.sleep)
    # One listens at a port, so that it has this folder for itself, also where it is not in a pod.
    children = Children(Path(tempfile.gettempdir()) / f"{SERVICE}-{listen[1]}")
    allocator = Allocator(configuration, Measures(metrics, clock.now()), children, clock)
    async with health_server(listen, lambda: None, metrics):
        await run_until_signal(allocator.reports(), allocator.nights(), allocator.looks())


def _configuration(file: str) -> Configuration:
    try:
        return loads(Path(file).read_bytes(), file)
    except (OSError, ValueError) as error:
        raise argparse.ArgumentTypeError(f"{file} cannot be read: {error}") from None


if __name__ == "__main__":
    main()
