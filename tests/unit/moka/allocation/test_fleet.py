from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moka.allocation.cluster import NoCapacity
from moka.allocation.fleet import CRITICAL, HOURS, FleetQueue, InvalidFleet
from moka.allocation.fleet_amounts import served_shares, share_out
from moka.allocation.fleet_loads import measures
from moka.allocation.fleet_percentile import at_home
from moka.allocation.fleet_remarks import binding
from moka.queues.resources import Resources, total
from tests.support.small_fleets import PATHS, cluster, fleet, fleets, machines, workflow

TIER_1, TIER_2, TIER_3 = PATHS


def amounts(of, queue, hour, where="batch-a"):
    queues = share_out(of, of.homes())
    return next(one.hours[hour] for one in queues if (one.cluster, one.queue) == (where, queue))


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (lambda: fleet([], clusters=0), "The fleet has no cluster: give it at least one."),
        (
            lambda: fleet([workflow("daily", 1, "batch-a", {}, slo_hours=0)]),
            "daily has an SLO of 0 hours: it is more than zero.",
        ),
        (
            lambda: fleet([workflow("daily", 1, "batch-z", {})]),
            "daily has its home on batch-z, which is no cluster of the fleet.",
        ),
        (
            lambda: fleet([workflow("daily", 1, "batch-a", {}, zones=("moon",))]),
            "daily can run on no cluster",
        ),
        (
            lambda: fleet([workflow("daily", 1, "batch-a", {})] * 2),
            "There are two of the workflow daily: keep one.",
        ),
        (
            lambda: fleet(
                [],
                queues=[
                    FleetQueue(
                        path=TIER_1, floors={"batch-a": machines(3)}, ceilings={"batch-a": machines(2)}
                    )
                ],
            ),
            "root.acme.etl.tier1 has a floor of 12000 of cpu on batch-a and a ceiling of 8000",
        ),
        (
            lambda: fleet([], queues=[FleetQueue(path=TIER_1, floors={"batch-a": machines(9.5)})]),
            "The floors of tiers 1 and 2 on batch-a add up to 38000 of cpu, but there are 36000",
        ),
        (lambda: fleet([], max_moves=-1), "max_moves is -1: it is at least 0."),
    ],
)
def test_a_fleet_that_contradicts_itself_is_refused_in_a_sentence(made, says):
    with pytest.raises(InvalidFleet) as refused:
        made()

    assert any(line.startswith(says) for line in str(refused.value).splitlines())


def test_a_cluster_without_capacity_is_refused():
    with pytest.raises(NoCapacity, match="capacity of 0 machines"):
        cluster("batch-a", 0)
    with pytest.raises(InvalidFleet, match="batch-a has a capacity of 0 machines at 03:00"):
        bad = cluster("batch-a", machines=(5, 5, 5, 0, *(5 for _ in range(20))))
        fleet([]).__class__(clusters=(bad,), queues=(), workflows=(), max_moves=0)


def test_queues_get_what_their_workflows_ask_in_each_hour():
    of = fleet([workflow("a", 1, "batch-a", {2: 3, 3: 1}), workflow("b", 1, "batch-a", {3: 2})])

    assert amounts(of, TIER_1, 2).guaranteed == machines(3)
    assert amounts(of, TIER_1, 3).guaranteed == machines(3)
    assert amounts(of, TIER_1, 4).guaranteed == Resources()
    # Two at a time, and a quarter more.
    assert [amounts(of, TIER_1, hour).max_applications for hour in (2, 3, 4)] == [2, 3, 1]


def test_applications_of_a_queue_are_those_that_ran_at_a_time_and_one_that_moves_brings_all_of_its_own():
    of = fleet(
        [
            replace(
                workflow(name, 1, "batch-a", {2: 1}),
                applications=(0, 0, 4, *[0] * 21),
                coincident=(0, 0, 1600, *[0] * 21),
            )
            for name in "abc"
        ]
    )

    def most(**moved):
        queues = share_out(of, {**of.homes(), **moved})
        return {queue.cluster: queue.hours[2].max_applications for queue in queues}

    # 4.8 at a time, and a quarter more.
    assert most() == {"batch-a": 6}
    # The last one there is not kept from running its own four.
    assert most(a="batch-b", b="batch-b") == {"batch-a": 5, "batch-b": 10}


