from functools import reduce

import pytest

from tests.support.wrong_settings import REMOVED, Changes

ORGANIZATION = "queues.organizations.analytics"
PROJECT = f"{ORGANIZATION}.projects.reports"
TIERS = f"{PROJECT}.tiers"

NESTED_QUEUES: Changes = reduce(lambda queues, _: {"queues": queues}, range(99), {})

# What is changed in stacks/local.yaml, by its place there, and what the message has to say.
MISTAKES: dict[str, tuple[Changes, str]] = {
    "a queue with more promised than allowed": (
        {f"{TIERS}.1.guaranteed.cpu": "100"},
        f"{TIERS}.1.guaranteed.cpu: is 100, more than the maximum of 64; lower it, or raise the maximum",
    ),
    "queues with more promised than their organization": (
        {f"{ORGANIZATION}.guaranteed": {"cpu": "20", "memory": "192Gi"}},
        f"{ORGANIZATION}.guaranteed.cpu: is 20, less than its queues are guaranteed in total, 24; raise it",
    ),
    "a queue that may have more than its project": (
        {f"{PROJECT}.maximum": {"memory": "256Gi"}},
        f"{TIERS}.1.maximum.memory: is 512Gi, more than the maximum of root.analytics.reports, 256Gi; lower",
    ),
    "a queue that is promised nothing": (
        {f"{TIERS}.1.guaranteed.cpu": "0"},
        f"{TIERS}.1.guaranteed.cpu: is '0'; write cores as '4' or 500m",
    ),
    "a queue that is promised less than nothing": (
        {f"{TIERS}.1.guaranteed.cpu": "-4"},
        f"{TIERS}.1.guaranteed.cpu: is '-4'; write cores as '4' or 500m",
    ),
    "half a core": (
        {f"{TIERS}.1.guaranteed.cpu": "0.5"},
        "guaranteed.cpu: is '0.5'; write cores as '4' or 500m",
    ),
    "a queue promised in two ways": (
        {f"{TIERS}.1.weight": 2},
        f"{TIERS}.1: has both guaranteed and weight; keep one.",
    ),
    "a weight of nothing": (
        {f"{ORGANIZATION}.weight": 0},
        f"{ORGANIZATION}.weight: is 0; input should be greater",
    ),
    "a weight without a capacity": (
        {"queues.capacity": REMOVED, f"{ORGANIZATION}.weight": 2},
        f"{ORGANIZATION}.weight: is a share of the capacity of the cluster, but there is none; set `capa",
    ),
    "a weight in a project that is promised nothing": (
        {f"{TIERS}.3": {"weight": 1}},
        f"{TIERS}.3.weight: is a share of what the project is guaranteed, but there is none; give it `guar",
    ),
    "a weight of what others have": (
        {"queues.capacity": {"cpu": "10", "memory": "1Ti"}, f"{ORGANIZATION}.weight": 2},
        f"{ORGANIZATION}.weight: is a share of what the queues beside it leave of the capacity of the",
    ),
    "a percentage without a capacity": (
        {"queues.capacity": REMOVED, f"{ORGANIZATION}.maximum": {"percent": 50}},
        f"{ORGANIZATION}.maximum.percent: is a share of the capacity of the cluster, but there is none",
    ),
    "a percentage that is too little for its queues": (
        {"queues.capacity": {"cpu": "100", "memory": "1Ti"}, f"{ORGANIZATION}.maximum": {"percent": 10}},
        f"{ORGANIZATION}.maximum.percent: its cpu is 10, less than its queues are guaranteed in total, 24",
    ),
    "a maximum in two ways": (
        {f"{TIERS}.1.maximum": {"percent": 10}},
        f"{TIERS}.1.maximum: has both percent and amounts; keep one.",
    ),
    "a maximum of nothing": (
        {f"{ORGANIZATION}.maximum": {}},
        f"{ORGANIZATION}.maximum: is empty; set cpu, memory, gpu or percent, or remove it.",
    ),
    "more jobs in a queue than in its project": (
        {f"{PROJECT}.max_applications": 4, f"{TIERS}.1.max_applications": 5},
        f"{TIERS}.1.max_applications: is 5, more than the 4 of root.analytics.reports; lower it",
    ),
    "a limit of nobody": (
        {f"{PROJECT}.limits": [{"max_applications": 1}]},
        f"{PROJECT}.limits.0: names no users or groups; name some, or '*' for all others",
    ),
    "a user with more jobs than there may be": (
        {f"{PROJECT}.max_applications": 4, f"{PROJECT}.limits": [{"users": ["ann"], "max_applications": 9}]},
        f"{PROJECT}.limits.0.max_applications: is 9, more than the 4 of root.analytics.reports; lower it",
    ),
    "a capacity that no nodes have": (
        {"queues.capacity": {"cpu": "100", "memory": "100Ti"}},
        "queues.capacity.memory: is 100Ti, but nodes for drivers and executors of cluster 'spark-a' "
        "have at most 2560Gi; lower it, set `capacity` of the cluster, or raise the maximum of its "
        "node groups.",
    ),
    "a capacity of the cluster's own that no nodes have": (
        {"clusters.spark-a.capacity": {"cpu": "1000", "memory": "1Ti"}},
        "clusters.spark-a.capacity.cpu: is 1000, but nodes for drivers and executors of cluster "
        "'spark-a' have at most 320; lower it, set `capacity` of the cluster, or raise the maximum "
        "of its node groups.",
    ),
    "more promised than there is": (
        {"queues.capacity": {"cpu": "20", "memory": "1Ti"}},
        "queues.organizations: are guaranteed 34 of cpu in total, but cluster 'spark-a' has 20 (its "
        "capacity); guarantee less, or use weights.",
    ),
    "a tier one that may be preempted": (
        {"queues.tiers": {1: {"preemption": "default"}}},
        "queues.tiers.1.preemption: is 'default', but tier 1 must never be preempted; remove it.",
    ),
    "a tier one that waits longest": (
        {"queues.tiers": {1: {"delay_seconds": 40}}},
        "queues.tiers.1.delay_seconds: makes tier 1 wait 40 s, longer than the 30 s of tier 2; the more",
    ),
    "a policy that YuniKorn lacks": (
        {"queues.tiers": {2: {"sort": "stateaware"}}},
        "queues.tiers.2.sort: is 'stateaware'; input should be 'fifo' or 'fair'",
    ),
    "queues of a hundred levels": (
        {f"{TIERS}.1.queues": NESTED_QUEUES},
        f"{TIERS}.1.queues: unknown key; queues have three levels: organization, project and tier.",
    ),
    "an organization without projects": (
        {f"{ORGANIZATION}.projects": {}},
        f"{ORGANIZATION}.projects: is {{}}; dictionary should have at least 1 item",
    ),
    "an organization in upper case": (
        {"queues.organizations.Analytics": "copy of analytics"},
        "queues.organizations.Analytics: the key 'Analytics'; write lower case, digits and dashes, at most ",
    ),
    "queues and a file of them": (
        {"queues_from": "local.queues.yaml"},
        "queues_from: cannot be combined with `queues`; keep one of the two.",
    ),
    "a file of queues that is not there": (
        {"queues": REMOVED, "queues_from": "lcal.queues.yaml"},
        "queues_from: is 'lcal.queues.yaml', but there is no such file beside it; name one such as "
        "prod.queues.yaml.",
    ),
    "a file of queues elsewhere": (
        {"queues": REMOVED, "queues_from": "../local.queues.yaml"},
        "queues_from: is '../local.queues.yaml', but there is no such file beside it; name one such "
        "as prod.queues.yaml.",
    ),
    "a fourth tier": (
        {f"{TIERS}.4": "copy of 1"},
        f"{TIERS}.4: the key '4'; input should be less than or equal to 3",
    ),
    "memory in no unit": (
        {f"{TIERS}.1.maximum.memory": "512"},
        "tiers.1.maximum.memory: is '512'; write memory as 512Mi, 64Gi or 2Ti",
    ),
}


