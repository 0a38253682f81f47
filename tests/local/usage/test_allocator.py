"""The program of the allocator beside Archer's, on a real PostgreSQL and the laptop's S3 and STS."""

import signal
from contextlib import ExitStack

import pytest

from localcloud.aws_server import AwsServer
from localcloud.cloud import Cloud
from services.archer.database.migrate import migrate
from tests.support.allocator_stage import CREDENTIALS, WORKFLOWS, Stage, fill, write_history
from tests.support.loops import run_apart
from tests.support.postgresql import PostgreSQL

UNKNOWN = {"workflow-3", "workflow-4"}


@pytest.fixture
def stage(tmp_path, monkeypatch):
    """Archer's database, and a history in S3."""
    folder = tmp_path / "history"
    folder.mkdir()
    write_history(folder)
    with ExitStack() as stack:
        server = AwsServer(Cloud(tmp_path / "cloud"))
        server.start()
        stack.callback(server.stop)
        aws = server.url
        # Of the client of Archer in here.
        monkeypatch.setenv("AWS_ENDPOINT_URL", aws)
        for name, value in CREDENTIALS.items():
            monkeypatch.setenv(name.upper(), value)
        fill(folder, aws)
        postgresql = PostgreSQL()
        stack.callback(postgresql.end)
        address = stack.enter_context(postgresql.database())
        run_apart(migrate(address))
        yield Stage(address, tmp_path, aws, stack)


def attempts(result):
    return f'moka_allocator_attempts_total{{result="{result}"}}'


async def _a_day_passes(connections):
    await connections.run(lambda c: c.execute("UPDATE allocation.plans SET made = made - interval '1 day'"))


def test_every_night_there_is_one_plan_which_waits_or_takes_effect(stage):
    # Archer is away, and the allocator is killed as it searches.
    first = stage.allocator()
    archer = stage.archer()
    archer.write_workflows({name: one for name, one in WORKFLOWS.items() if name not in UNKNOWN}, "ours")
    first.says('"msg": "placing ')
    first.end(signal.SIGKILL)

    # Started again it makes one plan, which changes more than it may, and waits.
    second = stage.allocator()
    page = second.shows(attempts("waits"))
    [plan] = archer.list_plans()["plans"]
    assert (plan["state"], plan["made_by"]) == ("proposed", "allocator")
    [sentence, *_] = [name for name in page if name.startswith("moka_allocator_says")]
    assert 'result="waits"' in sentence and "more than the 20% of `most_change`" in sentence
    assert page["moka_allocator_last_plan_seconds"] > 0 and page["moka_allocator_plan_gap_ratio"] >= 0
    assert page['moka_allocator_refused_total{kind="waits-for-a-person"}'] == 1
    assert all(
        page[f'moka_allocator_plan_seconds{{phase="{one}"}}'] > 0 for one in ("history", "search", "archer")
    )

    # What nobody told of was proposed, and yesterday is reported.
    proposed = {workflow["workflow"]: workflow for workflow in archer.list_workflows(proposed=True)}
    assert proposed.keys() == UNKNOWN
    assert all(one["measured"]["runs"] > 0 and one["owner"] == "unknown" for one in proposed.values())
    page = second.until(
        lambda: page if (page := second.page())["moka_allocator_report_day_seconds"] else None
    )
    assert page['moka_usage_capacity{resource="vcores",target="batch-0"}'] > 0
    assert any(name.startswith("moka_usage_runs_in_time{") for name in page)
    second.end()

    # Somebody has it take effect. The next night's changes nothing, so that it takes effect by itself.
    archer.apply_plan(plan["id"], archer.list_plans()["in_force"]["number"], "looked at")
    stage.in_database(_a_day_passes)
    third = stage.allocator()
    page = third.shows(attempts("applied"))
    listed = archer.list_plans()
    assert [one["state"] for one in listed["plans"]] == ["applied", "superseded"]
    assert listed["in_force"]["plan"] == listed["plans"][0]["id"] != plan["id"]
    third.until(lambda: third.page()["moka_allocator_in_force_seconds"] > 0)
    third.end()

    # Started again, it finds that all is done.
    fourth = stage.allocator()
    fourth.says('"msg": "the plan is there"')
    fourth.until(lambda: fourth.page()["moka_allocator_last_success_seconds"] > 0)
    assert fourth.page()[attempts("applied")] == 0 and len(archer.list_plans()["plans"]) == 2
    fourth.end()
    assert fourth.process.returncode == 0
