"""The recorder with its own account, the real API server and the real scheduler, and moto's S3."""

import json
import time
import urllib.request

import pytest

from localcloud.control_plane.stand_ins import pods as pods_network
from localcloud.control_plane.stand_ins.accounts import account
from localcloud.control_plane.stand_ins.charts import yunikorn_url
from moka.components.kubernetes.usage_recorder import NODE_RIGHTS
from moka.names import USAGE_RECORDER, WORKFLOW_LABEL
from moka.usage import places
from moka.usage.records import APPLICATIONS, GAPS, PROFILES
from moka.usage.summaries import UNKNOWN
from services.common.kubernetes import Api, ServiceAccount
from services.common.metrics import Metrics
from services.usage_recorder.machines import Machines
from services.usage_recorder.recorder import Recorder
from services.usage_recorder.scheduler import Scheduler
from services.usage_recorder.sources import Sources
from services.usage_recorder.summary_objects import SummaryObjects
from tests.support.loops import run_apart
from tests.support.moto_server import moto_server
from tests.support.roles import bound_cluster_role
from tests.unit.services.usage_recorder.stage import CLUSTER, EKS_CLUSTER, Stage, client_of

QUEUE = "root.acme.etl"
SCHEDULER = "http://yunikorn-service.yunikorn:9080"
"""As its component names it: the laptop's pod network leads there."""


@pytest.fixture(scope="module")
def home(plane, api):
    """The recorder's account, with the right that its component gives it."""
    metadata = {"name": USAGE_RECORDER, "namespace": USAGE_RECORDER}
    api.apply_all(
        [
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": USAGE_RECORDER}},
            {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata},
            *bound_cluster_role(USAGE_RECORDER, NODE_RIGHTS, USAGE_RECORDER),
        ]
    )
    return ServiceAccount(account(plane, USAGE_RECORDER, USAGE_RECORDER, USAGE_RECORDER), plane.endpoint)


@pytest.fixture
def bucket(tmp_path):
    """A bucket of moto's, and what is in its tables."""
    with moto_server() as url:
        yield Stage(client_of(url), tmp_path)


def pod(name, application, cores):
    resources = {"requests": {"cpu": cores, "memory": "2Gi"}}
    labels = {
        "yunikorn.apache.org/app-id": application,
        "yunikorn.apache.org/queue": QUEUE,
        WORKFLOW_LABEL: "nightly",
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": labels},
        "spec": {
            "schedulerName": "yunikorn",
            "containers": [{"name": "main", "image": "any", "resources": resources}],
        },
    }


def test_what_the_real_scheduler_gave_out_is_recorded_once_across_a_recorder_that_dies(
    plane, api, yunikorn, namespace, home, bucket, until, eventually, monkeypatch
):
    pods, application = f"/api/v1/namespaces/{namespace}/pods", f"nightly-{namespace}"
    url = yunikorn_url(plane)
    for name, value in pods_network.variables(plane).items():
        monkeypatch.setenv(name, value)

    def run(work):
        """Do this with a recorder that has just taken over, and dies afterwards."""

        async def session():
            async with Api(home) as kubernetes, Scheduler(SCHEDULER) as scheduler:
                sources = Sources(
                    cluster=CLUSTER,
                    eks_cluster=EKS_CLUSTER,
                    bucket=bucket.bucket(),
                    scheduler=scheduler,
                    machines=Machines(kubernetes),
                    summaries=SummaryObjects(bucket.bucket(), EKS_CLUSTER, CLUSTER),
                    folder=bucket.folder,
                )
                begun = await Recorder(sources, Metrics("usage_recorder")).begin()
                await begun.follower.step()
                await work(begun)

        run_apart(session())

    def start(name, cores):
        api.create(pods, pod(name, application, cores))
        until(
            api,
            pods,
            lambda live: live["metadata"]["name"] == name and live["status"].get("phase") == "Running",
        )

    def ended():
        with urllib.request.urlopen(f"{url}/ws/v1/partition/default/applications/completed") as answer:
            return any(one["applicationID"] == application for one in json.load(answer))

    async def nothing(_):
        """It dies with what it has read."""

    start("driver", "1")
    run(lambda session: session.save())
    start("executor", "2")
    run(nothing)
    for name in ("executor", "driver"):
        api.delete(f"{pods}/{name}", gracePeriodSeconds=0)
    eventually(ended)
    log = plane.process(yunikorn.key).log.read_text().splitlines()
    bucket.bring("120000-aaaaaaaa", [line for line in log if application in line], day=_today())

    async def to_the_end(session):
        await session.save()
        session._hour -= 1
        await session.tidy()

    run(to_the_end)

    [row] = [one for one in bucket.rows(APPLICATIONS) if one["application"] == application]
    assert (row["workflow"], row["namespace"], row["outcome"]) == ("nightly", namespace, "completed")
    assert row["sources"] == "active,completed,events,summary"
    rows = [one for one in bucket.rows(PROFILES) if one["workflow"] == "nightly"]
    assert {one["instance_type"] for one in rows} <= {"m7g.4xlarge", "m7i.4xlarge"}
    keys = [(one["instance_type"], one["began"]) for one in rows]
    assert len(keys) == len(set(keys))
    used = sum(one["cpu"] * (one["ended"] - one["began"]) for one in rows) / 1000
    by_summary, by_events = (
        sum(part["cpu"] for part in row["usage"] if (part["instance_type"] == UNKNOWN) == unknown)
        for unknown in (True, False)
    )
    # YuniKorn counts whole seconds of each pod.
    assert by_summary <= used < by_summary + 3000
    assert used - 2 <= by_events <= used
    assert bucket.rows(GAPS) == []


def _today():
    return f"{places.day_of(int(time.time() * 1000)):%Y/%m/%d}"