@pytest.mark.parametrize(("changes", "expected"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes_are_refused_before_anything_is_registered(changes, expected, refusal):
    assert expected in refusal(changes)


def test_more_queues_than_a_config_map_holds_are_refused(refusal, monkeypatch):
    monkeypatch.setattr("stacks.settings.checks.queues.MAX_KIB", 1)

    assert "queues: are 2 KiB on spark-a, and YuniKorn reads them from a ConfigMap" in refusal({})


EXECUTORS = "clusters.spark-a.node_groups.executor-arm64"
NIGHTLY = {
    f"{EXECUTORS}.schedule": {
        "night": {"cron": "0 20 * * *", "minimum": 0, "maximum": 8},
        "day": {"cron": "0 6 * * *", "minimum": 0, "maximum": 2},
    },
    f"{EXECUTORS}.time_zone": "Europe/Berlin",
}

# The same of schedules, which leave queues less by day.
SCHEDULED: dict[str, tuple[Changes, str]] = {
    "more promised than there is by day": (
        {"queues.capacity": {"cpu": "40", "memory": "1Ti"}},
        f"{EXECUTORS}.schedule.day.maximum: is 2 from '0 6 * * *' (Europe/Berlin) on, and then "
        "queues.organizations: are guaranteed 34 of cpu in total, but cluster 'spark-a' has 28 (its "
        "capacity); use weights, or raise the maximum.",
    ),
    "a percentage that is too little by day": (
        {f"{ORGANIZATION}.maximum": {"percent": 25}},
        f"{EXECUTORS}.schedule.day.maximum: is 2 from '0 6 * * *' (Europe/Berlin) on, and then "
        f"{ORGANIZATION}.maximum.percent: its cpu is 22400m, less than its queues are guaranteed in total, "
        "24; use weights, or raise the maximum.",
    ),
    "queues that nobody lowers": (
        {"services.queue_keeper": REMOVED},
        "services.queue_keeper: is not set, but a schedule of cluster 'spark-a' lowers what queues are "
        "shares of, and they would promise machines that are not there; set it.",
    ),
}


@pytest.mark.parametrize(("changes", "expected"), SCHEDULED.values(), ids=SCHEDULED)
def test_what_a_schedule_leaves_is_enough_for_what_is_promised(changes, expected, refusal):
    assert expected in refusal(NIGHTLY | changes)
