"""The keeper against a server in memory that merges as the API server does, at times that a test chooses."""

import asyncio
import copy
from contextlib import closing
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
import yaml

from moka.allocation import queue_amounts
from moka.allocation.cluster_settings import digest
from moka.allocation.queue_amounts import QueueAmounts
from moka.queues import config_map, keeper_input, queues_yaml
from moka.queues.calendar import Calendar
from moka.queues.definitions import Limit, Queues
from services.common.kubernetes import ApiError
from services.common.metrics import Metrics
from services.queue_keeper.keeper import STALLED_AFTER_SECONDS, Keeper

GIVEN = "/api/v1/namespaces/queue-keeper/configmaps/queue-calendar"
PLANNED = "/api/v1/namespaces/queue-keeper/configmaps/queue-amounts"
CONFIGS = "/api/v1/namespaces/yunikorn/configmaps/yunikorn-configs"
ZONE = ZoneInfo("Europe/Berlin")
DAY, NIGHT = (datetime(2026, 11, 26, hour, tzinfo=ZONE) for hour in (12, 3))

NODES = {"cpu": "10", "memory": "100Gi"}
SCHEDULE = {
    "night": {"cron": "0 20 * * *", "maximum": 90},
    "day": {"cron": "0 6 * * *", "maximum": 40},
}


def run(coroutine):
    """To its end, in a loop of its own: `asyncio.run` would leave none to the tests of components."""
    with closing(asyncio.new_event_loop()) as loop:
        return loop.run_until_complete(coroutine)


def queues_of(*organizations):
    project = {"projects": {"p": {"weight": 1, "tiers": {1: {"weight": 1}}}}}
    return Queues.model_validate(
        {"organizations": {name: {"weight": 1, **project} for name in organizations}}
    )


CALENDAR = Calendar.model_validate(
    {
        "capacity": {"cpu": "800", "memory": "8Ti"},
        "node_order": "binpacking",
        "node_groups": {
            "driver": {"maximum": 10, **NODES},
            "executor": {"maximum": 90, **NODES, "time_zone": "Europe/Berlin", "changes": SCHEDULE},
        },
    }
)


class Server:
    """ConfigMaps by path."""

    def __init__(self):
        self.objects = {}
        self.written = 0
        self.refusal = None
        self.give(queues_of("analytics"))
        self.settings(queues_of("analytics"))

    def give(self, queues, calendar=CALENDAR, **data):
        data = {**keeper_input.data(queues, calendar), **data}
        self.objects[GIVEN] = {"metadata": {"resourceVersion": str(id(data))}, "data": data}

    def plan(self, queues, of=None, revision=7, **more):
        """What Archer brings. queues: path -> cores in each hour, or one for all. more: of each hour."""
        hours = {
            path: {"hours": [{"guaranteed": {"cpu": str(cpu), "memory": "1Ti"}, **more} for cpu in cores]}
            for path, cores in queues.items()
        }
        amounts = {
            "format": queue_amounts.FORMAT,
            "revision": revision,
            "plan": "monday",
            "settings": digest(of or queues_of("analytics")),
            "queues": hours,
        }
        config_map = queue_amounts.as_config_map(QueueAmounts.model_validate(amounts))
        self.objects[PLANNED] = {"metadata": {"resourceVersion": str(id(amounts))}, **config_map}

    def settings(self, queues):
        """What `up` writes, which leaves what others keep alone."""
        data = {config_map.KEY: queues_yaml(CALENDAR.tree(queues, CALENDAR.all_nodes)[0])}
        self.objects[CONFIGS] = {**self.objects.get(CONFIGS, {}), "data": data}

    @property
    def in_force(self):
        return config_map.in_force(self.objects[CONFIGS])

    @property
    def kept(self):
        return config_map.keeper_queues(self.objects[CONFIGS])

    @property
    def guaranteed(self):
        """Organization -> its cores in force."""
        [root] = yaml.safe_load(self.in_force)["partitions"][0]["queues"]
        return {queue["name"]: _cores(queue) for queue in root["queues"]}

    async def get(self, path, **_):
        return copy.deepcopy(self.objects.get(path))

    async def merge(self, path, changes, manager):
        if self.refusal is not None:
            raise self.refusal
        assert manager == "queue-keeper"
        [(field, values)] = changes.items()
        before = self.objects[path].get(field) or {}
        after = {key: value for key, value in {**before, **values}.items() if value is not None}
        self.objects[path] = {**self.objects[path], field: after}
        self.written += 1


def _cores(queue):
    """What a queue is guaranteed, or those below it where it states nothing."""
    if guaranteed := queue.get("resources", {}).get("guaranteed"):
        return guaranteed["vcore"]
    return str(sum(int(_cores(child)) for child in queue.get("queues", ())))


