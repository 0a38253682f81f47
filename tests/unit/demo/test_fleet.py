"""Workflows that are made up for the queues of `local`."""

from collections import Counter, defaultdict

import pytest

from demo import fleet
from moka.allocation.fleet import HOURS
from moka.workflows import definitions
from stacks.offers import offer
from stacks.settings import load


@pytest.fixture(scope="module")
def offers():
    """What the clusters of `local` offer."""
    settings = load("local")
    return [offer(settings, name) for name in settings.clusters]


@pytest.mark.parametrize("count", [10, 100, 2_000])
def test_there_are_as_many_as_are_asked_for_and_each_queue_has_some(offers, count):
    habits = fleet.habits(offers, count)

    assert len({habit.name for habit in habits}) == count
    assert {(habit.home, habit.queue) for habit in habits} == {
        (one.name, path) for one in offers for path in one.queues
    }


def test_they_are_the_same_each_time(offers):
    assert fleet.habits(offers, 100) == fleet.habits(offers, 100)


@pytest.mark.parametrize("count", [100, 2_000])
def test_what_a_queue_has_by_the_hour_is_about_what_it_may_have(offers, count):
    [one] = offers
    asked = defaultdict(lambda: [0.0] * HOURS)
    for habit in fleet.habits(offers, count):
        for hour in range(HOURS) if habit.at is None else [int(habit.at)]:
            asked[habit.queue][hour] += habit.pods * habit.cpu

    for path, queue in one.queues.items():
        assert 0.6 < max(asked[path]) / queue.maximum.cpu < 2, path
        assert min(asked[path]) < 0.1 * max(asked[path]), path


def test_archer_and_the_report_take_them_as_workflows(offers):
    known = fleet.workflows(fleet.habits(offers, 2_000))

    written = definitions.loads(fleet.document(known), "workflows.yaml")

    assert written.workflows == known
    assert all(name.startswith("demo-") for name in known)
    assert all(workflow.queue in offers[0].queues for workflow in known.values())
    assert set(Counter(workflow.tier for workflow in known.values())) == {1, 2, 3}
