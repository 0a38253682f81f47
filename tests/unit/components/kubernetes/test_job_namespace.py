import pytest

from components.kubernetes.job_namespace import JobNamespace, JobNamespaceArgs
from components.kubernetes.namespace import Namespace, NamespaceArgs


@pytest.fixture
def made(deploy):
    return deploy(lambda: JobNamespace("spark-a-jobs", JobNamespaceArgs(name="spark-jobs")))


def test_drivers_may_make_executors_in_their_own_namespace_and_nothing_elsewhere(made):
    [role] = made.inputs("kubernetes:rbac.authorization.k8s.io/v1:Role")

    assert role["metadata"]["namespace"] == "spark-jobs"
    [rule] = role["rules"]
    assert set(rule["resources"]) == {"pods", "configmaps", "services", "persistentvolumeclaims"}
    assert "*" not in str(rule)
    assert not [typ for typ in made.types() if "Cluster" in typ]


def test_the_role_is_bound_to_the_account_that_drivers_run_with(made):
    [binding] = made.inputs("kubernetes:rbac.authorization.k8s.io/v1:RoleBinding")

    assert binding["subjects"] == [{"kind": "ServiceAccount", "name": "spark", "namespace": "spark-jobs"}]
    assert binding["roleRef"]["kind"] == "Role"


def test_privileged_pods_are_kept_out_of_a_job_namespace(made):
    [namespace] = made.inputs("kubernetes:core/v1:Namespace")

    assert namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "baseline"


def test_a_namespace_has_the_level_that_is_asked_for(deploy):
    made = deploy(lambda: Namespace("logs", NamespaceArgs(name="logs", pod_security="privileged")))

    [namespace] = made.inputs("kubernetes:core/v1:Namespace")
    assert namespace["metadata"]["name"] == "logs"
    assert namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "privileged"
