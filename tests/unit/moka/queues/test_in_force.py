"""Answers as YuniKorn 1.8 gives them; tests/local/control_plane/test_queues_read_back.py has real ones."""

import copy

import pytest

from moka.queues import Leaf, Resources, grow
from moka.queues.in_force import differences
from moka.queues.rendering import document

TREE = grow([Leaf(organization="o", project="p", tier=2, guaranteed=Resources.of("2", "1Gi"))])
LEAF = {
    "queuename": "root.o.p.tier2",
    "status": "Active",
    "guaranteedResource": {"vcore": 2000, "memory": 2**30},
    "preemptionEnabled": True,
    "isPreemptionFence": False,
    "preemptionDelay": "30s",
    "sortingPolicy": "fifo",
    "isPriorityFence": True,
    "priorityOffset": 2000,
}
QUEUES = {
    "queuename": "root",
    "status": "Active",
    "children": [
        {
            "queuename": "root.o",
            "status": "Active",
            "children": [{"queuename": "root.o.p", "status": "Active", "children": [LEAF]}],
        }
    ],
}


def sentences(change=None, config=None):
    queues = copy.deepcopy(QUEUES)
    leaf = queues["children"][0]["children"][0]["children"][0]
    leaf.update(change or {})
    return [str(difference) for difference in differences(TREE, queues, config or document(TREE))]


def test_nothing_is_told_of_what_is_as_it_should_be():
    assert sentences() == []


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"status": "Draining"}, "is Draining, but should be Active"),
        ({"guaranteedResource": {"vcore": 2000}}, "has guaranteed memory none, but should have 1Gi"),
        ({"maxResource": {"nvidia.com/gpu": 4}}, "has maximum gpu 4, but should have none"),
        ({"maxRunningApps": 7}, "has at most 7 jobs, but should have any number of jobs"),
        ({"preemptionEnabled": False}, "has preemption disabled, but should have default"),
        ({"isPreemptionFence": True}, "has preemption fence, but should have default"),
        ({"preemptionDelay": "1h1m1s"}, "has a delay of 3661 s, but should have 30 s"),
        ({"preemptionDelay": "1.5s"}, "has a delay of 1.5 s, but should have 30 s"),
        ({"sortingPolicy": "fair"}, "has jobs sorted fair, but should have fifo"),
        ({"isPriorityFence": False}, "has priority of its pods, but should have 2000"),
        ({"priorityOffset": 5}, "has priority 5, but should have 2000"),
    ],
)
def test_each_difference_is_one_sentence(change, says):
    assert sentences(change) == [f"root.o.p.tier2 {says}."]


def test_a_queue_that_went_says_what_still_runs_in_it():
    gone = {**LEAF, "queuename": "root.o.p.tier3", "status": "Draining", "runningApps": 4}
    lost = {"queuename": "root.@recovery@", "status": "Active", "isManaged": False}
    queues = {**QUEUES, "children": [*QUEUES["children"], gone, lost]}

    assert [str(difference) for difference in differences(TREE, queues, document(TREE))] == [
        "root.o.p.tier3 should not exist, but does (Draining, with 4 running jobs)."
    ]


def test_other_placement_rules_are_told():
    config = document(TREE)
    config["partitions"][0]["placementrules"] = [{"name": "tag", "value": "namespace", "create": True}]

    assert sentences(config=config) == ["root places jobs by other rules than the queue that each job names."]
