import pytest

from moka.components.kubernetes.queue_keeper import (
    QueueKeeper,
    QueueKeeperArgs,
    QueueKeeperRole,
    QueueKeeperRoleArgs,
)
from moka.queues import keeper_input
from stacks import settings

ENVIRONMENT = settings.load("dev")
[CLUSTER] = ENVIRONMENT.clusters


@pytest.fixture
def stack(deploy):
    def program():
        role = QueueKeeperRole(
            "spark-a", QueueKeeperRoleArgs(scheduler_namespace="yunikorn", namespace="queue-keeper")
        )
        QueueKeeper(
            "spark-a",
            QueueKeeperArgs(
                image="registry.example/queue-keeper:1",
                namespace=role.namespace,
                files=keeper_input.data(ENVIRONMENT.queues, ENVIRONMENT.queue_calendar(CLUSTER)),
            ),
        )

    return deploy(program)


def test_it_reads_its_calendar_and_changes_one_config_map_and_no_more(stack):
    rules = {
        role["metadata"]["namespace"]: role["rules"]
        for role in stack.inputs("kubernetes:rbac.authorization.k8s.io/v1:Role")
    }

    config_maps = {"apiGroups": [""], "resources": ["configmaps"]}
    assert rules == {
        "queue-keeper": [{**config_maps, "resourceNames": ["queue-calendar"], "verbs": ["get"]}],
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
    assert keeper_input.read(given["data"]) == (ENVIRONMENT.queues, ENVIRONMENT.queue_calendar(CLUSTER))


def test_its_calendar_goes_before_it_and_it_before_its_rights(stack):
    tree = stack.tree()
    [calendar] = [one for place, one in tree.items() if place.endswith("ConfigMap::spark-a-calendar")]
    [deployment] = [one for place, one in tree.items() if place.endswith("Deployment::spark-a")]

    def names(request):
        return {urn.split("$")[-1] for urn in request.dependencies}

    assert "kubernetes:apps/v1:Deployment::spark-a" in names(calendar)
    assert "kubernetes:rbac.authorization.k8s.io/v1:RoleBinding::spark-a-scheduler" in names(deployment)
