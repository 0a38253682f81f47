import json

import pytest

from report.node_groups import NODE_GROUP
from report.subjects.drivers import drivers
from report.subjects.job_admission import POLICY
from report.subjects.machines import machines
from tests.support.report_steps import preview, says, step

UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
RETIRING = {"taints": [{"key": "moka.dev/retiring", "value": "true", "effect": "NO_SCHEDULE"}]}


def group(role="executor", minimum=2, maximum=8, **inputs):
    return {
        "clusterName": "prod-a",
        "nodeGroupName": "nodes",
        "labels": {"moka.dev/role": role},
        "scalingConfig": {"minSize": minimum, "desiredSize": minimum, "maxSize": maximum},
        "updateConfig": {"maxUnavailablePercentage": 25},
        "launchTemplate": {"id": "lt-1", "version": "1"},
        "version": "1.34",
        **inputs,
    }


def change(before, after, subject=machines, **options):
    return subject(preview(step(NODE_GROUP, "nodes", before, after, **options)))


@pytest.mark.parametrize(
    ("inputs", "reason"),
    [
        ({"launchTemplate": {"id": "lt-1", "version": UNKNOWN}}, "a new version of its launch template"),
        ({"version": "1.35"}, "Kubernetes 1.34 → 1.35"),
        ({"releaseVersion": "1.34.1-20261101"}, "AMI release as it was → 1.34.1-20261101"),
    ],
)
def test_a_group_that_rolls_is_told_with_the_time_that_it_takes(inputs, reason):
    section = change(group(), group(**inputs))

    # 2 nodes, one at a time: 5 + 2 x (2 + 1 + 3). 8 nodes, two at a time: 5 + 4 x (15 + 1 + 3).
    assert f"rolls, by {reason}: 2 to 8 nodes, at most 2 at a time, in 17 to 81 minutes" in says(
        section, "look"
    )
    assert "managed-node-update-behavior" in section.remark


@pytest.mark.parametrize(("role", "meaning"), [("driver", "its job fails"), ("shuffle", "shuffle data")])
def test_a_group_that_may_not_roll_stops_a_change(role, meaning):
    assert meaning in says(change(group(role), group(role, version="1.35")), "stop")
    assert meaning in says(change(group(role), group(role), op="replace", forces=("instanceTypes",)), "stop")


@pytest.mark.parametrize(
    "inputs", [{"labels": {"moka.dev/role": "executor", "a": "b"}}, RETIRING, {"tags": {}}]
)
def test_labels_taints_and_tags_roll_nothing(inputs):
    assert "rolls" not in says(change(group(), group(**inputs)))


def test_a_control_planes_version_has_no_way_back():
    kind = "aws:eks/cluster:Cluster"
    section = machines(
        preview(step(kind, "a", {"name": "a", "version": "1.34"}, {"name": "a", "version": "1.35"}))
    )

    assert "Kubernetes 1.34 → 1.35 in about 10 minutes; there is no way back" in says(section, "look")


@pytest.mark.parametrize(
    ("before", "after", "weight", "sentence"),
    [
        (group("driver"), None, "stop", "deleted without having been retired: drivers on it are evicted"),
        (
            group("driver", **RETIRING),
            None,
            "look",
            "waits until the drivers on `prod-a/nodes` have finished",
        ),
        (group("driver"), group("driver", **RETIRING), "look", "No new driver is placed on `prod-a/nodes`"),
        (group("driver", maximum=8), group("driver", maximum=3), "look", "at most 8 nodes → 3 nodes"),
    ],
)
def test_what_drivers_wait_for_is_told(before, after, weight, sentence):
    assert sentence in says(change(before, after, drivers), weight)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (group("driver", maximum=3), group("driver", maximum=8)),
        (None, group("driver")),
        (group("executor"), None),
    ],
)
def test_more_room_and_other_roles_let_no_driver_wait(before, after):
    assert not change(before, after, drivers)


RELEASE = "kubernetes:helm.sh/v3:Release"


def release(chart, **inputs):
    return {"chart": chart, "version": "1.8.0", "values": {"a": 1}, **inputs}


@pytest.mark.parametrize(
    ("chart", "sentence"), [("yunikorn", "no pod of a job"), ("spark-operator", "retries")]
)
def test_while_a_scheduler_or_operator_restarts_drivers_wait(chart, sentence):
    section = drivers(preview(step(RELEASE, "r", release(chart), release(chart, version="1.9.0"))))

    assert "1.8.0 → 1.9.0" in says(section, "look")
    assert sentence in says(section, "look")


def test_a_release_of_which_nothing_known_changes_restarts_nothing():
    assert not drivers(
        preview(step(RELEASE, "r", release("yunikorn"), release("yunikorn", values={"a": UNKNOWN})))
    )


