from datetime import UTC, datetime, timedelta

import pytest

from moka.mistakes import Mistake
from moka.submission.placement import Cluster, Misplaced, Placed, Unplaced, place
from moka.submission.routes import Route, route_of
from tests.support.jobs import make_job

NOW = datetime(2026, 11, 24, tzinfo=UTC)
JOB = make_job(workflow="nightly-orders")


def cluster(name, **changes):
    return Cluster(name=name, queues=["root.analytics.reports.tier1"], **changes)


def fits(*names):
    return lambda job, name: [] if name in names else [Mistake("queue", "is not there")]


def route(workflow="nightly-*", **changes):
    values = {"since": NOW - timedelta(days=1), "why": "a test", "by": "ann", **changes}
    return Route(workflow=workflow, **values)


def test_the_cluster_with_the_fewest_that_wait_takes_a_job():
    clusters = [cluster("a", waiting=5), cluster("b", waiting=2), cluster("c", waiting=0)]

    placed = place(JOB, None, clusters, fits("a", "b"))

    assert placed == Placed("b", JOB, movable=True)


@pytest.mark.parametrize(
    ("one", "words"),
    [
        (cluster("a", cordoned="upgrade"), "cordoned: upgrade"),
        (cluster("a", healthy=False), "does not answer"),
    ],
)
def test_a_cluster_that_takes_none_is_passed_over_and_named_where_there_is_no_other(one, words):
    other = cluster("b", waiting=100)

    assert place(JOB, None, [one, other], fits("a", "b")) == Placed("b", JOB, movable=True)
    alone = place(JOB, None, [one], fits("a"))
    assert isinstance(alone, Unplaced) and words in alone.because


def test_a_job_that_fits_no_cluster_gets_the_mistakes_of_the_one_that_it_comes_closest_to():
    def mistakes(job, name):
        return [Mistake("queue", "is not there")] * (2 if name == "a" else 1)

    assert place(JOB, None, [cluster("a"), cluster("b")], mistakes) == Misplaced(
        [Mistake("queue", "is not there")]
    )


def test_a_route_changes_a_job_and_binds_it_to_its_cluster():
    bound = route(cluster="b", queue="science.models", architecture="amd64")

    placed = place(JOB, bound, [cluster("a"), cluster("b", waiting=9)], fits("a", "b"))

    assert (placed.cluster, placed.movable) == ("b", False)
    assert (placed.job.queue, placed.job.architecture, placed.job.namespace) == (
        "science.models",
        "amd64",
        JOB.namespace,
    )


def test_a_route_to_a_cluster_that_is_not_there_has_the_job_wait_and_says_why():
    gone = place(JOB, route(cluster="gone"), [cluster("a")], fits("a"))

    assert isinstance(gone, Unplaced) and "gone" in gone.because


def test_runs_of_a_job_stay_on_a_cluster_and_those_of_others_when_one_is_added():
    jobs = [make_job(name=f"job-{number}") for number in range(200)]
    few = [cluster(name) for name in "ab"]
    more = [*few, cluster("c")]

    before = {job.name: place(job, None, few, fits(*"abc")).cluster for job in jobs}
    after = {job.name: place(job, None, more, fits(*"abc")).cluster for job in jobs}

    assert {name for name in before if after[name] not in (before[name], "c")} == set()
    assert 40 < list(after.values()).count("c") < 95


def test_the_route_of_a_workflow_is_its_own_then_the_longest_pattern_and_none_of_the_future():
    routes = [
        route("*"),
        route("nightly-*"),
        route("nightly-orders"),
        route("nightly-ord*", since=NOW + timedelta(days=1)),
    ]

    assert route_of("nightly-orders", routes, NOW) is routes[2]
    assert route_of("nightly-ord", routes, NOW) is routes[1]
    assert route_of("hourly", routes, NOW) is routes[0]
    assert route_of(None, routes, NOW) is None
