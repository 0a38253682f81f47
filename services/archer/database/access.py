"""How the database is entered: by tokens that the pod's identity signs, or by the master's password."""

import asyncio
import json
from dataclasses import replace

import boto3

from moka.submission.configuration import DatabaseAccess
from services.archer.database.address import Address


def service_address(access: DatabaseAccess) -> Address:
    """The address for the service and the workers, with a token for each connection where it takes them."""
    address = Address.of(access.url)
    return replace(address, password=_Tokens(address, access.region) if access.region else None)


def master_address(access: DatabaseAccess, database: str | None = None) -> Address:
    """The address for the keeper: of the owner of the tables.

    database: another one than Archer's own.
    """
    address = service_address(access)
    if access.master_secret is not None:
        # Its user name is known before the secret is read.
        address = replace(address, user=MASTER, password=_Secret(access.master_secret))
    return replace(address, database=database or address.database)


MASTER = "postgres"
"""As the platform calls the first user (components/aws/database.py)."""


class _Tokens:
    """Makes a token for each connection: it is good for 15 minutes, and not kept."""

    def __init__(self, address: Address, region: str) -> None:
        self._address = address
        self._client = boto3.client("rds", region_name=region)

    async def __call__(self) -> str:
        """A token; AWS is asked only for the credentials of the pod, when they are to be renewed."""
        return await asyncio.to_thread(
            self._client.generate_db_auth_token,
            DBHostname=self._address.host,
            Port=self._address.port,
            DBUsername=self._address.user,
        )


class _Secret:
    """Reads the password for each connection: AWS changes it every few days."""

    def __init__(self, arn: str) -> None:
        self._arn = arn
        self._client = boto3.client("secretsmanager", region_name=arn.split(":")[3])

    async def __call__(self) -> str:
        """The password."""
        return await asyncio.to_thread(self._read)

    def _read(self) -> str:
        secret = json.loads(self._client.get_secret_value(SecretId=self._arn)["SecretString"])
        return str(secret["password"])