def test_a_scheduler_that_goes_stops_a_change():
    assert "no job starts" in says(drivers(preview(step(RELEASE, "r", release("yunikorn"), None))), "stop")


def test_a_tighter_quota_is_told():
    before, after = (
        {"metadata": {"namespace": "jobs"}, "spec": {"hard": {"pods": pods}}} for pods in ("9", "5")
    )
    section = drivers(preview(step("kubernetes:core/v1:ResourceQuota", "jobs", before, after)))

    assert "Namespace `jobs` may hold `pods` 9 → 5" in says(section, "look")


def test_a_container_that_may_have_less_is_told():
    before, after = (
        {"metadata": {"namespace": "jobs"}, "spec": {"limits": [{"type": "Container", "max": {"cpu": cpu}}]}}
        for cpu in ("128", "16")
    )
    section = drivers(preview(step("kubernetes:core/v1:LimitRange", "jobs", before, after)))

    assert "A container in namespace `jobs` may have `cpu` 128 → 16" in says(section, "look")


def test_fewer_shuffle_nodes_lose_what_is_on_them():
    assert "shuffle data" in says(change(group("shuffle", maximum=8), group("shuffle", maximum=4)), "look")


def test_a_group_that_goes_is_told():
    assert "is deleted, with all its nodes" in says(change(group(), None), "look")


def test_a_budget_that_goes_is_told():
    section = machines(preview(step("kubernetes:policy/v1:PodDisruptionBudget", "masters", {})))

    assert "Without PodDisruptionBudget `masters`" in says(section, "look")


DRIVERS_ONLY = {"key": "moka.dev/role", "value": "driver", "effect": "NO_SCHEDULE"}


def test_a_taint_that_goes_lets_other_pods_in():
    section = change(group("driver", taints=[DRIVERS_ONLY]), group("driver", taints=[]))

    assert "has the taint `moka.dev/role=driver:NO_SCHEDULE` no more" in says(section, "look")


def test_a_taint_that_comes_keeps_pods_out():
    assert "pods without its toleration come no more" in says(change(group(), group(**RETIRING)), "look")


@pytest.mark.parametrize("role", ["executor", "system"])
def test_a_group_that_may_be_smaller_is_to_be_looked_at(role):
    assert "would have 2 to 3 nodes" in says(change(group(role), group(role, maximum=3)), "look")


@pytest.mark.parametrize(
    ("name", "variable", "before", "after", "sentence"),
    [
        ("moka-job-size", "most", {"jobs": 5000}, {"jobs": 50}, "may ask for 5,000 executors → 50 executors"),
        (
            "moka-job-size",
            "most",
            {"jobs": 5000},
            {},
            "may ask for 5,000 executors → any number of executors",
        ),
        (
            "moka-queue-claims",
            "allowed",
            {"jobs": ["^a$", "^b$"]},
            {"jobs": ["^b$"]},
            "`^a$` and `^b$` → `^b$`",
        ),
        ("moka-queue-claims", "allowed", {"jobs": ["^a$"]}, {}, "may name `^a$` → any queue"),
    ],
)
def test_what_jobs_may_ask_for_is_told_where_it_changes(name, variable, before, after, sentence):
    def policy(table):
        expression = f"{json.dumps(table)}[object.metadata.namespace]"
        variables = [{"name": "other", "expression": "true"}, {"name": variable, "expression": expression}]
        return {"metadata": {"name": name}, "spec": {"variables": variables}}

    section = drivers(
        preview(
            step(
                POLICY,
                "bounds",
                policy({**before, "more": before["jobs"]}),
                policy({**after, "more": before["jobs"]}),
            )
        )
    )

    [finding] = section.findings
    assert finding.weight == "look"
    assert "namespace `jobs`" in finding.says
    assert sentence in finding.says


@pytest.mark.parametrize(
    ("type_", "before", "sentence"),
    [
        ("core/v1:ResourceQuota", {"hard": {"pods": "100"}}, "may hold `pods` 100 → no bound"),
        (
            "core/v1:LimitRange",
            {"limits": [{"type": "Container", "max": {"memory": "1Ti"}}]},
            "may have `memory` 1Ti → no bound",
        ),
    ],
)
def test_a_bound_that_goes_is_told(type_, before, sentence):
    metadata = {"namespace": "jobs"}
    section = drivers(
        preview(
            step(
                f"kubernetes:{type_}",
                "bounds",
                {"metadata": metadata, "spec": before},
                {"metadata": metadata, "spec": {}},
            )
        )
    )

    assert sentence in says(section, "look")
