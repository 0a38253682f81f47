"""Programs that nobody here wrote, unchanged: MOKA_PROGRAMS is a folder with the checkouts that have them."""

import os
import sys
from pathlib import Path

import pytest

from localcloud import commands
from localcloud.aws_server import AwsServer
from localcloud.cloud import Cloud
from localcloud.engine import Engine
from tests.support.public_programs import PROGRAMS, REGION, PublicProgram
from tests.support.pulumi_stack import PulumiStack

CHECKOUTS = os.environ.get("MOKA_PROGRAMS")

pytestmark = pytest.mark.skipif(not CHECKOUTS, reason="MOKA_PROGRAMS names no folder with checkouts")


def case(program: PublicProgram):
    """One that comes up, or does not: then it must not come up unnoticed."""
    marks = (
        [
            pytest.mark.xfail(
                strict=True, raises=AssertionError, run=not program.waits, reason=program.stops_at
            )
        ]
        if program.stops_at
        else []
    )
    return pytest.param(program, id=program.name, marks=marks)


@pytest.fixture
def cloud(tmp_path, monkeypatch):
    """A cloud, which ends with its test; some programs want the region in their environment."""
    monkeypatch.setenv("AWS_REGION", REGION)
    cloud = Cloud(tmp_path / "cloud")
    yield cloud
    commands.stop(Engine(cloud))


def brought_up(program: PublicProgram, cloud: Cloud, folder: Path) -> Engine:
    """The engine of a program that is up."""
    engine = Engine(cloud, program.copy(folder, Path(CHECKOUTS), Path(sys.prefix)))
    assert commands.up(engine, "dev", ("--non-interactive",), brief=True) == 0
    return engine


@pytest.mark.parametrize("program", [case(program) for program in PROGRAMS])
def test_a_public_program_comes_up_unchanged_and_goes_away(program, cloud, tmp_path):
    engines = [brought_up(needed, cloud, tmp_path) for needed in (*program.on, program)]

    assert len(engines[-1].resources("dev")) > 0
    PulumiStack(engines[-1], "dev").expect_no_changes()
    for engine in reversed(engines):
        assert commands.down(engine, "dev", ("--non-interactive",)) == 0
    assert not AwsServer(cloud).alive(), "nothing is left that would keep it"
