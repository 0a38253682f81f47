"""A laptop cloud for the test run."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import boto3
import pytest

from localcloud import commands
from localcloud.aws_server import AwsServer
from localcloud.cloud import REGION, Cloud
from localcloud.engine import Engine
from tests.support.pulumi_project import write_project


@pytest.fixture(scope="session", autouse=True)
def nothing_of_the_callers() -> None:
    """Charts and machines of the caller's own would change what there is to be seen."""
    for name in ("MOKA_CHARTS", "MOKA_MACHINES"):
        os.environ.pop(name, None)


@pytest.fixture(scope="session")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cloud]:
    """A cloud of the test run's own, started; ended with all its processes."""
    cloud = Cloud(tmp_path_factory.mktemp("cloud"))
    os.environ["MOKA_CLOUD"] = str(cloud.home)
    engine = Engine(cloud)
    commands.start(engine)
    yield cloud
    commands.stop(engine)


@pytest.fixture(scope="session")
def engine(cloud: Cloud) -> Engine:
    """The engine for this project."""
    return Engine(cloud)


def clients(cloud: Cloud):
    """boto3 clients of a cloud's AWS, by service."""

    def client(service: str):
        return boto3.client(
            service,
            endpoint_url=AwsServer(cloud).url,
            region_name=REGION,
            aws_access_key_id="test",
            aws_secret_access_key="test",
        )

    return client


@pytest.fixture(scope="session")
def aws(cloud: Cloud):
    """A boto3 client of a service of the cloud's AWS."""
    return clients(cloud)


@pytest.fixture(scope="session")
def aws_of():
    """boto3 clients of a cloud of a test's own."""
    return clients


@pytest.fixture
def project(tmp_path: Path) -> Callable[..., Path]:
    """Write a small Pulumi project: its program's text -> an engine's project folder."""
    return lambda program, name="small": write_project(tmp_path / name, program)
