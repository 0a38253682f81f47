import pytest

from localcloud.aws_server import AwsServer
from localcloud.cloud import Cloud
from tests.support.archer import archer
from tests.support.aws_clients import aws_clients
from tests.support.loops import run_apart
from tests.support.postgresql import PostgreSQL


@pytest.fixture(scope="session")
def postgresql():
    server = PostgreSQL()
    yield server
    server.end()


@pytest.fixture
def address(postgresql):
    """A database with the schema of today."""
    with postgresql.database_of_today() as address:
        yield address


@pytest.fixture
def serve(address):
    """Run a coroutine function with a client of a service."""

    def serve(work, **options):
        async def inside():
            async with archer(address, **options) as client:
                return await work(client)

        return run_apart(inside())

    return serve


@pytest.fixture(scope="module")
def aws(tmp_path_factory):
    cloud = Cloud(tmp_path_factory.mktemp("cloud"))
    server = AwsServer(cloud)
    server.start()
    yield aws_clients(cloud)
    server.stop()


@pytest.fixture
def bucket(aws, monkeypatch):
    """A client of S3 with the empty bucket `records`, which the keeper reaches."""
    s3 = aws("s3")
    s3.create_bucket(Bucket="records")
    monkeypatch.setenv("AWS_ENDPOINT_URL", s3.meta.endpoint_url)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    yield s3
    for one in s3.list_objects_v2(Bucket="records").get("Contents", []):
        s3.delete_object(Bucket="records", Key=one["Key"])
    s3.delete_bucket(Bucket="records")
