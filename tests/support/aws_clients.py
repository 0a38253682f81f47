"""boto3 clients of a laptop cloud's AWS."""

from collections.abc import Callable
from typing import Any

import boto3

from localcloud.aws_server import AwsServer
from localcloud.cloud import REGION, Cloud

ANYONE = {"aws_access_key_id": "test", "aws_secret_access_key": "test"}
"""Keys that the laptop's AWS takes for the account itself."""


def aws_clients(cloud: Cloud, **keys: str) -> Callable[[str], Any]:
    """Service -> a client of it on this cloud's AWS.

    Args:
        cloud: Cloud whose AWS runs.
        keys: boto3's `aws_access_key_id` and the like; without them those of the account itself.
    """
    endpoint = AwsServer(cloud).url

    def client(service: str) -> Any:
        return boto3.client(service, endpoint_url=endpoint, region_name=REGION, **(keys or ANYONE))

    return client
