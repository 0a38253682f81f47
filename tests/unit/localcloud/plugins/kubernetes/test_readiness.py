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


@pytest.mark.parametrize("strategy", ["RollingUpdate", "OnDelete"])
@pytest.mark.parametrize(
    "updated, available, reason",
    [
        (3, 3, ""),
        (2, 3, "2 of 3 pods are of the new template"),
        (3, 2, "2 of 3 pods are available"),
    ],
)
def test_a_daemon_set_is_ready_once_its_new_pod_is_on_every_node(strategy, updated, available, reason):
    status = {
        "observedGeneration": 2,
        "desiredNumberScheduled": 3,
        "updatedNumberScheduled": updated,
        "numberAvailable": available,
    }
    thing = {
        "metadata": {"generation": 2},
        "spec": {"updateStrategy": {"type": strategy}},
        "status": status,
    }

    verdict = readiness.WAITS["apps", "DaemonSet"].judge(thing)

    assert (verdict.ready, verdict.reason) == (not reason, reason)


def test_a_daemon_set_has_the_time_that_the_provider_gives_it():
    """pulumi/pulumi-kubernetes: provider/pkg/await/daemonset.go, _defaultDaemonSetTimeout."""
    assert readiness.WAITS["apps", "DaemonSet"].seconds == 10 * 60
