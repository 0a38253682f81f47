"""Arguments that every service takes."""

import argparse
from pathlib import Path

from services.common.kubernetes import ServiceAccount

SERVICE_ACCOUNT_FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount"
"""Where Kubernetes mounts a pod's service account."""


def parser(service: str, description: str | None) -> argparse.ArgumentParser:
    """A parser with `--listen` (host and port) and `--service-account` (a ServiceAccount)."""
    arguments = argparse.ArgumentParser(prog=service, description=description)
    arguments.add_argument(
        "--listen", type=_address, default="0.0.0.0:8080", help="address of /healthz and /metrics"
    )
    arguments.add_argument(
        "--service-account",
        type=_service_account,
        default=SERVICE_ACCOUNT_FOLDER,
        help="folder with token, ca.crt and namespace",
    )
    return arguments


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not port.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} has no port; write <host>:<port>")
    return host, int(port)


def _service_account(folder: str) -> ServiceAccount:
    try:
        return ServiceAccount.of_pod(Path(folder))
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
