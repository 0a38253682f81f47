"""The keeper with its own account, the real API server and the real scheduler; tests set its clock."""

import asyncio
import json
import threading
import urllib.request
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import uuid4
from zoneinfo import ZoneInfo

import pytest

from commands.yunikorn_api import SchedulerUnreachable, queue_differences
from localcloud.control_plane.stand_ins import charts
from localcloud.control_plane.stand_ins.accounts import account
from localcloud.control_plane.stand_ins.charts import yunikorn_url
from localcloud.errors import Refusal
from moka.components.kubernetes.queue_keeper import OWN_RIGHTS, SCHEDULER_RIGHTS, SERVICE
from moka.names import priority_class
from moka.queues import config_map, keeper_input, queues_yaml
from moka.queues.calendar import Calendar
from moka.queues.definitions import Queues
from services.common.kubernetes import Api, ServiceAccount
from services.common.metrics import Metrics
from services.queue_keeper.keeper import Keeper
from tests.support.priority_classes import apply_priority_classes
from tests.support.roles import bound_role

CONFIGS = "/api/v1/namespaces/yunikorn/configmaps/yunikorn-configs"
GIVEN = f"/api/v1/namespaces/{SERVICE}/configmaps/queue-calendar"
ZONE = ZoneInfo("America/New_York")
DAY, NIGHT = (datetime(2026, 11, 26, hour, tzinfo=ZONE) for hour in (12, 3))
EVENING = datetime(2026, 11, 26, 21, tzinfo=ZONE)

CALENDAR = Calendar.model_validate(
    {
        "capacity": {"cpu": "40", "memory": "40Gi"},
        "node_order": "binpacking",
        "node_groups": {
            "driver": {"maximum": 1, "cpu": "4", "memory": "4Gi"},
            "executor": {
                "maximum": 9,
                "cpu": "4",
                "memory": "4Gi",
                "time_zone": "America/New_York",
                "changes": {
                    "night": {"cron": "0 21 * * *", "maximum": 9},
                    "day": {"cron": "0 7 * * *", "maximum": 4},
                },
            },
        },
    }
)
"""By day there are half of all nodes."""

REPORTS, MODELS = "root.analytics.reports.tier2", "root.science.models.tier2"


def queues_of(*science: str) -> Queues:
    tiers = {"weight": 1, "tiers": {2: {"weight": 1}}}
    organizations = {
        "analytics": {"weight": 1, "maximum": {"percent": 50}, "projects": {"reports": tiers}},
        "science": {"weight": 1, "projects": dict.fromkeys(science, tiers)},
    }
    return Queues.model_validate({"organizations": organizations})


QUEUES, MORE_QUEUES = queues_of("models"), queues_of("models", "vision")


@dataclass
class Stage:
    """A keeper that runs in a thread, and what it and a stack write."""

    api: Any
    account: ServiceAccount
    url: str
    now: datetime = NIGHT
    metrics: Metrics = field(default_factory=lambda: Metrics("queue_keeper"))

    def start(self) -> None:
        self.metrics = Metrics("queue_keeper")
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_until_complete, args=(self._run(),), daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._task.cancel)
        self._thread.join()
        self._loop.close()

    async def _run(self) -> None:
        async with Api(self.account) as api:
            keeper = Keeper(api, SERVICE, self.metrics, now=lambda: self.now, seconds=0.2)
            self._task = asyncio.create_task(keeper.run())
            await asyncio.wait([self._task])

    def give(self, queues: Queues) -> None:
        """What `up` gives the keeper."""
        self.api.apply(
            GIVEN,
            {
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": {"name": "queue-calendar", "namespace": SERVICE},
                "data": keeper_input.data(queues, CALENDAR),
            },
        )

    def right(self, queues: Queues, now: datetime | None = None) -> bool:
        """Whether the scheduler has the queues as they should be at a time."""
        at = now or self.now
        tree = CALENDAR.tree(queues, CALENDAR.nodes(CALENDAR.changes(at)))[0]
        try:
            return not queue_differences(tree, self.url)
        except SchedulerUnreachable:
            return False

    def guaranteed(self, path: str) -> int:
        """Thousandths of cores that the scheduler guarantees a queue."""
        url = f"{self.url}/ws/v1/partition/default/queue/{path}"
        with urllib.request.urlopen(url, timeout=10) as answer:
            return int(json.load(answer)["guaranteedResource"]["vcore"])

    @property
    def kept(self) -> str | None:
        return config_map.keeper_queues(self.api.get(CONFIGS))


@pytest.fixture(scope="module")
def home(plane, api, yunikorn):
    """The keeper's account, with the rights that its component gives it."""
    apply_priority_classes(api)
    api.apply_all(
        [
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": SERVICE}},
            {
                "apiVersion": "v1",
                "kind": "ServiceAccount",
                "metadata": {"name": SERVICE, "namespace": SERVICE},
            },
            *bound_role(SERVICE, SERVICE, OWN_RIGHTS, SERVICE),
            *bound_role(SERVICE, "yunikorn", SCHEDULER_RIGHTS, SERVICE),
        ]
    )
    folder = account(plane, SERVICE, SERVICE, SERVICE)
    return ServiceAccount(folder, plane.endpoint)


@pytest.fixture
def up(other_queues):
    """What `up` gives the scheduler."""
    return lambda queues: other_queues(queues_yaml(CALENDAR.tree(queues, CALENDAR.all_nodes)[0]))


