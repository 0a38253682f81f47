"""`python -m localcloud.plugins.aws`: the plugin, as the engine starts it."""

import os
import sys
from importlib.metadata import version
from pathlib import Path

from localcloud.cloud import Cloud
from localcloud.plugins.aws.provider import Aws
from localcloud.plugins.grpc_server import serve
from localcloud.project import project_folder

if __name__ == "__main__":
    endpoint = os.environ.get("AWS_ENDPOINT_URL", "")
    # The engine starts plugins in the project's folder.
    provider = Aws(Cloud.of_environment(), endpoint, project=project_folder(Path.cwd()))
    sys.exit(serve(provider, version("pulumi-aws")))
