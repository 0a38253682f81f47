"""Every query of every dashboard, asked of the store of a laptop: a panel without data is a failure."""

from moka.observability.dashboards import DASHBOARDS
from moka.observability.grafana import expression
from tests.support.laptop_metrics import JOB, NAMESPACE

CHOICES = {"application": JOB, "namespace": NAMESPACE, "environment": ".*", "cluster": ".*", "queue": ".*"}

NO_WAIT = "every job runs or has ended"
NO_GUARANTEE = "its queues have no guarantee"
NO_TIER = "its one queue is of tier 1"
NOT_YET = "counted from the first one on"
NO_CONTROLLER = "kwok's pods have no Deployment, DaemonSet or StatefulSet"
NO_NAMES = "disks of this machine are called neither nvme nor xvd"

# What a query's place begins with -> why a laptop has nothing to show there.
NOTHING_THERE = {
    "applications: Events that the driver dropped, a second: of its log": "its driver writes no event log",
    "logs: Events that drivers dropped": "its driver writes no event log",
    "applications: Executors": "its job has as many executors as it asked for at first",
    "applications: How containers of drivers ended": "no container was started again",
    "applications: Longest wait": NO_WAIT,
    "environment: Longest wait": NO_WAIT,
    "queues: Longest wait": NO_WAIT,
    "cluster: Busiest disks": NO_NAMES,
    "cluster: Disks: ": NO_NAMES,
    "cluster: Containers that wait": "none waits",
    "cluster: Pods that have no node": "each has one",
    "cluster: Replicas that are missing": NO_CONTROLLER,
    "environment: Alerts": "none fires within the first minutes",
    "metrics: Lists and watches of kube-state-metrics, a second: {{cluster}} lists": NOT_YET,
    "metrics: Points lost or sent back, a second: {{cluster}} {{job}} had no room": NOT_YET,
    "metrics: Points lost or sent back, a second: {{cluster}} {{job}} not taken": NOT_YET,
    "queues: Applications of tier 2": NO_TIER,
    "queues: Applications of tier 3": NO_TIER,
    "queues: Cores of tier 1: {{cluster}} guaranteed": NO_GUARANTEE,
    "queues: Cores of tier 2": NO_TIER,
    "queues: Cores of tier 3": NO_TIER,
    "queues: Cores: {{queue}} guaranteed": NO_GUARANTEE,
    "queues: Memory: {{queue}} guaranteed": NO_GUARANTEE,
    "queues: Least of their guarantee": NO_GUARANTEE,
    "services: Logins": NOT_YET,
    "services: Requests, a second: {{cluster}} {{page}}": NOT_YET,
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
    # Recordings of rates come last.
    laptop.until("moka:tasks:failed_rate")

    empty = without_data(laptop)

    print(
        "Something there:", [place for place in NOTHING_THERE if not any(e.startswith(place) for e in empty)]
    )
    assert {place for place in empty if not place.startswith(tuple(NOTHING_THERE))} == set()
