import pytest

from aws_rules.eks.drain import drain, drain_minutes


def pod(grace=30, labels=None, owner="ReplicaSet", phase="Running"):
    return {
        "metadata": {
            "name": "a",
            "namespace": "spark",
            "labels": labels or {},
            "ownerReferences": [{"kind": owner}],
        },
        "spec": {"terminationGracePeriodSeconds": grace},
        "status": {"phase": phase},
    }


def budget(desired, expected):
    return {
        "metadata": {"name": "all", "namespace": "spark"},
        "spec": {"selector": {"matchLabels": {"app": "a"}}},
        "status": {"desiredHealthy": desired, "expectedPods": expected},
    }


@pytest.mark.parametrize(
    ("pods", "budgets", "remedy"),
    [
        ([pod(labels={"app": "a"})], [budget(3, 3)], "loosen PodDisruptionBudget all"),
        ([pod(grace=3600)], [], "shorten its termination grace period of 3600 s"),
    ],
)
def test_pods_that_cannot_leave_fail_an_update(pods, budgets, remedy):
    [refusal] = drain("system of main", pods, budgets)

    assert refusal.code == "PodEvictionFailure"
    assert refusal.remedy.startswith(remedy)


@pytest.mark.parametrize(
    ("pods", "budgets"),
    [
        ([pod(labels={"app": "a"})], [budget(2, 3)]),
        ([pod(labels={"app": "b"})], [budget(3, 3)]),
        ([pod(grace=3600, owner="DaemonSet")], []),
        ([pod(grace=3600, phase="Succeeded")], []),
    ],
)
def test_pods_that_leave_or_are_not_evicted_do_not(pods, budgets):
    assert list(drain("system of main", pods, budgets)) == []


def test_a_drain_takes_as_long_as_its_slowest_pod_and_at_most_fifteen_minutes():
    assert drain_minutes([]) == 2
    assert drain_minutes([pod(), pod(grace=660)]) == 11
    assert drain_minutes([pod(grace=36000)]) == 15
