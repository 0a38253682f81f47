"""`moka allocate` as people and scripts run it, on a history of thirty days of prod."""

import json
from contextlib import nullcontext

import pytest

from commands import archer_api
from moka.allocation.plan import loads
from moka.usage.records import DAY, HOUR, PROFILES, Interval
from tests.support import usage_history
from tests.support.usage_history import BEGAN

QUEUE = "root.analytics.billing.tier1"
WORKFLOWS = """
format: moka-workflows/1
workflows:
  billing: {tier: 1, slo_hours: 2, owner: a@acme.example, project: analytics.billing, cluster: batch-a}
"""
COMMAND = ("allocate", "prod", "--until", "2025-12-01T03:00Z")


@pytest.fixture(scope="module")
def history(tmp_path_factory):
    """The name of a folder: 800 cores for an hour of each night."""
    folder = tmp_path_factory.mktemp("history")
    nights = [
        Interval(
            cluster="batch-a",
            queue=QUEUE,
            workflow="billing",
            began=BEGAN + day * DAY + 2 * HOUR,
            ended=BEGAN + day * DAY + 3 * HOUR,
            cpu=800_000,
            memory=3200 * 1024,
            gpu=0,
            applications=4,
            allocations=200,
        )
        for day in range(30)
    ]
    usage_history.write(folder, PROFILES, nights)
    return str(folder)


@pytest.fixture
def workflows(tmp_path):
    """The name of a document of workflows."""
    file = tmp_path / "workflows.yaml"
    file.write_text(WORKFLOWS)
    return str(file)


def test_a_plan_is_written_and_shown(moka, history, workflows, tmp_path):
    file = tmp_path / "plan.json"

    made = moka(*COMMAND, "--history", history, "--workflows", workflows, "--output", str(file))

    assert made.status == 0 and made.out == ""
    plan = loads(file.read_bytes(), "plan.json")
    assert f"Plan {plan.id} has amounts of 5 queues on 1 cluster and sends 0 workflows elsewhere" in made.err
    assert plan.clusters["batch-a"].queues[QUEUE].at(2).guaranteed.cpu == "800"
    shown = moka("plan", "show", "prod", str(file))
    assert shown.status == 0
    assert f"{QUEUE} on batch-a: guaranteed cpu none to 800 instead of " in shown.out


def test_it_is_printed_for_scripts(moka, history, workflows):
    result = moka(*COMMAND, "--history", history, "--workflows", workflows, "--engine", "percentile")

    assert json.loads(result.out)["basis"]["engine"] == "percentile"


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"--workflows": "nowhere.yaml"}, "nowhere.yaml cannot be read (No such file or directory)"),
        ({"--workflows": None}, "No workflow is known: name a file with --workflows, or have Archer told"),
        ({"--history": "nowhere"}, "nowhere is no folder: name one that is laid out as the bucket."),
        ({"--until": "2027-01-01"}, "Nothing was recorded from 2026-12-02 to 2026-12-31: a plan needs a"),
        ({"--until": "soon"}, "'soon' is no time: write one such as 2026-11-25T03:00Z."),
        ({"--output": "no/such/plan.json"}, "no/such/plan.json cannot be written"),
        ({"--propose": ""}, "ARCHER_URL is not set, so Archer's address is unknown: set it."),
    ],
)
def test_what_it_cannot_do_it_says(moka, history, workflows, changes, says):
    flags = {"--history": history, "--workflows": workflows} | changes

    result = moka(*COMMAND, *(part for flag in flags.items() if flag[1] is not None for part in flag if part))

    assert result.status == 2
    assert says in " ".join(result.err.replace("│", " ").split())


class KnownArcher:
    """An Archer that knows a workflow, and keeps what it is sent."""

    def __init__(self, route):
        self.route = route
        self.proposed = []

    def list_workflows(self, proposed):
        assert proposed is False
        workflow = {"workflow": "billing", "tier": 1, "slo_hours": 2.0, "owner": "a", "cluster": "batch-b"}
        return [workflow | {"project": "analytics.billing", "since": "2026-11-26T00:00:00Z"}]

    def list_routes(self):
        return [{"since": "2025-11-26T00:00:00+00:00", "why": "", "by": "ada", **self.route}]

    def list_plans(self, limit):
        return {"in_force": {"number": 41}}

    def propose_plan(self, plan):
        self.proposed.append(plan)


@pytest.mark.parametrize(
    ("route", "routes"),
    [
        # Where a plan has sent it counts as where it is; who takes the plan back sends it home.
        ({"workflow": "billing", "cluster": "batch-a", "plan": "tonight"}, {"billing": "batch-a"}),
        ({"workflow": "bill*", "cluster": "batch-a", "plan": None}, {}),
    ],
)
def test_a_plan_is_proposed_of_what_archer_knows(moka, history, monkeypatch, route, routes):
    archer = KnownArcher(route)
    monkeypatch.setattr(archer_api, "client", lambda: nullcontext(archer))

    result = moka(*COMMAND, "--history", history, "--moves", "0", "--propose")

    assert result.status == 0 and "it waits for review" in result.err
    [plan] = archer.proposed
    assert plan["basis"]["revision"] == 41
    assert {name: one["cluster"] for name, one in plan.get("routes", {}).items()} == routes
    assert plan["clusters"]["batch-a"]["queues"][QUEUE]["hours"][2]["guaranteed"]["cpu"] == "800"
