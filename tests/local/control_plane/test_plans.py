"""Plans from Archer to the real scheduler: service, courier and keeper, each with its own account."""

import asyncio
import threading
from datetime import UTC, datetime, timedelta

import httpx
import pytest

from commands.yunikorn_api import SchedulerUnreachable, queue_differences
from localcloud.control_plane.stand_ins.accounts import account
from localcloud.control_plane.stand_ins.charts import yunikorn_url
from localcloud.errors import Refusal
from moka.allocation import queue_amounts
from moka.allocation.plan import read
from moka.allocation.queue_amounts import AmountsOfHour
from moka.allocation.queues_in_force import in_force
from moka.components.kubernetes.archer_rights import AMOUNTS_RIGHTS
from moka.components.kubernetes.queue_keeper import OWN_RIGHTS, SCHEDULER_RIGHTS, SERVICE
from moka.names import QUEUE_AMOUNTS, QUEUE_CALENDAR
from moka.queues import config_map, queues_yaml
from services.archer.database.migrate import migrate
from services.archer.worker.courier import AMOUNTS, Courier
from services.common.kubernetes import Api, ServiceAccount
from services.common.metrics import Metrics
from services.queue_keeper.keeper import Keeper
from tests.support.archer import archer
from tests.support.loops import run_apart
from tests.support.plans import ETL1, QUEUES, SCHEDULE, amounts, plan_data, settings
from tests.support.postgresql import PostgreSQL
from tests.support.roles import bound_role

CONFIGS = "/api/v1/namespaces/yunikorn/configmaps/yunikorn-configs"
GIVEN = f"/api/v1/namespaces/{SERVICE}/configmaps/{QUEUE_CALENDAR}"
ARCHER = "archer-worker"
CLUSTER = "spark-a"
NIGHT = datetime(2026, 11, 26, 3, tzinfo=UTC)
OURS = settings(schedule=SCHEDULE, least={1: 50})
BY_HOUR = [amounts(str(20 + hour), "40Gi") for hour in range(24)]


class Stage:
    """Archer, a courier and a keeper in a thread; the courier is paused where a cluster is away."""

    def __init__(self, api, url, address, accounts):
        self.api, self.url, self.address, self.accounts = api, url, address, accounts
        self.now = NIGHT
        self.metrics = Metrics("queue_keeper")
        self._started = threading.Event()
        self._thread = threading.Thread(target=lambda: run_apart(self._run()))

    def __enter__(self):
        self._thread.start()
        assert self._started.wait(60), "the service did not start"
        return self

    def __exit__(self, *_):
        self._loop.call_soon_threadsafe(self._ended.set)
        self._thread.join()

    async def _run(self):
        self._loop, self._ended = asyncio.get_running_loop(), asyncio.Event()
        self._courier = asyncio.Lock()
        await migrate(self.address)
        keeper_account, archer_account = self.accounts
        async with archer(self.address) as client, Api(keeper_account) as own, Api(archer_account) as other:
            self.pool, self.other = client.pool, other
            self.client = httpx.Client(base_url=str(client.base_url), headers={"X-Sender": "olga operators"})
            keeper = Keeper(own, SERVICE, self.metrics, now=lambda: self.now, seconds=0.2)
            self._started.set()
            parts = [
                asyncio.create_task(one)
                for one in (keeper.run(), self._go(Courier(self.pool, CLUSTER, other)))
            ]
            await self._ended.wait()
            for part in parts:
                part.cancel()

    async def _go(self, courier):
        while True:
            async with self._courier:
                await courier.go()
            await asyncio.sleep(0.2)

    def leave(self):
        """The cluster is away, once a courier that is under way has come."""
        self.run(self._courier.acquire())

    def come_back(self):
        """The cluster is there again."""
        self._loop.call_soon_threadsafe(self._courier.release)

    def run(self, work):
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(30)

    def up(self, of):
        """What `up` gives the scheduler, and the keeper."""
        text = queues_yaml(of.calendar.tree(of.queues, of.calendar.all_nodes)[0])
        self.api.merge(CONFIGS, {"data": {config_map.KEY: text}})
        _apply(self.api, GIVEN, QUEUE_CALENDAR, data=of.as_data())

    @property
    def in_force(self):
        return self.client.get("/v1/plans").json()["in_force"]

    def step(self, path):
        wish = {"revision": self.in_force["number"], "why": "a test"}
        answer = self.client.post(f"/v1/plans/{path}", json=wish)
        assert answer.status_code == 200, answer.text

    def apply(self, name, hours, of=OURS):
        made = plan_data({ETL1: hours}, of, id=name, made=datetime.now(UTC).isoformat())
        answer = self.client.post("/v1/plans", json=made)
        assert answer.status_code == 200, answer.text
        self.step(f"{name}/apply")
        return read(made, name)

    def right(self, made, of=OURS, now=None):
        """Whether the scheduler has the queues as a plan, or the settings, have them at a time."""
        moment = now or self.now
        of_hour = made.at(CLUSTER, moment.hour) if made else AmountsOfHour()
        nodes = of.calendar.nodes(of.calendar.changes(moment))
        try:
            return not queue_differences(in_force(of, of_hour, nodes).tree, self.url)
        except SchedulerUnreachable:
            return False

    @property
    def revision(self):
        return queue_amounts.revision_of(self.api.get(AMOUNTS))


