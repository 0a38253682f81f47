"""Who enters Archer's database as what, on a PostgreSQL that is entered as RDS is."""

import asyncio
import json
from dataclasses import replace

import asyncpg
import boto3
import pytest

from localcloud.databases import Database
from moka.submission.configuration import Configuration
from services.archer.database.access import MASTER, master_address, service_address
from services.archer.database.pool import pool
from services.archer.database.roles import admit, prepare
from services.archer.database.tables import METADATA
from services.archer.keeper.program import run
from tests.support.loops import run_apart

PASSWORD = "of-the-first-user"


@pytest.fixture
def access(laptop_aws, tmp_path, monkeypatch):
    """Archer's access to a cluster in which nothing is of Archer yet."""
    for name, value in {
        "AWS_ENDPOINT_URL": laptop_aws,
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
    }.items():
        monkeypatch.setenv(name, value)
    database = Database(tmp_path / "moka")
    database.note(
        master=MASTER, password=PASSWORD, database="moka", version="16.11", endpoint="moka.rds.example:5432"
    )
    database.start()
    manager = boto3.client("secretsmanager", region_name="us-east-1")
    value = json.dumps({"username": MASTER, "password": PASSWORD})
    secret = manager.create_secret(Name=f"rds!cluster-{tmp_path.name}", SecretString=value)
    yield Configuration.model_validate(
        {
            "environment": "test",
            "database": {
                "url": f"postgresql://archer@{database.address}/archer?sslmode=disable",
                "region": "us-east-1",
                "master_secret": secret["ARN"],
            },
        }
    )
    database.remove()


async def brought_up(configuration):
    """Run the keeper until it keeps."""
    task = asyncio.create_task(run(configuration, ("127.0.0.1", 0), None))
    user = service_address(configuration.database)
    while not task.done():
        try:
            async with pool(user, size=1) as connections:
                return await connections.run(lambda c: c.fetchval("SELECT count(*) FROM jobs"), 2.0), task
        except Exception:
            await asyncio.sleep(0.1)
    raise AssertionError(task.result())


def tried(address, statement):
    """What a statement ends in, by its error's name."""

    async def attempt():
        try:
            connection = await address.connect()
        except asyncpg.PostgresError as error:
            return type(error).__name__
        try:
            await connection.execute(statement)
        except asyncpg.PostgresError as error:
            return type(error).__name__
        finally:
            await connection.close()
        return "done"

    return run_apart(attempt())


def test_the_keeper_makes_database_user_and_schema_and_a_second_one_changes_nothing(access):
    async def twice():
        for _ in range(2):
            count, task = await brought_up(access)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        return count

    assert run_apart(twice()) == 0


def test_the_service_reads_and_writes_rows_of_every_table_and_no_more(access):
    owner, user = master_address(access.database), service_address(access.database)

    async def bring_up():
        _, task = await brought_up(access)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    run_apart(bring_up())
    for table in METADATA.tables:
        assert tried(user, f"SELECT * FROM {table} LIMIT 1") == "done"
        assert tried(user, f"DELETE FROM {table} WHERE false") == "done"
        # As a turn is taken: services/archer/database/turns.py.
        assert tried(user, f"BEGIN; LOCK TABLE {table} IN SHARE ROW EXCLUSIVE MODE; COMMIT") == "done"
        assert tried(user, f"DROP TABLE {table}") == "InsufficientPrivilegeError"
    assert tried(owner, "CREATE TABLE later (id integer)") == "done"
    assert tried(user, "INSERT INTO later VALUES (1)") == "done"
    assert tried(user, "CREATE TABLE own (id integer)") == "InsufficientPrivilegeError"


def test_others_who_may_enter_the_cluster_do_not_enter_its_database(access):
    first = master_address(access.database, "moka")

    async def work():
        await prepare(first, "archer", "archer")
        await prepare(first, "usage", "usage")
        await admit(master_address(access.database, "usage"), "usage")

    run_apart(work())
    archer = service_address(access.database)
    assert tried(archer, "SELECT 1") == "done"
    assert tried(replace(archer, database="usage"), "SELECT 1") == "InsufficientPrivilegeError"
