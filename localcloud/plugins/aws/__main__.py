"""`python -m localcloud.plugins.aws`: the plugin, as the engine starts it."""

import os
import sys
from importlib.metadata import version

from localcloud.cloud import Cloud
from localcloud.plugins.aws.provider import Aws
from localcloud.plugins.served import serve

if __name__ == "__main__":
    provider = Aws(Cloud.of_environment(), os.environ.get("AWS_ENDPOINT_URL", ""))
    sys.exit(serve(provider, version("pulumi-aws")))