def _apply(api, path, name, **fields):
    metadata = {"name": name, "namespace": SERVICE}
    api.apply(path, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, **fields})


@pytest.fixture(scope="module")
def accounts(plane, api, yunikorn):
    """Those of the keeper and of Archer's worker, with the rights that components give them."""
    for name in (SERVICE, ARCHER):
        api.apply_all(
            [
                {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}},
                {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name, "namespace": name}},
            ]
        )
    api.apply_all(
        [
            *bound_role(SERVICE, SERVICE, OWN_RIGHTS, SERVICE),
            *bound_role(SERVICE, "yunikorn", SCHEDULER_RIGHTS, SERVICE),
            *bound_role(ARCHER, SERVICE, AMOUNTS_RIGHTS, ARCHER),
        ]
    )
    return [ServiceAccount(account(plane, name, name, name), plane.endpoint) for name in (SERVICE, ARCHER)]


@pytest.fixture(scope="module")
def postgresql():
    server = PostgreSQL()
    yield server
    server.end()


@pytest.fixture
def stage(plane, api, accounts, other_queues, postgresql, eventually):
    """Archer without a plan, and a cluster of which it knows the settings."""
    _apply(api, AMOUNTS, QUEUE_AMOUNTS)
    with postgresql.database() as address, Stage(api, yunikorn_url(plane), address, accounts) as stage:
        stage.up(OURS)
        eventually(lambda: stage.client.get("/v1/plans").json()["clusters"])
        eventually(lambda: stage.right(None))
        yield stage
        api.delete(GIVEN)
        eventually(lambda: config_map.keeper_queues(api.get(CONFIGS)) is None)
    api.delete(AMOUNTS)


def test_a_plan_is_in_force_on_the_scheduler_hour_by_hour_and_gone_once_it_is_withdrawn(stage, eventually):
    made = stage.apply("monday", BY_HOUR)
    eventually(lambda: stage.right(made))
    assert not stage.right(None)

    stage.now = NIGHT + timedelta(hours=1)
    eventually(lambda: stage.right(made))
    assert not stage.right(made, now=NIGHT)
    # By day there are eight of ten nodes.
    stage.now = NIGHT + timedelta(hours=9)
    eventually(lambda: stage.right(made))

    [cluster] = stage.client.get("/v1/plans").json()["clusters"]
    assert cluster["revision"] == stage.in_force["number"] == stage.revision
    stage.now = NIGHT
    stage.step("withdraw")
    eventually(lambda: stage.right(None))
    assert config_map.keeper_queues(stage.api.get(CONFIGS)) is None


def test_a_rollback_has_the_amounts_of_before_in_force(stage, eventually):
    monday = stage.apply("monday", [amounts("30", "60Gi")])
    tuesday = stage.apply("tuesday", [amounts("36", "72Gi")])
    eventually(lambda: stage.right(tuesday))

    stage.step("monday/rollback")

    eventually(lambda: stage.right(monday))


