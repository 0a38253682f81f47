import pytest

from tests.support.moto_server import moto_server
from tests.unit.services.usage_recorder.stage import Stage, client_of


@pytest.fixture(scope="session")
def s3():
    """A client of moto's S3."""
    with moto_server() as url:
        yield client_of(url)


@pytest.fixture
def stage(s3, tmp_path):
    return Stage(s3, tmp_path)
