"""Transactions are run again where the database ends their connection, whenever it says so."""

import asyncio
import contextlib
import tempfile
from dataclasses import replace
from pathlib import Path

import asyncpg
import pytest
from botocore.exceptions import ClientError, CredentialRetrievalError

from services.archer.database.address import connected
from services.archer.database.pool import pool
from tests.support.loops import run_apart


@contextlib.asynccontextmanager
async def way_without_an_end(address):
    """A way to a database on which the last words of the first connection arrive, and its end does not."""
    socket, tasks, ended = ".s.PGSQL.5432", [], asyncio.Event()

    async def pass_on(reader, writer):
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()

    async def serve(reader, writer):
        tasks.append(asyncio.current_task())
        first = len(tasks) == 1
        back, onward = await asyncio.open_unix_connection(f"{address.host}/{socket}")
        questions = asyncio.create_task(pass_on(reader, onward))
        await pass_on(back, writer)
        ended.set()
        if not first:
            writer.close()
        with contextlib.suppress(OSError):
            await questions

    with tempfile.TemporaryDirectory(prefix="way-") as folder:
        server = await asyncio.start_unix_server(serve, str(Path(folder) / socket))
        try:
            yield replace(address, host=folder), ended
        finally:
            server.close()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


def test_a_connection_that_was_told_to_end_and_has_not_is_left_for_another(address):
    async def work():
        async with way_without_an_end(address) as (way, ended), pool(way, 1) as connections:
            [[first]] = await connections.fetch("SELECT pg_backend_pid()")
            async with connected(address) as other:
                await other.execute("SELECT pg_terminate_backend($1)", first)
            await asyncio.wait_for(ended.wait(), 30)
            [[second]] = await connections.fetch("SELECT pg_backend_pid()")
            return first, second

    first, second = run_apart(work())
    assert first != second


@pytest.mark.parametrize(
    "refusal",
    [
        # RDS's words for a token of IAM that it does not take.
        asyncpg.InvalidAuthorizationSpecificationError('PAM authentication failed for user "archer"'),
        CredentialRetrievalError(provider="container-role", error_msg="timed out"),
        ClientError({"Error": {"Code": "ThrottlingException", "Message": "Rate exceeded"}}, "GetSecretValue"),
    ],
)
def test_who_is_not_let_in_for_a_moment_is_let_in_after_it(address, refusal):
    refusals = [refusal]

    async def password():
        if refusals:
            raise refusals.pop()
        return "secret"

    async def work():
        async with pool(replace(address, password=password), 1) as connections:
            return await connections.fetch("SELECT 1")

    [[answer]] = run_apart(work())
    assert (answer, refusals) == (1, [])
