"""Whose credentials are at hand."""

import boto3
from botocore.exceptions import BotoCoreError, ClientError


class NotAllowed(Exception):
    """Why nothing is asked of AWS: one sentence."""


def require(account: str, region: str) -> None:
    """Raises NotAllowed unless the credentials at hand are of the account."""
    try:
        caller = boto3.Session(region_name=region).client("sts").get_caller_identity()["Account"]
    except (BotoCoreError, ClientError) as error:
        raise NotAllowed(
            f"AWS does not say whose credentials these are: {error}; set some of account {account}."
        ) from None
    if caller != account:
        raise NotAllowed(f"The credentials are of account {caller}, not {account}: nothing was made.")
