"""What queues are shares of as time goes by, and what each is guaranteed then."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moka.mistakes import InvalidDocument
from moka.queues import Resources, calendar_file
from moka.queues.calendar import Calendar
from moka.queues.definitions import Queues
from moka.queues.resources import total

BERLIN = ZoneInfo("Europe/Berlin")

NODES = {"cpu": "10", "memory": "100Gi"}
NIGHTLY = {
    "night": {"cron": "0 20 * * *", "maximum": 90},
    "day": {"cron": "0 6 * * *", "maximum": 40},
}
QUEUES = Queues.model_validate(
    {
        "organizations": {
            "analytics": {
                "weight": 3,
                "maximum": {"percent": 80},
                "projects": {"reports": {"weight": 1, "tiers": {1: {"weight": 1}, 2: {"weight": 4}}}},
            },
            "science": {"weight": 1, "projects": {"models": {"weight": 1, "tiers": {3: {"weight": 1}}}}},
        }
    }
)


def calendar(changes=NIGHTLY, time_zone="Europe/Berlin", capacity=None, **groups):
    """Ten nodes for drivers, and at most ninety for executors, whose number changes."""
    return Calendar.model_validate(
        {
            "capacity": {"cpu": "500", "memory": "5000Gi"} if capacity is None else capacity,
            "node_order": "binpacking",
            "node_groups": {
                "driver": {"maximum": 10, **NODES},
                "executor": {"maximum": 90, **NODES, "time_zone": time_zone, "changes": changes},
                **groups,
            },
        }
    )


def holds(of, moment):
    return of.changes(moment).get("executor")


def capacity(of, moment):
    return of.capacity_of(of.nodes(of.changes(moment)))


@pytest.mark.parametrize(
    ("moment", "change"),
    [
        ("2026-11-26T05:59:59", "night"),
        ("2026-11-26T06:00:00", "day"),
        ("2026-11-26T19:59:59.999999", "day"),
        ("2026-11-26T20:00:00", "night"),
        # Clocks go on at 2 on March 28, and back at 3 on October 31.
        ("2027-03-28T05:59:59", "night"),
        ("2027-03-28T06:00:00", "day"),
        ("2027-10-31T05:59:59", "night"),
        ("2027-10-31T06:00:00", "day"),
    ],
)
def test_a_change_holds_from_its_time_in_its_zone_to_the_next(moment, change):
    local = datetime.fromisoformat(moment).replace(tzinfo=BERLIN)

    assert holds(calendar(), local) == change
    assert holds(calendar(), local.astimezone(UTC)) == change


def test_a_time_that_the_clocks_leave_out_is_when_they_go_on():
    changes = {**NIGHTLY, "early": {"cron": "30 2 28 3 *", "maximum": 50}}

    before = datetime(2027, 3, 28, 0, 59, 59, tzinfo=UTC)
    assert [holds(calendar(changes), before + timedelta(seconds=n)) for n in (0, 1)] == ["night", "early"]


def test_a_time_that_the_clocks_have_twice_is_not_lost_in_the_second_hour():
    changes = {**NIGHTLY, "early": {"cron": "45 2 31 10 *", "maximum": 50}}

    # 2:45 in summer time is 0:45 in UTC; at 1:15 it is 2:15 again.
    assert holds(calendar(changes), datetime(2027, 10, 31, 0, 44, tzinfo=UTC)) == "night"
    assert holds(calendar(changes), datetime(2027, 10, 31, 1, 15, tzinfo=UTC)) == "early"


def test_what_holds_at_the_weekend_began_on_friday():
    weekdays = {
        "evening": {"cron": "0 20 * * MON-FRI", "maximum": 90},
        "morning": {"cron": "0 6 * * MON-FRI", "maximum": 40},
    }

    assert holds(calendar(weekdays), datetime(2026, 11, 29, 12, tzinfo=BERLIN)) == "evening"


def test_of_two_at_one_time_the_one_that_promises_less_holds():
    same = {"a": {"cron": "0 6 * * *", "maximum": 50}, "b": {"cron": "0 6 * * SUN-SAT", "maximum": 40}}

    assert holds(calendar(same), datetime(2026, 11, 26, 12, tzinfo=BERLIN)) == "b"


def test_capacity_follows_what_nodes_of_jobs_have_and_drivers_keep_theirs():
    by_night, by_day = (datetime(2026, 11, 26, hour, tzinfo=BERLIN) for hour in (3, 12))

    assert capacity(calendar(), by_night) == Resources.of(cpu="500", memory="5000Gi")
    # 10 for drivers and 40 for executors of 10 and 90.
    assert capacity(calendar(), by_day) == Resources.of(cpu="250", memory="2500Gi")


def test_without_a_stated_capacity_there_is_none_to_share_and_nodes_say_what_there_is():
    none = calendar(capacity={"cpu": "500", "memory": "5000Gi"}).model_copy(update={"capacity": None})

    day = none.nodes({"executor": "day"})
    assert none.capacity_of(day) is None
    assert none.amounts(day) == Resources.of(cpu="500", memory="5000Gi")


def test_what_names_of_types_do_not_tell_goes_by_the_number_of_nodes():
    metal = calendar(metal={"maximum": 100, "memory": "1Ti"})

    day = metal.nodes({"executor": "day"})
    assert metal.amounts(day).cpu is None
    # 150 of 200 nodes.
    assert metal.capacity_of(day).cpu == 375_000


def test_gpus_go_by_the_nodes_that_have_them():
    stated = {"cpu": "500", "memory": "5000Gi", "gpu": 40}
    gpus = {"maximum": 10, **NODES, "gpus": True, "changes": {"day": {"cron": "0 6 * * *", "maximum": 5}}}
    with_gpus = calendar(capacity=stated, gpu=gpus)

    assert with_gpus.capacity_of(with_gpus.nodes({"executor": "day"})).gpu == 40
    assert with_gpus.capacity_of(with_gpus.nodes({"gpu": "day"})).gpu == 20


@st.composite
def calendars(draw):
    """Some groups, each with changes at whatever time, in zones whose clocks change."""
    cron = st.builds(
        "{} {} * * {}".format,
        st.integers(0, 59),
        st.integers(0, 23),
        st.sampled_from(["*", "MON-FRI", "SUN"]),
    )
    change = st.fixed_dictionaries({"cron": cron, "maximum": st.integers(1, 90)})
    changes = st.dictionaries(st.sampled_from(["a", "b", "c"]), change, max_size=3)
    zones = st.sampled_from(["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Etc/UTC"])
    group = st.fixed_dictionaries(
        {"maximum": st.just(90), "cpu": st.just("10"), "memory": st.just("100Gi"), "changes": changes}
        | {"time_zone": zones}
    )
    return calendar(draw(changes), draw(zones), other=draw(group))


@given(
    calendars(),
    st.sampled_from(["2027-03-26", "2027-10-29", "2027-04-02", "2026-11-26"]),
    st.integers(0, 7 * 24 * 60),
)
def test_at_each_moment_of_a_week_the_guarantees_add_up_to_the_capacity(of, first_day, minute):
    moment = datetime.fromisoformat(first_day).replace(tzinfo=UTC) + timedelta(minutes=minute)
    nodes = of.nodes(of.changes(moment))
    tree, mistakes = of.tree(QUEUES, nodes)

    stated = of.capacity_of(nodes)
    assert not mistakes
    assert total(queue.effective_guarantee for queue in tree.organizations) == stated
    for name, amount in stated.amounts():
        # No more than the nodes have; the settings stated half of all.
        assert 0 < amount * 2 <= of.amounts(nodes).get(name)


@given(calendars(), st.integers(0, 366 * 24 * 60))
def test_whatever_holds_at_some_time_is_among_the_states_of_a_year(of, minute):
    start = datetime(2026, 11, 26, tzinfo=UTC)

    states = [of.nodes(state) for state in of.states(start)]
    assert of.nodes(of.changes(start + timedelta(minutes=minute))) in states


def test_a_file_has_all_of_a_calendar():
    for one in (calendar(), calendar({}), calendar(gpu={"maximum": 1, "gpus": True})):
        assert calendar_file.loads(calendar_file.dumps(one), "a file") == one


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("format: moka-queue-calendar/2\n", "only moka-queue-calendar/1 can be read"),
        (calendar_file.dumps(calendar()).replace("0 6 * * *", "0 99 * * *"), "that is no cron expression"),
        (calendar_file.dumps(calendar()).replace("Europe/Berlin", "Europe/Bielefeld"), "no such time zone"),
        ("{", "is not YAML"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused(text, message):
    with pytest.raises(InvalidDocument, match=message.replace("(", r"\(")):
        calendar_file.loads(text, "a file")
