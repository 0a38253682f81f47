"""Tokens by which the database is entered: signed by the pod's identity, good for 15 minutes, not kept."""

import asyncio
from pathlib import Path

import boto3

from moka.submission.configuration import DatabaseAccess
from services.archer.database.address import Address


def address_of(access: DatabaseAccess) -> Address:
    """The address of a database, with a token for each connection where it takes them."""
    return Address(
        host=access.host,
        port=access.port,
        database=access.name,
        user=access.user,
        password=_Tokens(access) if access.region else None,
        authority=Path(access.authority) if access.authority else None,
    )


class _Tokens:
    """Makes a token for each connection."""

    def __init__(self, access: DatabaseAccess) -> None:
        self._access = access
        self._client = boto3.client("rds", region_name=access.region)

    async def __call__(self) -> str:
        """A token; AWS is asked only for the credentials of the pod, when they are to be renewed."""
        return await asyncio.to_thread(
            self._client.generate_db_auth_token,
            DBHostname=self._access.host,
            Port=self._access.port,
            DBUsername=self._access.user,
        )
