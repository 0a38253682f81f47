"""PostgreSQL in place of Aurora: entered as RDS is, there with an instance, gone with the cluster."""

import json

import asyncpg
import pytest

from localcloud import databases
from localcloud.databases import Database
from localcloud.loopback import free_port
from tests.support.loops import run_apart

CLUSTER = "aws:rds/cluster:Cluster"
INSTANCE = "aws:rds/clusterInstance:ClusterInstance"

INPUTS = {
    "clusterIdentifier": "votes",
    "engine": "aurora-postgresql",
    "engineVersion": "16.11",
    "databaseName": "votes",
    "masterUsername": "postgres",
    "manageMasterUserPassword": True,
    "iamDatabaseAuthenticationEnabled": True,
    "skipFinalSnapshot": True,
}


def instance_of(cluster, identifier="votes-1"):
    return {
        "identifier": identifier,
        "clusterIdentifier": cluster.id,
        "engine": "aurora-postgresql",
        "instanceClass": "db.r8g.large",
    }


@pytest.fixture
def cluster(bench):
    yield bench.make(CLUSTER, INPUTS)
    databases.clear(bench.provider.api.cloud)


def database(bench):
    [found] = Database.all(bench.provider.api.cloud)
    return found


def master(bench, cluster):
    """User name and password, as Secrets Manager has them."""
    [secret] = cluster.outputs["masterUserSecrets"]
    secrets = bench.provider.api.client("secretsmanager")
    return json.loads(secrets.get_secret_value(SecretId=secret["secretArn"])["SecretString"])


def query(address, user, password, *statements):
    """The last statement's first value."""

    async def ask():
        host, port = address.split(":")
        connection = await asyncpg.connect(
            host=host, port=int(port), user=user, password=password, database="votes", ssl=False
        )
        try:
            for statement in statements[:-1]:
                await connection.execute(statement)
            return await connection.fetchval(statements[-1])
        finally:
            await connection.close()

    return run_apart(ask())


def test_the_first_user_enters_with_the_password_of_the_secret_and_is_no_superuser(bench, cluster):
    bench.make(INSTANCE, instance_of(cluster))
    secret = master(bench, cluster)

    version = query(database(bench).address, secret["username"], secret["password"], "SHOW server_version")
    assert version.startswith("16.")
    with pytest.raises(asyncpg.InvalidPasswordError):
        query(database(bench).address, "postgres", "P@55w0rd!", "SELECT 1")
    with pytest.raises(asyncpg.InvalidPasswordError):
        query(database(bench).address, "rdsadmin", secret["password"], "SELECT 1")
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        query(database(bench).address, "postgres", secret["password"], "CREATE ROLE x SUPERUSER", "SELECT 1")


def test_a_user_that_is_granted_rds_iam_enters_with_a_token(bench, cluster):
    bench.make(INSTANCE, instance_of(cluster))
    secret = master(bench, cluster)
    grant = ("CREATE ROLE archer LOGIN", "GRANT rds_iam TO archer", "CREATE ROLE other LOGIN", "SELECT 1")
    query(database(bench).address, "postgres", secret["password"], *grant)
    token = bench.provider.api.client("rds").generate_db_auth_token("votes", 5432, "archer")

    assert query(database(bench).address, "archer", token, "SELECT current_user") == "archer"
    with pytest.raises(asyncpg.InvalidPasswordError):
        query(database(bench).address, "other", token, "SELECT 1")


def test_it_runs_while_there_is_an_instance_and_its_data_outlive_that(bench, cluster):
    assert list(Database.all(bench.provider.api.cloud)) == []
    first = bench.make(INSTANCE, instance_of(cluster))
    second = bench.make(INSTANCE, instance_of(cluster, "votes-2"), name="second")
    password = master(bench, cluster)["password"]
    rows = ("CREATE TABLE votes AS SELECT 1", "SELECT count(*) FROM votes")
    assert query(database(bench).address, "postgres", password, *rows) == 1

    bench.delete(second)
    assert database(bench).process.alive()
    bench.delete(first)
    assert not database(bench).process.alive()
    bench.make(INSTANCE, instance_of(cluster))
    assert query(database(bench).address, "postgres", password, "SELECT count(*) FROM votes") == 1


def test_one_that_was_killed_is_started_again_on_its_data_where_it_was(bench, cluster):
    bench.make(INSTANCE, instance_of(cluster))
    cloud, password = bench.provider.api.cloud, master(bench, cluster)["password"]
    address = database(bench).address
    query(address, "postgres", password, "CREATE TABLE votes AS SELECT 1", "SELECT 1")
    database(bench).process.stop(timeout=0)

    databases.resume(cloud)

    assert database(bench).address == address
    assert query(address, "postgres", password, "SELECT count(*) FROM votes") == 1


def test_arguments_of_programs_in_place_of_pods_reach_it(bench, cluster):
    bench.make(INSTANCE, instance_of(cluster))
    cloud = bench.provider.api.cloud

    argument = f"--database={cluster.outputs['endpoint']}:{cluster.outputs['port']}"
    assert databases.reached(cloud, argument) == f"--database={database(bench).address}"
    assert databases.reached(cloud, f"--listen=127.0.0.1:{free_port()}").startswith("--listen=127.0.0.1:")


def test_it_is_gone_with_its_cluster(bench, cluster):
    instance = bench.make(INSTANCE, instance_of(cluster))
    process, folder = database(bench).process, database(bench).folder

    bench.delete(instance)
    bench.delete(cluster)

    assert not process.alive()
    assert not folder.exists()
