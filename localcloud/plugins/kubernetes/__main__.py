"""Serve the `kubernetes` plugin: `python -m localcloud.plugins.kubernetes <engine's address>`."""

import sys

from localcloud.cloud import Cloud
from localcloud.plugins.kubernetes.engine_log import EngineLog
from localcloud.plugins.kubernetes.provider import Kubernetes
from localcloud.plugins.served import serve

VERSION = "4.34.2"
"""The SDK that it answers to."""


def main(arguments: list[str]) -> int:
    """Serve until the engine is gone; exit status."""
    address = next((each for each in arguments if not each.startswith("-")), "")
    return serve(Kubernetes(Cloud.of_environment(), EngineLog(address).info), VERSION)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
