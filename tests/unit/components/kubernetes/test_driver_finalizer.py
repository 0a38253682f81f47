import pulumi
import pytest

from moka.components.kubernetes.driver_finalizer import (
    SERVICE,
    DriverFinalizer,
    DriverFinalizerArgs,
    DriverFinalizerRole,
    DriverFinalizerRoleArgs,
)
from moka.components.kubernetes.namespace import Namespace, NamespaceArgs
from moka.names import JOB_NAMESPACE_LABEL


@pytest.fixture
def stack(deploy):
    """The service, and what it may do in one job namespace."""

    def program():
        finalizer = DriverFinalizer(
            "spark-a",
            DriverFinalizerArgs(
                image="registry.example/driver-finalizer:1",
                namespace="driver-finalizer",
                job_namespaces=["etl", "ml"],
            ),
        )
        space = Namespace("etl", NamespaceArgs(name="etl"), pulumi.ResourceOptions(depends_on=[finalizer]))
        DriverFinalizerRole(
            "spark-a-etl",
            DriverFinalizerRoleArgs(job_namespace=space.name, namespace=finalizer.namespace),
            pulumi.ResourceOptions(deleted_with=space),
        )

    return deploy(program)


def test_it_has_rights_in_its_own_and_in_job_namespaces_and_none_cluster_wide(stack):
    roles = {
        role["metadata"]["namespace"]: {
            (group, resource): rule["verbs"]
            for rule in role["rules"]
            for group in rule["apiGroups"]
            for resource in rule["resources"]
        }
        for role in stack.inputs("kubernetes:rbac.authorization.k8s.io/v1:Role")
    }

    assert roles == {
        "driver-finalizer": {("", "configmaps"): ["list"]},
        "etl": {
            ("", "pods"): ["get", "list", "watch", "patch", "deletecollection"],
            ("", "events"): ["list", "watch"],
            ("", "configmaps"): ["get"],
            ("sparkoperator.k8s.io", "sparkapplications"): ["get", "patch"],
            ("", "namespaces"): ["get"],
        },
    }
    assert not stack.inputs("kubernetes:rbac.authorization.k8s.io/v1:ClusterRole")
    assert not stack.inputs("kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding")
    for binding in stack.inputs("kubernetes:rbac.authorization.k8s.io/v1:RoleBinding"):
        assert binding["subjects"] == [
            {"kind": "ServiceAccount", "name": SERVICE, "namespace": "driver-finalizer"}
        ]


def test_the_service_finds_the_job_namespaces_by_what_is_registered(stack):
    registered = stack.inputs("kubernetes:core/v1:ConfigMap")

    assert {config_map["metadata"]["labels"][JOB_NAMESPACE_LABEL] for config_map in registered} == {
        "etl",
        "ml",
    }
    assert {config_map["metadata"]["namespace"] for config_map in registered} == {"driver-finalizer"}
