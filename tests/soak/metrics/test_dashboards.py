"""Every query of every dashboard, asked of the store of a laptop: a panel without data is a failure."""

from moka.observability.dashboards import DASHBOARDS
from moka.observability.grafana import expression
from tests.support.application_load import until
from tests.support.laptop_metrics import JOB, NAMESPACE
from tests.support.program_pods import PATIENCE

CHOICES = {"application": JOB, "namespace": NAMESPACE, "environment": ".*", "cluster": ".*", "queue": ".*"}

NO_WAIT = "only one of tier 3 waits"
NO_PLAN = "no plan is made there"
NOT_YET = "counted from the first one on"
NO_CONTROLLER = "kwok's pods have no Deployment, DaemonSet or StatefulSet"

# What a query's place begins with -> why a laptop has nothing to show there.
NOTHING_THERE = {
    "archer: Clusters without the queues of the plan": NO_PLAN,
    "archer: What went wrong with a cluster": NOT_YET,
    "applications: Executors": "its job has as many executors as it asked for at first",
    "applications: How containers of drivers ended": "no container was started again",
    "cluster: Containers that wait": "none waits",
    "cluster: Pods that have no node": "the one that waits has not been tried, so nothing says so",
    "cluster: Replicas that are missing": NO_CONTROLLER,
    "environment: Alerts": NOT_YET,
    "queues: Longest wait of a job of tier 1": NO_WAIT,
    "queues: Longest wait of a job of tier 2": NO_WAIT,
    "metrics: Lists and watches of kube-state-metrics, a second: {{cluster}} lists": NOT_YET,
    "metrics: Points lost or sent back, a second: {{cluster}} {{job}} had no room": NOT_YET,
    "metrics: Points lost or sent back, a second: {{cluster}} {{job}} not taken": NOT_YET,
    "services: Logins": NOT_YET,
    "services: Of a week: what Archer refused, and workflows proposed: {{cluster}} refused": NOT_YET,
    "services: Since a plan was made, and took effect": NO_PLAN,
    "services: Since the day that is reported began": "nobody reports a day there",
    "services: Time of the last plan": NO_PLAN,
    "services: Why the last plan waits": NO_PLAN,
    "usage: ": "nobody reports a day there",
}


def chosen(query):
    """A query as Grafana sends it."""
    for variable, value in CHOICES.items():
        query = query.replace(f"${variable}", value)
    return query


def without_data(laptop):
    """Places of queries that have no answer: dashboard, panel and legend."""
    return {
        f"{dashboard.name}: {panel.title}: {legend}"
        for dashboard in DASHBOARDS
        for panel in dashboard.panels
        for legend, text in panel.queries.items()
        if not laptop.query(chosen(expression(text)))
    }


def test_every_panel_shows_something_but_those_of_which_there_is_nothing(laptop):
    # Recordings come last.
    for recorded in ("executors:active_tasks", "pods:cpu_usage", "tasks:failed_rate"):
        laptop.until(f"moka:{recorded}")

    def unexpected():
        return {place for place in without_data(laptop) if not place.startswith(tuple(NOTHING_THERE))}

    # On a busy machine there are not at all times two readings within what a rate is of.
    until(lambda: not unexpected(), "every panel shows something", PATIENCE, unexpected)
    empty = without_data(laptop)
    listed = {start for start, reason in NOTHING_THERE.items() if reason != NOT_YET}
    assert {start for start in listed if not any(place.startswith(start) for place in empty)} == set()