def test_a_workflow_asks_of_another_cluster_what_it_says():
    of = fleet([replace(workflow("a", 1, "batch-a", {2: 3}), elsewhere=(machines(5),) * HOURS)])

    assert measures(of, {"a": "batch-a"}).peak == 300
    assert measures(of, {"a": "batch-b"}).peak == 500
    assert [one.hours[3].guaranteed for one in share_out(of, {"a": "batch-b"})] == [machines(5)]


def test_where_there_is_too_little_the_lowest_tier_gives_way_and_keeps_its_floor():
    of = fleet(
        [workflow(f"w{tier}", tier, "batch-a", {2: 6}) for tier in (1, 2, 3)],
        queues=[
            FleetQueue(path=path, floors={"batch-a": machines(1)} if path == TIER_3 else {}) for path in PATHS
        ],
    )

    # Tiers 1 and 2 have 9 of 10 machines together, and tier 3 its floor, which is the last one.
    assert [amounts(of, path, 2).guaranteed for path in PATHS] == [machines(6), machines(3), machines(1)]
    # Tier 2 lacks three; tier 3 five of its six.
    assert measures(of, of.homes()).slack == {1: 0, 2: 3000, 3: 5000}
    assert [share.served for share in served_shares(of, of.homes(), share_out(of, of.homes()))] == [
        1000,
        500,
        166,
    ]
    assert (
        "batch-a has no more cpu at 02:00: tiers 1 and 2 are guaranteed 90% of it, as much as they may."
        in binding(of, of.homes(), share_out(of, of.homes()))
    )


def test_what_is_above_a_ceiling_is_lacking():
    of = fleet(
        [workflow("a", 1, "batch-a", {2: 6})],
        queues=[FleetQueue(path=TIER_1, ceilings={"batch-a": machines(4)})],
    )

    assert amounts(of, TIER_1, 2).guaranteed == machines(4)
    assert measures(of, of.homes()).slack[1] == 2000


def test_the_peak_is_that_of_the_fullest_cluster_in_its_fullest_hour():
    of = fleet([workflow("a", 3, "batch-a", {2: 6, 3: 1}), workflow("b", 3, "batch-b", {2: 4, 5: 4})])

    found = measures(of, of.homes())

    assert found.peak == 600
    # Eight machine-hours of the 240 of a day, rounded up.
    assert found.balance == 34
    assert measures(of, {"a": "batch-b", "b": "batch-b"}).moves == 1


@given(fleets(), st.randoms())
def test_what_is_guaranteed_is_within_capacity_floors_and_ceilings_wherever_workflows_are(of, chance):
    placements = {one.name: chance.choice(of.choices(one)) for one in of.workflows}

    queues = share_out(of, placements)

    for there in of.clusters:
        own = [one for one in queues if one.cluster == there.name]
        for hour in range(HOURS):
            capacity = there.capacity(hour)
            for some, part in ((own, 1000), ([one for one in own if one.tier < 3], CRITICAL)):
                given_ = total(one.hours[hour].guaranteed for one in some)
                assert (given_.cpu or 0) * 1000 <= capacity.cpu * part
                assert (given_.memory or 0) * 1000 <= capacity.memory * part
    bounds = {queue.path: queue for queue in of.queues}
    for one in queues:
        floor = bounds[one.queue].floors.get(one.cluster, Resources())
        ceiling = bounds[one.queue].ceilings.get(one.cluster)
        for hour in one.hours:
            assert (hour.guaranteed.cpu or 0) >= (floor.cpu or 0)
            assert ceiling is None or (hour.guaranteed.cpu or 0) <= ceiling.cpu


@given(fleets(), st.randoms())
def test_everybody_has_all_it_asks_exactly_where_nothing_is_lacking(of, chance):
    placements = {one.name: chance.choice(of.choices(one)) for one in of.workflows}

    served = [share.served for share in served_shares(of, placements, share_out(of, placements))]

    assert all(part == 1000 for part in served) == (not any(measures(of, placements).slack.values()))


def test_at_home_nothing_moves_and_says_are_kept():
    of = fleet([workflow("a", 1, "batch-a", {2: 3})])

    plan = at_home(of, {}, says=("Nothing better was found.",))

    assert plan.placements == of.homes()
    assert plan.says == ("Nothing better was found.",)
    assert plan.method == "percentile"