class Stage:
    """A keeper, its server and its clocks."""

    def __init__(self):
        self.server, self.now, self.seconds = Server(), DAY, 0.0
        self.metrics = Metrics("queue_keeper")
        self.keeper = Keeper(
            self.server, "queue-keeper", self.metrics, now=lambda: self.now, clock=lambda: self.seconds
        )

    def look(self, now=None):
        self.now = now or self.now
        run(self.keeper.pass_by())

    def metric(self, name):
        return self.metrics.registry.get_sample_value(f"moka_queue_keeper_{name}")


@pytest.fixture
def stage():
    return Stage()


def test_queues_have_less_by_day_and_what_the_settings_say_by_night(stage):
    stage.look(NIGHT)
    assert (stage.server.guaranteed, stage.server.kept) == ({"analytics": "800"}, None)

    stage.look(DAY)
    assert stage.server.guaranteed == {"analytics": "400"}
    assert stage.metric("capacity_share") == 0.5

    stage.look(NIGHT)
    assert (stage.server.guaranteed, stage.server.kept) == ({"analytics": "800"}, None)
    assert stage.metric("written_total") == 2


def test_nothing_is_written_twice(stage):
    stage.look()
    stage.look()

    assert stage.server.written == 1


def test_a_keeper_that_starts_anew_finds_what_it_kept(stage):
    stage.look()
    other = Keeper(stage.server, "queue-keeper", Metrics("queue_keeper"), now=lambda: DAY)
    run(other.look())

    assert stage.server.written == 1


@pytest.mark.parametrize("value", [config_map.pack("mine"), "bm8gZ3ppcA=="])
def test_another_hand_in_what_is_kept_is_put_right(stage, value):
    for now, expected in ((DAY, "400"), (NIGHT, "800")):
        stage.look(now)
        stage.server.objects[CONFIGS]["binaryData"] = {config_map.KEPT_KEY: value}

        stage.look()

        assert stage.server.guaranteed == {"analytics": expected}
    assert stage.server.kept is None


def test_by_day_other_queues_of_the_settings_come_with_what_the_keeper_is_given(stage):
    stage.look()
    stage.server.settings(queues_of("analytics", "science"))
    stage.look()
    assert stage.server.guaranteed == {"analytics": "400"}

    stage.server.give(queues_of("analytics", "science"))
    stage.look()
    assert stage.server.guaranteed == {"analytics": "200", "science": "200"}


def test_by_night_other_queues_of_the_settings_need_no_keeper(stage):
    stage.look(NIGHT)

    stage.server.settings(queues_of("analytics", "science"))

    assert stage.server.guaranteed == {"analytics": "400", "science": "400"}


def test_without_a_calendar_it_takes_back_what_it_kept(stage):
    stage.look()
    del stage.server.objects[GIVEN]

    stage.look()

    assert (stage.server.guaranteed, stage.server.kept) == ({"analytics": "800"}, None)


LEAF = "root.analytics.p.tier1"
BY_HOUR = [100 + hour for hour in range(24)]


def test_a_plan_has_its_amounts_in_each_hour_of_utc(stage):
    stage.server.plan({LEAF: BY_HOUR})

    stage.look(NIGHT)
    assert stage.server.guaranteed == {"analytics": "102"}, "3:00 in Berlin is 2:00 in UTC"
    stage.look(NIGHT + timedelta(minutes=59))
    assert stage.server.written == 1
    stage.look(NIGHT + timedelta(hours=1))
    assert stage.server.guaranteed == {"analytics": "103"}
    assert stage.metric("plan_revision") == 7


def test_a_schedule_lowers_a_plan_where_it_leaves_less(stage):
    stage.server.plan({LEAF: [600]})

    stage.look(NIGHT)
    assert stage.server.guaranteed == {"analytics": "600"}
    stage.look(DAY)
    assert stage.server.guaranteed == {"analytics": "400"}
    assert stage.metric("amounts_left_out") == 0, "that is as it should be"


def test_without_its_plan_the_queues_are_those_of_the_settings(stage):
    stage.server.plan({LEAF: [600]})
    stage.look(NIGHT)

    stage.server.plan({}, revision=8)
    stage.look(NIGHT)
    assert (stage.server.guaranteed, stage.server.kept) == ({"analytics": "800"}, None)
    assert stage.metric("plan_revision") == 8

    stage.server.plan({LEAF: [600]})
    stage.look(NIGHT)
    del stage.server.objects[PLANNED]
    stage.look(NIGHT)
    assert (stage.server.guaranteed, stage.server.kept) == ({"analytics": "800"}, None)


