from collections import Counter

from moka.allocation.fleet_loads import measures
from planning.example_history import ExampleHistory

SMALL = ExampleHistory(workflows=60, queues=20, clusters=4, jobs=600)


def test_a_seed_has_one_history():
    again, other = (
        ExampleHistory(workflows=60, queues=20, clusters=4, jobs=600, seed=seed) for seed in (17, 18)
    )

    assert [*SMALL.runs(2)] == [*again.runs(2)]
    assert SMALL.fleet(days=1) == again.fleet(days=1)
    assert [*SMALL.runs(2)] != [*other.runs(2)]


def test_runs_are_about_as_many_as_were_asked_for_and_of_every_tier():
    history = ExampleHistory(jobs=200_000)

    assert 150_000 < sum(habit.daily for habit in history.habits) < 250_000
    assert set(Counter(habit.tier for habit in history.habits)) == {1, 2, 3}
    assert sum(1 for _ in SMALL.runs(0, times=2)) == 2 * sum(1 for _ in SMALL.runs(0))


def test_at_home_some_have_too_little_though_the_fleet_has_room():
    fleet = SMALL.fleet(days=1)

    assert measures(fleet, fleet.homes()).peak > 1000
