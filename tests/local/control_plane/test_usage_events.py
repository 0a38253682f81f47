"""What the real scheduler tells of allocations is what it has, and what its summary says of them."""

import json
import urllib.request

import pytest

from localcloud.control_plane.stand_ins.charts import yunikorn_url
from moka.usage.profiles import Profiler
from moka.usage.summaries import summaries

QUEUE = "root.acme.etl"


@pytest.fixture
def ask(plane, yunikorn):
    """The answer of its REST API to a path."""

    def answer(path):
        with urllib.request.urlopen(f"{yunikorn_url(plane)}/ws/v1/{path}", timeout=30) as response:
            return json.load(response)

    return answer


def pod(name, application, cores):
    resources = {"requests": {"cpu": cores, "memory": "2Gi"}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "labels": {"yunikorn.apache.org/app-id": application, "yunikorn.apache.org/queue": QUEUE},
        },
        "spec": {
            "schedulerName": "yunikorn",
            "containers": [{"name": "main", "image": "any", "resources": resources}],
        },
    }


def follow(ask, profiler):
    """Read all events that there are."""
    while (answer := ask(f"events/batch?start={profiler.next_id}"))["EventRecords"]:
        profiler.batch(answer)


def test_events_lists_and_summaries_of_the_scheduler_agree(
    plane, api, yunikorn, namespace, ask, until, eventually
):
    pods, application = f"/api/v1/namespaces/{namespace}/pods", f"daily-{namespace}"
    for name, cores in (("driver", "1"), ("executor", "2")):
        api.create(pods, pod(name, application, cores))
        until(
            api,
            pods,
            lambda live, name=name: (
                live["metadata"]["name"] == name and live["status"].get("phase") == "Running"
            ),
        )
    labels = {node["metadata"]["name"]: node["metadata"]["labels"] for node in api.list("/api/v1/nodes")}
    types = {node: kinds["node.kubernetes.io/instance-type"] for node, kinds in labels.items()}
    # Each application is a workflow of its own, beside those of other tests.
    followed, seeded = (
        Profiler("spark-a", workflow_of=str, instance_type_of=types.__getitem__) for _ in "ab"
    )
    follow(ask, followed)
    seeded.seed(ask("partition/default/applications/active"), next_id=0, at=1)

    by_events, by_list = (one.state()["applications"][application] for one in (followed, seeded))
    assert by_events == by_list
    assert [kind in types.values() for _, kind in by_events[-1].values()] == [True, True]

    for name in ("executor", "driver"):
        api.delete(f"{pods}/{name}", gracePeriodSeconds=0)
    log = plane.process(yunikorn.key).log
    summary = eventually(
        lambda: next(
            (
                one.record
                for one in summaries(log.read_text().splitlines(), "spark-a")
                if one.record is not None and one.record.application == application
            ),
            None,
        )
    )
    follow(ask, followed)
    intervals, _, says, usages = followed.take()

    assert application not in followed.state()["applications"]
    assert not [sentence for sentence in says if application in sentence]
    own = [interval for interval in intervals if interval.workflow == application]
    used = sum(one.cpu * (one.ended - one.began) for one in own) / 1000
    # It counts whole seconds of each pod, and no part of one is as much as its three cores.
    assert sum(part.cpu for part in summary.usage) <= used < sum(part.cpu for part in summary.usage) + 3000
    [by_pods] = [usage.usage for usage in usages if usage.application == application]
    # Rounded down for each type of machine.
    assert used - len(by_pods) <= sum(part.cpu for part in by_pods) <= used
    assert {part.instance_type for part in by_pods} <= set(types.values())
    # A timer of 30 seconds lies between, which may be late.
    assert 0 <= summary.finished - max(one.ended for one in own) < 5000
