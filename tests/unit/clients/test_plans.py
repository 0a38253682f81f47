"""`moka plan` with an Archer that runs: from a file to what is in force, and back."""

import json
from datetime import UTC, datetime

import pytest

from commands.app import main
from moka.allocation.plan_bounds import PlanBounds
from services.archer.database import plans
from tests.support.plans import ETL1, QUEUES, amounts, plan_data
from tests.support.plans import settings as cluster_settings


@pytest.fixture
def archer(service, monkeypatch, tmp_path):
    """An Archer of which the variables name an operator, and that knows the queues of a cluster."""
    monkeypatch.setenv("ARCHER_URL", service.url)
    monkeypatch.setenv("ARCHER_TOKEN", "olga operators")
    monkeypatch.chdir(tmp_path)
    service.run(lambda pool: pool.run(lambda c: plans.tell(c, "spark-a", cluster_settings())))
    return service


@pytest.fixture
def moka(capsys):
    """Run `moka plan`; its exit status and what it printed."""

    def run(*arguments):
        with pytest.raises(SystemExit) as end:
            main(["plan", *arguments])
        printed = capsys.readouterr()
        return end.value.code or 0, (printed.out + printed.err).strip()

    return run


def write(tmp_path, name, cpu, **changes):
    data = plan_data({ETL1: [amounts(cpu, "40Gi")]}, id=name, made=datetime.now(UTC).isoformat(), **changes)
    (tmp_path / f"{name}.json").write_text(json.dumps(data))


def test_a_plan_is_proposed_applied_rolled_back_and_withdrawn(archer, moka, tmp_path):
    revisions = []

    def applied(*arguments):
        status, printed = moka(*arguments, "--why", "a test")
        assert status == 0, printed
        revisions.append(int(printed.split("revision ")[1].rstrip(".")))
        return printed.split(",")[0]

    write(tmp_path, "monday", "24")
    assert moka("propose", "monday.json") == (0, "monday is proposed.")
    assert applied("apply", "monday") == "In force: monday"
    write(tmp_path, "tuesday", "28")
    moka("propose", "tuesday.json")
    assert applied("apply", "tuesday", "--revision", str(revisions[0])) == "In force: tuesday"
    assert applied("rollback", "monday") == "In force: monday"
    assert applied("withdraw") == "In force: the settings"
    assert revisions == sorted(set(revisions))

    status, printed = moka("list")
    assert status == 0
    [first, cluster, *listed] = printed.splitlines()
    assert first == f"In force: the settings, revision {revisions[-1]}, by olga: a test"
    assert cluster == "  spark-a  has revision 0"
    assert [line.split(", made")[0] for line in listed] == ["tuesday  superseded", "monday  superseded"]


def test_what_is_applied_too_late_is_told_in_a_sentence(archer, moka, tmp_path):
    for name in ("monday", "tuesday"):
        write(tmp_path, name, "24", **({"basis": {**plan_data({})["basis"], "revision": 0}}))
        moka("propose", f"{name}.json")
    moka("apply", "monday", "--why", "first")

    status, printed = moka("apply", "tuesday", "--why", "second")

    assert status == 2
    assert printed.startswith("Revision 0 is not in force, but ")
    assert "with plan monday, by olga: look at what changes now" in printed


def test_all_that_is_wrong_with_a_plan_is_told(archer, moka, tmp_path):
    write(tmp_path, "monday", "900")

    status, printed = moka("propose", "monday.json")

    assert status == 2
    assert f"clusters.spark-a.queues.{ETL1}.guaranteed.cpu: is 900, more than" in printed


def test_a_plan_is_refused_for_good(archer, moka, tmp_path):
    write(tmp_path, "monday", "24")
    moka("propose", "monday.json")

    assert moka("refuse", "monday", "--why", "too much") == (0, "monday is refused.")
    assert moka("apply", "monday", "--why", "still") == (2, "Plan monday was refused: make a new one.")


def test_a_plan_of_archer_is_compared_with_what_is_in_force(archer, moka, tmp_path, monkeypatch):
    class Settings:
        environment, clusters, allocation = "local", ("spark-a",), PlanBounds()

        def cluster_settings(self, name):
            return cluster_settings(QUEUES)

    monkeypatch.setattr("commands.plan.load", lambda _: Settings())
    write(tmp_path, "monday", "24")
    moka("propose", "monday.json")
    moka("apply", "monday", "--why", "first")
    write(tmp_path, "tuesday", "28")
    moka("propose", "tuesday.json")

    status, printed = moka("show", "local", "tuesday")

    assert status == 0, printed
    assert "Compared with monday, revision" in printed
    assert f"{ETL1} on spark-a: guaranteed cpu 28 instead of 24." in printed
