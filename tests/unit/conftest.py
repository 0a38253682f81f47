"""Fixtures of unit tests: a program run against a recorder, jobs and their target."""

from collections.abc import Callable, Iterator

import boto3
import pytest

from localcloud.aws_server import AwsServer
from localcloud.cloud import Cloud
from moka import catalog as charts
from moka.jobs.job import Job
from moka.jobs.job_target import JobTarget
from tests.support import deployment, jobs, recorder


@pytest.fixture(scope="session")
def deploy() -> Callable[[Callable[[], object]], recorder.Recorder]:
    """Run a program -> the recorder with every resource that it registers."""
    return recorder.deploy


@pytest.fixture(scope="session")
def catalog() -> charts.Catalog:
    """The catalog as it is, without a mirror."""
    return charts.read()


@pytest.fixture(scope="session")
def job() -> Callable[..., Job]:
    """Make a job: what is different -> it; None takes a field out."""
    return jobs.make_job


@pytest.fixture(scope="session")
def target() -> Callable[..., JobTarget]:
    """Make a job target: what is different -> it."""
    return jobs.make_job_target


@pytest.fixture(scope="module")
def up() -> Iterator[Callable[..., deployment.Account]]:
    """Bring up an environment on the laptop's AWS in this process; see tests/support/deployment.py."""
    yield deployment.deploy
    deployment.close()


@pytest.fixture(scope="module")
def laptop_aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """URL of the laptop's AWS, with nothing in it; it verifies no signatures, as moto knows no secrets."""
    server = AwsServer(Cloud(tmp_path_factory.mktemp("cloud")))
    server.start()
    yield server.url
    server.stop()


@pytest.fixture(autouse=True)
def own_session(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test looks for credentials itself: boto3 keeps those that it found first for the whole process."""
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", None)
