"""Serve the `kubernetes` plugin: `python -m localcloud.plugins.kubernetes <engine's address>`."""

import sys
from pathlib import Path

from localcloud.cloud import Cloud
from localcloud.plugins.grpc_server import serve
from localcloud.plugins.kubernetes.engine_log import engine_log
from localcloud.plugins.kubernetes.provider import Kubernetes
from localcloud.project import project_folder

VERSION = "4.34.2"
"""The SDK that it answers to."""


def main(arguments: list[str]) -> int:
    """Serve until the engine is gone; exit status."""
    address = next((argument for argument in arguments if not argument.startswith("-")), "")
    # The engine starts plugins in the project's folder.
    project = project_folder(Path.cwd())
    return serve(Kubernetes(Cloud.of_environment(), engine_log(address), project), VERSION)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
