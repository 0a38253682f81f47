import pytest

from moka.components.kubernetes.job_namespace import (
    ContainerSize,
    JobNamespace,
    JobNamespaceArgs,
    Quota,
)
from moka.components.kubernetes.namespace import Namespace, NamespaceArgs


@pytest.fixture
def make(deploy):
    def deploy_namespace(**changes):
        return deploy(lambda: JobNamespace("spark-a-jobs", JobNamespaceArgs(name="spark-jobs", **changes)))

    return deploy_namespace


@pytest.fixture
def stack(make):
    return make()


def spec(stack, kind):
    [inputs] = stack.inputs(f"kubernetes:core/v1:{kind}")
    assert inputs["metadata"]["namespace"] == "spark-jobs"
    return inputs["spec"]


def test_drivers_may_make_executors_in_their_own_namespace_and_nothing_elsewhere(stack):
    [role] = stack.inputs("kubernetes:rbac.authorization.k8s.io/v1:Role")

    assert role["metadata"]["namespace"] == "spark-jobs"
    may = {resource: set(rule["verbs"]) for rule in role["rules"] for resource in rule["resources"]}
    assert set(may) == {"pods", "configmaps", "services", "persistentvolumeclaims"}
    assert {"create", "watch", "deletecollection"} <= may["pods"]
    assert "create" not in may["services"]
    assert "*" not in str(role["rules"])
    assert not [typ for typ in stack.types() if "Cluster" in typ]


def test_the_role_is_bound_to_the_account_that_drivers_run_with(stack):
    [binding] = stack.inputs("kubernetes:rbac.authorization.k8s.io/v1:RoleBinding")

    assert binding["subjects"] == [{"kind": "ServiceAccount", "name": "spark", "namespace": "spark-jobs"}]
    assert binding["roleRef"]["kind"] == "Role"


def test_privileged_pods_are_kept_out_of_a_job_namespace(stack):
    [namespace] = stack.inputs("kubernetes:core/v1:Namespace")

    assert namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "baseline"


def test_a_job_namespace_has_the_level_that_is_asked_for(make):
    [namespace] = make(pod_security="privileged").inputs("kubernetes:core/v1:Namespace")

    assert namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "privileged"


def test_pods_and_their_resources_are_left_to_the_queues(stack):
    """A quota that all pods change costs gangs their placeholders."""
    hard = spec(stack, "ResourceQuota")["hard"]

    assert not {"pods", "count/pods"} & set(hard)
    assert not [key for key in hard if key.startswith("requests")]


def test_no_service_of_a_job_is_a_way_in_from_outside(stack):
    hard = spec(stack, "ResourceQuota")["hard"]

    assert (hard["services.loadbalancers"], hard["services.nodeports"]) == ("0", "0")


def test_a_quota_bounds_what_pods_ask_for(make):
    quota = Quota(pods=100, cpu="400", memory="2Ti")

    hard = spec(make(quota=quota), "ResourceQuota")["hard"]

    assert (hard["pods"], hard["requests.cpu"], hard["requests.memory"]) == ("100", "400", "2Ti")


def test_no_container_is_unbounded(make):
    [limits] = spec(make(largest=ContainerSize(cpu="64", memory="512Gi")), "LimitRange")["limits"]

    assert limits["type"] == "Container"
    assert limits["max"] == {"cpu": "64", "memory": "512Gi"}
    # A limit of CPU throttles: one that says nothing may have all that there can be.
    assert limits["default"]["cpu"] == "64"
    assert set(limits["defaultRequest"]) == {"cpu", "memory"}


def test_a_namespace_that_is_not_isolated_has_no_network_policy(make, stack):
    kind = "kubernetes:networking.k8s.io/v1:NetworkPolicy"

    assert stack.inputs(kind)
    assert not make(isolated=False).inputs(kind)


def test_a_namespace_has_the_level_that_is_asked_for(deploy):
    stack = deploy(lambda: Namespace("logs", NamespaceArgs(name="logs", pod_security="privileged")))

    [namespace] = stack.inputs("kubernetes:core/v1:Namespace")
    assert namespace["metadata"]["name"] == "logs"
    assert namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "privileged"
