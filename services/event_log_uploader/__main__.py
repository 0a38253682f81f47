"""`python -m services.event_log_uploader`: the sidecar, until SIGTERM, once the driver has ended."""

import argparse
import logging
import os
import signal
import sys
import threading
from pathlib import Path

from services.common import logs
from services.event_log_uploader.credentials import PodIdentity
from services.event_log_uploader.endpoint import served
from services.event_log_uploader.s3 import S3
from services.event_log_uploader.uploader import Application, Uploader

SERVICE = "event_log_uploader"
ENDPOINT = "AWS_ENDPOINT_URL_S3"
SECONDS_AT_END = 45.0
"""Of the driver's grace period (moka.jobs.conf); its own end may have taken the rest."""


def main() -> int:
    """Upload until a signal -> 0, or 1 where something is not in S3."""
    options = parser().parse_args()
    logs.configure()
    end = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: end.set())
    uploader = Uploader(
        options.folder,
        S3(options.bucket, options.region, PodIdentity(os.environ), os.environ.get(ENDPOINT)),
        Application(cluster=options.cluster, namespace=options.namespace, name=options.application),
        options.seconds,
        options.volume_mib * 1024 * 1024,
    )
    with served(options.listen, uploader):
        complete = uploader.run(end, SECONDS_AT_END)
    if not complete:
        logging.getLogger(__name__).error("the driver has ended, and not all of its event log is in S3")
    return 0 if complete else 1


def parser() -> argparse.ArgumentParser:
    """Of the arguments that a driver's template gives."""
    arguments = argparse.ArgumentParser(prog=SERVICE, description=__doc__)
    arguments.add_argument("--folder", type=Path, required=True, help="that Spark writes its event log to")
    arguments.add_argument("--bucket", required=True, help="of the event logs")
    arguments.add_argument("--region", required=True, help="of the bucket")
    arguments.add_argument("--cluster", required=True, help="name of the cluster in the settings")
    arguments.add_argument("--namespace", required=True, help="of the SparkApplication")
    arguments.add_argument("--application", required=True, help="name of the SparkApplication")
    arguments.add_argument("--seconds", type=float, default=10.0, help="between uploads (default: 10)")
    arguments.add_argument("--volume-mib", type=int, default=8192, help="size of the volume (default: 8192)")
    arguments.add_argument(
        "--listen", type=_address, default="0.0.0.0:7090", help="address of /healthz and /metrics"
    )
    return arguments


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not port.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} has no port; write <host>:<port>")
    return host, int(port)


if __name__ == "__main__":
    sys.exit(main())
