import pytest

from localcloud.plugins.kubernetes import readiness
from localcloud.plugins.kubernetes.kinds import Kind

READY = {"status": {"conditions": [{"type": "Ready", "status": "True"}]}}
STARTING = {"status": {"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "True"}]}}
SHORT = {
    "status": {
        "phase": "Pending",
        "conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}],
    }
}


@pytest.mark.parametrize(
    "pods, full",
    [
        ([READY, READY, READY], True),
        ([READY, SHORT, SHORT], True),
        ([READY, SHORT], True),  # one after the other: the next is not made before this one is ready
        ([READY, SHORT, STARTING], False),
        ([READY, READY], False),
        ([SHORT, SHORT, SHORT], False),
        ([], False),
    ],
)
def test_with_few_machines_as_many_pods_are_waited_for_as_they_hold_and_at_least_one(pods, full):
    assert readiness.machines_full(3, pods).ready is full


def test_how_many_find_no_machine_is_said():
    assert (
        readiness.machines_full(3, [STARTING, SHORT, SHORT]).reason
        == "0 of 3 pods are ready, 2 find no machine"
    )


@pytest.mark.parametrize(
    "kind, count",
    [
        (Kind("apps", "v1", "StatefulSet"), 24),
        (Kind("apps", "v1", "Deployment"), 24),
        (Kind("apps", "v1", "DaemonSet"), 0),
        (Kind("example.com", "v1", "StatefulSet"), 0),
    ],
)
def test_pods_are_counted_where_an_object_says_how_many_it_wants(kind, count):
    assert readiness.replicas(kind, {"spec": {"replicas": 24}}) == count
