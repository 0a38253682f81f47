"""`python -m driver_finalizer`: the controller, with a pod's service account."""

import argparse
import asyncio
import json
import logging
import sys
from datetime import UTC, datetime
from pathlib import Path

from services.driver_finalizer.api import MOUNTED, Api, ServiceAccount
from services.driver_finalizer.controller import Controller


class Lines(logging.Formatter):
    """A line of JSON for each record."""

    def format(self, record: logging.LogRecord) -> str:
        """Time, level and message, and the fields that were given along."""
        told = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "msg": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            told["error"] = self.formatException(record.exc_info)
        return json.dumps(told)


def main(argv: list[str] | None = None) -> None:
    """Run until told to end."""
    parser = argparse.ArgumentParser(prog="driver_finalizer", description=__doc__)
    parser.add_argument(
        "--namespace",
        action="append",
        help="serve this one (repeatable); by default those that ConfigMaps of its own namespace name",
    )
    parser.add_argument("--listen", default="0.0.0.0:8080", help="address of /healthz and /metrics")
    parser.add_argument("--service-account", type=Path, default=MOUNTED, help="folder with token and ca.crt")
    chosen = parser.parse_args(argv)
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(Lines())
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    logging.getLogger("moka").setLevel(logging.INFO)
    # It tells that signals are not its own, which is so: it runs in a thread.
    logging.getLogger("kopf._core.reactor.running").setLevel(logging.ERROR)
    host, _, port = chosen.listen.rpartition(":")
    try:
        account = ServiceAccount.of_pod(chosen.service_account)
    except ValueError as error:
        parser.error(str(error))
    asyncio.run(_serve(account, chosen.namespace, host, int(port)))


async def _serve(account: ServiceAccount, namespaces: list[str] | None, host: str, port: int) -> None:
    async with Api(account) as api:
        await Controller(account, namespaces, api).run(host, port)


if __name__ == "__main__":
    main()
