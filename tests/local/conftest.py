"""A laptop cloud for the test run."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from localcloud import commands
from localcloud.cloud import Cloud
from localcloud.engine import Engine
from tests.support.aws_clients import aws_clients
from tests.support.laptop_variables import (
    checkpoints,
    memory_for_time,
    nothing_of_the_callers,
    state_at_the_end,
)
from tests.support.pulumi_project import write_project

__all__ = ["checkpoints", "memory_for_time", "nothing_of_the_callers", "state_at_the_end"]


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


@pytest.fixture(scope="session")
def aws(cloud: Cloud):
    """A boto3 client of a service of the cloud's AWS."""
    return aws_clients(cloud)


@pytest.fixture
def project(tmp_path: Path) -> Callable[..., Path]:
    """Write a small Pulumi project: its program's text -> an engine's project folder."""
    return lambda program, name="small": write_project(tmp_path / name, program)
