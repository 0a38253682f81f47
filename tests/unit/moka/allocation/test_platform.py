"""What Archer answers, as a plan goes by it."""

from datetime import UTC, datetime

from moka.allocation.platform import platform_of

NOW = datetime(2026, 11, 26, 3, tzinfo=UTC)


def workflow(name):
    values = {"tier": 1, "slo_hours": 4, "owner": "ada", "project": "acme.etl", "cluster": "spark-a"}
    return {"workflow": name, "proposed": False, "why": "ours", **values}


def route(workflow, cluster, plan=None, since="2026-11-01T00:00:00Z"):
    return {
        "workflow": workflow,
        "cluster": cluster,
        "since": since,
        "why": "room",
        "by": "olga",
        "plan": plan,
    }


class Answers:
    """An Archer that says so. asked: in which order."""

    def __init__(self, workflows, routes):
        self.workflows, self.routes, self.asked = workflows, routes, []

    def list_plans(self, *, limit):
        self.asked.append("plans")
        return {"in_force": {"number": 7, "plan": None}}

    def list_workflows(self, *, proposed):
        self.asked.append("workflows")
        return [one for one in self.workflows if one["proposed"] is proposed]

    def list_routes(self):
        self.asked.append("routes")
        return self.routes


def test_routes_of_plans_may_change_and_those_of_people_not():
    routes = [
        route("daily", "spark-b", plan="monday"),
        route("hourly", "spark-c"),
        route("week*", "spark-c"),
        route("later", "spark-c", since="2026-12-01T00:00:00Z"),
        route("anywhere", None),
    ]
    names = ("daily", "hourly", "weekly", "later", "anywhere", "home")
    unknown = workflow("unknown") | {"proposed": True}
    archer = Answers([*map(workflow, names), unknown], routes)

    platform = platform_of(archer, NOW)

    assert platform.workflows.keys() == set(names)
    assert platform.workflows["daily"].queue == "root.acme.etl.tier1"
    assert platform.routes == {"daily": "spark-b", "hourly": "spark-c", "weekly": "spark-c"}
    # Archer refuses a plan that moves what somebody has set a route of, whatever that says, and whenever.
    assert platform.fixed == {"hourly", "weekly", "later", "anywhere"}
    assert platform.revision == 7


def test_the_revision_is_no_later_than_the_routes():
    """Else a plan of old routes would pass for one of those that came between."""
    archer = Answers([], [])

    platform_of(archer, NOW)

    assert archer.asked[0] == "plans"