@pytest.fixture
def stage(plane, api, home, up, eventually):
    """Night: a keeper runs, and all nodes may be there."""
    stage = Stage(api, home, yunikorn_url(plane))
    up(QUEUES)
    stage.give(QUEUES)
    stage.start()
    eventually(lambda: stage.right(QUEUES))
    yield stage
    api.delete(GIVEN)
    eventually(lambda: stage.kept is None)
    stage.stop()


def submit(api, namespace, queue):
    """A pod of six cores; its name."""
    name = f"{queue.split('.')[1]}-{uuid4().hex[:8]}"
    labels = {"yunikorn.apache.org/app-id": name, "yunikorn.apache.org/queue": queue}
    requests = {"cpu": "6", "memory": "1Gi"}
    api.create(
        f"/api/v1/namespaces/{namespace}/pods",
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": name, "labels": labels},
            "spec": {
                "schedulerName": "yunikorn",
                "priorityClassName": priority_class(2),
                "containers": [{"name": "main", "image": "any", "resources": {"requests": requests}}],
            },
        },
    )
    return name


@pytest.fixture
def pods(api, namespace, eventually):
    """Pods of a namespace that is emptied: submit one, or ask whether one runs."""
    path = f"/api/v1/namespaces/{namespace}/pods"

    class Pods:
        def submit(self, queue):
            return submit(api, namespace, queue)

        def runs(self, name):
            return api.get(f"{path}/{name}")["status"].get("phase") == "Running"

    yield Pods()
    api.delete(path, gracePeriodSeconds=0)
    eventually(lambda: not api.list(path))


def test_a_scheduled_time_lowers_the_queues_and_what_runs_goes_on(stage, pods, eventually):
    running = [pods.submit(REPORTS) for _ in range(2)]
    eventually(lambda: all(map(pods.runs, running)))
    assert stage.guaranteed("root.analytics") == 20_000

    stage.now = DAY
    eventually(lambda: stage.right(QUEUES))
    assert stage.guaranteed("root.analytics") == 10_000
    # Twelve cores are in use, and now at most ten may be.
    waits, other = pods.submit(REPORTS), pods.submit(MODELS)
    eventually(lambda: pods.runs(other))
    assert all(map(pods.runs, running))
    assert not pods.runs(waits)

    stage.now = EVENING
    eventually(lambda: stage.right(QUEUES))
    eventually(lambda: pods.runs(waits))
    assert stage.guaranteed("root.analytics") == 20_000
    assert stage.kept is None, "what the settings say is in force by itself"


def test_a_keeper_that_starts_anew_makes_up_for_what_it_missed(stage, eventually):
    stage.now = DAY
    eventually(lambda: stage.right(QUEUES))
    stage.stop()
    stage.now = EVENING
    assert stage.right(QUEUES, DAY), "what was in force stays"

    stage.start()

    eventually(lambda: stage.right(QUEUES))


def test_another_hand_in_what_it_keeps_is_put_right(stage, api, eventually):
    stage.now = DAY
    eventually(lambda: stage.right(QUEUES))
    text = stage.kept

    api.merge(CONFIGS, {"binaryData": {config_map.KEPT_KEY: config_map.pack("by hand")}})
    eventually(lambda: stage.kept == text)
    api.merge(CONFIGS, {"binaryData": None})
    eventually(lambda: stage.kept == text)

    eventually(lambda: stage.right(QUEUES))


def test_other_queues_of_the_settings_come_into_force_by_day(stage, up, eventually):
    stage.now = DAY
    eventually(lambda: stage.right(QUEUES))

    up(MORE_QUEUES)
    stage.give(MORE_QUEUES)

    eventually(lambda: stage.right(MORE_QUEUES))


def test_without_a_keeper_they_do_at_once_by_night_and_by_day_once_it_is_back(stage, up, eventually):
    stage.stop()
    up(MORE_QUEUES)
    stage.give(MORE_QUEUES)
    eventually(lambda: stage.right(MORE_QUEUES))

    stage.now = DAY
    stage.start()
    eventually(lambda: stage.right(MORE_QUEUES))
    stage.stop()
    up(QUEUES)
    stage.give(QUEUES)
    assert stage.right(MORE_QUEUES), "of the day are those that it kept last"

    stage.start()
    eventually(lambda: stage.right(QUEUES))


def test_a_scheduler_that_starts_anew_begins_with_what_is_in_force(stage, plane, yunikorn, eventually):
    stage.now = DAY
    eventually(lambda: stage.right(QUEUES))
    stage.stop()
    plane.process(yunikorn.key).stop()

    assert charts.apply(plane, yunikorn)

    eventually(lambda: stage.right(QUEUES))
    stage.start()


def test_it_may_do_nothing_else(api, stage):
    own = api.as_account(SERVICE, SERVICE)

    assert own.get(GIVEN) and own.get(CONFIGS)
    for path in (
        f"/api/v1/namespaces/{SERVICE}/configmaps",
        "/api/v1/namespaces/yunikorn/configmaps",
        "/api/v1/namespaces/yunikorn/configmaps/yunikorn-defaults",
        f"/api/v1/namespaces/{SERVICE}/secrets",
        "/api/v1/pods",
    ):
        with pytest.raises(Refusal, match="forbidden"):
            own.get(path)
    for path in (GIVEN, "/api/v1/namespaces/yunikorn/configmaps/yunikorn-defaults"):
        with pytest.raises(Refusal, match="forbidden"):
            own.merge(path, {"data": {"queues.yaml": ""}})
    with pytest.raises(Refusal, match="forbidden"):
        own.delete(CONFIGS)
