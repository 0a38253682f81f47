import pytest

from moka.allocation.cluster_settings import ClusterSettings
from moka.components.kubernetes.queue_keeper import (
    QueueKeeper,
    QueueKeeperArgs,
    QueueKeeperRole,
    QueueKeeperRoleArgs,
)
from stacks import settings

ENVIRONMENT = settings.load("dev")
[CLUSTER] = ENVIRONMENT.clusters
SETTINGS = ClusterSettings(
    ENVIRONMENT.queues, ENVIRONMENT.queue_calendar(CLUSTER), ENVIRONMENT.allocation.bounds
)


@pytest.fixture
def deployed(deploy):
    """The keeper, with Archer or without."""

    def program(archer):
        role = QueueKeeperRole(
            "spark-a", QueueKeeperRoleArgs(scheduler_namespace="yunikorn", namespace="queue-keeper")
        )
        QueueKeeper(
            "spark-a",
            QueueKeeperArgs(
                image="registry.example/queue-keeper:1",
                namespace=role.namespace,
                files=SETTINGS.as_data(),
                archer=archer,
            ),
        )

    return lambda archer=False: deploy(lambda: program(archer))


@pytest.fixture
def stack(deployed):
    return deployed()


def test_it_reads_its_calendar_and_changes_one_config_map_and_no_more(stack):
    rules = {
        role["metadata"]["namespace"]: role["rules"]
        for role in stack.inputs("kubernetes:rbac.authorization.k8s.io/v1:Role")
    }

    config_maps = {"apiGroups": [""], "resources": ["configmaps"]}
    assert rules == {
        "queue-keeper": [
            {**config_maps, "resourceNames": ["queue-calendar", "queue-amounts"], "verbs": ["get"]}
        ],
        "yunikorn": [{**config_maps, "resourceNames": ["yunikorn-configs"], "verbs": ["get", "patch"]}],
    }
    assert not stack.inputs("kubernetes:rbac.authorization.k8s.io/v1:ClusterRole")
    for binding in stack.inputs("kubernetes:rbac.authorization.k8s.io/v1:RoleBinding"):
        assert binding["subjects"] == [
            {"kind": "ServiceAccount", "name": "queue-keeper", "namespace": "queue-keeper"}
        ]


def test_it_is_given_the_queues_and_the_calendar_of_the_settings(stack):
    [given] = stack.inputs("kubernetes:core/v1:ConfigMap")

    assert given["metadata"]["name"] == "queue-calendar"
    assert given["metadata"]["namespace"] == "queue-keeper"
    assert ClusterSettings.of_data(given["data"]) == SETTINGS


def test_archer_may_write_amounts_into_a_config_map_that_is_made_empty_and_nothing_else(deployed):
    stack = deployed(archer=True)

    made = {one["metadata"]["name"]: one for one in stack.inputs("kubernetes:core/v1:ConfigMap")}
    assert made.keys() == {"queue-calendar", "queue-amounts"}
    assert not {"data", "binaryData"} & made["queue-amounts"].keys()
    [rules] = [
        role["rules"]
        for role in stack.inputs("kubernetes:rbac.authorization.k8s.io/v1:Role")
        if role["metadata"]["name"] == "archer"
    ]
    config_maps = {"apiGroups": [""], "resources": ["configmaps"]}
    assert rules == [
        {**config_maps, "resourceNames": ["queue-calendar"], "verbs": ["get"]},
        {**config_maps, "resourceNames": ["queue-amounts"], "verbs": ["get", "patch"]},
    ]
    [binding] = [
        one
        for one in stack.inputs("kubernetes:rbac.authorization.k8s.io/v1:RoleBinding")
        if one["metadata"]["name"] == "archer"
    ]
    assert [subject["name"] for subject in binding["subjects"]] == ["moka:archer"]


def test_its_calendar_goes_before_it_and_it_before_its_rights(stack):
    tree = stack.tree()
    [calendar] = [one for place, one in tree.items() if place.endswith("ConfigMap::spark-a-calendar")]
    [deployment] = [one for place, one in tree.items() if place.endswith("Deployment::spark-a")]

    def names(request):
        return {urn.split("$")[-1] for urn in request.dependencies}

    assert "kubernetes:apps/v1:Deployment::spark-a" in names(calendar)
    assert "kubernetes:rbac.authorization.k8s.io/v1:RoleBinding::spark-a-scheduler" in names(deployment)
