"""A laptop cloud for the test run."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from localcloud import commands
from localcloud.cloud import Cloud
from localcloud.engine import Engine
from tests.support.aws_clients import aws_clients
from tests.support.pulumi_project import write_project


@pytest.fixture(scope="session", autouse=True)
def nothing_of_the_callers() -> None:
    """Charts and machines of the caller's own would change what there is to be seen."""
    for name in ("MOKA_CHARTS", "MOKA_MACHINES"):
        os.environ.pop(name, None)


AT_THE_END = {"PULUMI_EXPERIMENTAL": "true", "PULUMI_SKIP_CHECKPOINTS": "true"}


@pytest.fixture(scope="session", autouse=True)
def state_at_the_end() -> None:
    """The engine writes a stack's state once and not for every resource, which is half of what it does."""
    os.environ.update(AT_THE_END)


@pytest.fixture(scope="module")
def checkpoints() -> Iterator[None]:
    """For updates that are cut off: the state is written for every resource, as it is by default."""
    with pytest.MonkeyPatch.context() as patch:
        for name in AT_THE_END:
            patch.delenv(name)
        yield


@pytest.fixture(scope="session", autouse=True)
def memory_for_time() -> None:
    """Programs in Go, as the engine and API servers are, let garbage grow to four times what they use.

    https://go.dev/doc/gc-guide#GOGC
    """
    os.environ.setdefault("GOGC", "400")


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