def test_a_cluster_that_was_away_gets_what_is_in_force_when_it_is_back(stage, eventually):
    monday = stage.apply("monday", [amounts("30", "60Gi")])
    eventually(lambda: stage.right(monday))
    stage.leave()
    stage.apply("tuesday", [amounts("36", "72Gi")])
    wednesday = stage.apply("wednesday", [amounts("33", "66Gi")])
    assert stage.right(monday), "what was in force stays"
    [cluster] = stage.client.get("/v1/plans").json()["clusters"]
    assert cluster["revision"] < stage.in_force["number"]

    stage.come_back()

    eventually(lambda: stage.right(wednesday))


def test_an_up_with_other_settings_takes_nothing_back_and_brings_its_queues(stage, eventually):
    made = stage.apply("monday", [amounts("30", "60Gi")])
    eventually(lambda: stage.right(made))
    queues = {"organizations": {**QUEUES["organizations"]}}
    acme = queues["organizations"]["acme"]
    queues["organizations"]["acme"] = {
        **acme,
        "projects": {**acme["projects"], "adhoc": {"tiers": {3: {"maximum": {"cpu": "5"}}}}},
    }
    other = settings(queues, SCHEDULE, least={1: 50})

    stage.up(other)

    eventually(lambda: stage.right(made, other))
    assert stage.metrics.registry.get_sample_value("moka_queue_keeper_other_settings") == 1


def test_another_hand_in_the_amounts_is_put_right(stage, eventually):
    made = stage.apply("monday", [amounts("30", "60Gi")])
    eventually(lambda: stage.right(made))

    stage.api.merge(AMOUNTS, {"binaryData": None})

    eventually(lambda: queue_amounts.KEY in (stage.api.get(AMOUNTS).get("binaryData") or {}))
    eventually(lambda: stage.right(made))


def test_who_comes_late_with_an_older_revision_writes_nothing(stage, eventually):
    """A courier has read what is in force and the cluster; before it writes, another brings a later one."""
    stage.leave()

    class Late:
        """The API, which another courier reaches first."""

        async def get(self, path):
            return await stage.other.get(path)

        async def merge(self, path, changes, manager):
            if not self.overtaken:
                self.overtaken = True
                await asyncio.to_thread(stage.apply, "newer", [amounts("36", "72Gi")])
                await Courier(stage.pool, CLUSTER, stage.other).go()
            return await stage.other.merge(path, changes, manager)

        overtaken = False

    stage.apply("older", [amounts("30", "60Gi")])
    late = Courier(stage.pool, CLUSTER, Late())
    stage.run(late.go())

    held = queue_amounts.of_config_map(stage.api.get(AMOUNTS))
    assert (held.plan, held.revision) == ("newer", stage.in_force["number"])
    [cluster] = stage.client.get("/v1/plans").json()["clusters"]
    assert cluster["revision"] == held.revision


def test_a_later_revision_than_archers_is_left_alone(stage):
    """As after its database was restored to a time before."""
    stage.leave()
    stage.apply("monday", [amounts("30", "60Gi")])
    later = {"data": {"revision": str(stage.in_force["number"] + 1_000_000)}, "binaryData": None}
    stage.api.merge(AMOUNTS, later)

    stage.run(Courier(stage.pool, CLUSTER, stage.other).go())

    assert stage.api.get(AMOUNTS).get("binaryData") is None


def test_archer_may_write_the_amounts_and_nothing_else(api, stage):
    own = api.as_account(ARCHER, ARCHER)

    assert own.get(GIVEN) and own.get(AMOUNTS)
    own.merge(AMOUNTS, {"metadata": {"labels": {"a": "b"}}})
    config_maps = f"/api/v1/namespaces/{SERVICE}/configmaps"
    made = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "mine", "namespace": SERVICE}}
    for refused in (
        lambda: own.get(config_maps),
        lambda: own.merge(GIVEN, {"data": {"x": "y"}}),
        lambda: own.delete(AMOUNTS),
        lambda: own.create(config_maps, made),
        lambda: own.get(f"/api/v1/namespaces/{SERVICE}/secrets"),
    ):
        with pytest.raises(Refusal, match="forbidden"):
            refused()