def test_an_up_with_other_queues_takes_nothing_back_and_leaves_out_what_is_gone(stage, caplog):
    stage.server.plan({LEAF: [300]})
    stage.look(NIGHT)

    for queues in (queues_of("analytics", "science"), queues_of("science")):
        stage.server.settings(queues)
        stage.server.give(queues)
        stage.look(NIGHT)
        assert stage.metric("other_settings") == 1
        if "analytics" in queues.organizations:
            # What the settings have for the other is in force beside it.
            assert stage.server.guaranteed == {"analytics": "300", "science": "400"}
            assert stage.metric("amounts_left_out") == 0
    assert stage.server.guaranteed == {"science": "800"}
    assert stage.metric("amounts_left_out") == 1
    assert "the plan is of other settings" in caplog.messages
    assert (stage.metric("failures_total"), stage.server.kept) == (0, None)


def test_settings_that_no_scheduler_takes_with_a_plan_are_in_force_without_it(stage, caplog):
    """A user may have 20 cores of a queue that the plan leaves 10."""
    stage.server.plan({LEAF: [5]}, maximum={"cpu": "10"})
    stage.look(NIGHT)
    assert stage.server.guaranteed == {"analytics": "5"}

    queues = queues_of("analytics")
    tier = queues.organizations["analytics"].projects["p"].tiers[1]
    limited = tier.model_copy(update={"limits": [Limit(users=["*"], maximum={"cpu": "20"})]})
    queues.organizations["analytics"].projects["p"].tiers[1] = limited
    stage.server.settings(queues)
    stage.server.give(queues)
    stage.look(NIGHT)

    assert (stage.server.guaranteed, stage.server.kept) == ({"analytics": "800"}, None)
    assert (stage.metric("failures_total"), stage.metric("other_settings")) == (0, 1)
    assert stage.metric("amounts_left_out") == 1
    assert "the plan is of other settings" in caplog.messages


def test_amounts_beyond_the_settings_are_lowered_and_told(stage):
    stage.server.plan({LEAF: [900]})

    stage.look(NIGHT)

    assert stage.server.guaranteed == {"analytics": "800"}
    assert stage.metric("amounts_left_out") == 1


def test_a_plan_that_cannot_be_read_leaves_what_is_in_force(stage):
    stage.server.plan({LEAF: [300]})
    stage.look(NIGHT)
    for field in ({"binaryData": {queue_amounts.KEY: "bm8gZ3ppcA=="}}, {"binaryData": {}}):
        stage.server.objects[PLANNED] = {"metadata": {"resourceVersion": str(id(field))}, **field}
        stage.look(NIGHT)
        if field["binaryData"]:
            assert stage.server.guaranteed == {"analytics": "300"}
            assert stage.metric("failures_total") == 1
    # An empty one, as it is made, is no plan.
    assert stage.server.guaranteed == {"analytics": "800"}


def test_before_there_is_a_scheduler_it_waits(stage):
    del stage.server.objects[CONFIGS]

    stage.look()

    assert (stage.server.written, stage.metric("failures_total")) == (0, 0)


@pytest.mark.parametrize(
    "wrong",
    [{"calendar.yaml": "format: moka-queue-calendar/2\n"}, {"moka-queues.yaml": "format: moka-queues/9\n"}],
)
def test_what_it_cannot_read_leaves_what_is_in_force_and_is_told(stage, wrong):
    stage.look()
    stage.server.give(queues_of("science"), **wrong)
    stage.seconds = 400.0

    stage.look(NIGHT)

    assert stage.server.guaranteed == {"analytics": "400"}
    assert (stage.metric("failures_total"), stage.metric("behind_seconds")) == (1, 400)


def test_queues_with_which_no_scheduler_would_start_are_not_written(stage):
    stage.look(NIGHT)
    project = {"projects": {"p": {"tiers": {1: {"guaranteed": {"cpu": "300", "memory": "1Ti"}}}}}}
    stage.server.give(
        Queues.model_validate({"organizations": {"a": {"maximum": {"percent": 50}, **project}}})
    )

    stage.look(DAY)

    assert stage.server.kept is None
    assert stage.metric("failures_total") == 1


def test_it_is_behind_for_as_long_as_its_queues_are_refused(stage):
    stage.server.refusal = ApiError(400, "admission webhook denied the request")
    for stage.seconds in (10.0, 20.0):
        stage.look()
    assert (stage.metric("failures_total"), stage.metric("behind_seconds")) == (2, 20)

    stage.server.refusal = None
    stage.look()
    assert stage.metric("behind_seconds") == 0
    assert stage.server.guaranteed == {"analytics": "400"}


def test_one_that_looks_no_more_is_started_anew(stage):
    stage.look()
    stage.seconds = STALLED_AFTER_SECONDS
    assert stage.keeper.problem() is None

    stage.seconds += 1
    assert stage.keeper.problem() == "stalled"
