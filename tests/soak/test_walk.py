"""Many changes to the settings, each with an `up`, end where a fresh `up` of the last settings does."""

import os
import time
from collections.abc import Iterator

import pytest
import yaml

from localcloud import commands
from localcloud.engine import Engine
from stacks import settings
from tests.soak.conftest import copy_of_the_project
from tests.soak.sizes import size
from tests.support.inventory import deployed, differences
from tests.support.pulumi_stack import PulumiStack
from tests.support.settings_walk import Settings, steps

STEPS = size("MOKA_WALK_STEPS")
SEED = int(os.environ.get("MOKA_WALK_SEED", "17"))
QUIET = ("--non-interactive",)
LOCAL = yaml.safe_load(settings.path_of("local").read_text())


@pytest.fixture
def walked(tmp_path) -> Iterator[Engine]:
    yield from copy_of_the_project(tmp_path / "walked")


@pytest.fixture
def fresh(tmp_path) -> Iterator[Engine]:
    yield from copy_of_the_project(tmp_path / "fresh")


@pytest.fixture(autouse=True)
def few_machines(monkeypatch):
    monkeypatch.setenv("MOKA_MACHINES", "3")


def up(engine: Engine, wanted: Settings) -> None:
    file = engine.project / "stacks" / "local.yaml"
    file.write_text(yaml.safe_dump(wanted, sort_keys=False))
    assert commands.up(engine, "local", QUIET, brief=True) == 0


def test_a_walk_ends_where_a_fresh_up_of_its_last_settings_does(walked, fresh):
    up(walked, LOCAL)
    last = LOCAL
    for number, step in enumerate(steps(LOCAL, SEED, STEPS), 1):
        print(f"{time.strftime('%H:%M:%S')} {number}: {step.change}", flush=True)
        up(walked, step.settings)
        last = step.settings
    PulumiStack(walked, "local").expect_no_changes()

    up(fresh, last)

    others = differences(deployed(walked, ["local"]), deployed(fresh, ["local"]))
    assert not others, "\n".join(others)
