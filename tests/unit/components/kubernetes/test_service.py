import pytest

from moka.components.kubernetes.rbac import Right
from moka.components.kubernetes.service import Service, ServiceArgs


@pytest.fixture
def stack(deploy):
    """A service that may read ConfigMaps of its namespace."""
    args = ServiceArgs(
        service="usage-history",
        image="registry.example/usage-history:1",
        namespace="usage",
        rights=[Right("", "configmaps", ("list",))],
        args=["--days=30"],
        port=9090,
    )
    return deploy(lambda: Service("spark-a", args))


@pytest.fixture
def pod(stack):
    [deployment] = stack.inputs("kubernetes:apps/v1:Deployment")
    return deployment["spec"]["template"]["spec"]


def test_its_type_and_all_that_it_makes_are_named_for_the_service(stack):
    kinds = {
        "core/v1:ServiceAccount",
        "rbac.authorization.k8s.io/v1:Role",
        "rbac.authorization.k8s.io/v1:RoleBinding",
        "apps/v1:Deployment",
    }

    assert stack.types() == {"moka:kubernetes:UsageHistory", *(f"kubernetes:{kind}" for kind in kinds)}
    for kind in kinds:
        [resource] = stack.inputs(f"kubernetes:{kind}")
        assert resource["metadata"]["name"] == "usage-history"
        assert resource["metadata"]["namespace"] == "usage"
        assert resource["metadata"]["labels"] == {"app.kubernetes.io/name": "usage-history"}


def test_one_pod_at_a_time_on_system_nodes(stack, pod):
    [deployment] = stack.inputs("kubernetes:apps/v1:Deployment")

    assert deployment["spec"]["replicas"] == 1
    assert deployment["spec"]["strategy"] == {"type": "Recreate"}
    assert pod["nodeSelector"] == {"moka.dev/role": "system"}
    assert pod["serviceAccountName"] == "usage-history"


def test_its_pod_passes_the_strictest_pod_security(pod):
    [container] = pod["containers"]

    assert pod["securityContext"]["runAsNonRoot"]
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }


def test_health_and_metrics_are_where_it_listens(stack, pod):
    [deployment] = stack.inputs("kubernetes:apps/v1:Deployment")
    [container] = pod["containers"]

    assert container["args"] == ["--listen=0.0.0.0:9090", "--days=30"]
    assert container["ports"] == [{"name": "http", "containerPort": 9090}]
    for probe in ("readinessProbe", "livenessProbe"):
        assert container[probe]["httpGet"] == {"path": "/healthz", "port": "http"}
    assert deployment["spec"]["template"]["metadata"]["annotations"] == {
        "prometheus.io/scrape": "true",
        "prometheus.io/port": "9090",
        "prometheus.io/path": "/metrics",
    }


def test_it_may_do_what_it_was_given_in_its_own_namespace(stack):
    [role] = stack.inputs("kubernetes:rbac.authorization.k8s.io/v1:Role")
    [binding] = stack.inputs("kubernetes:rbac.authorization.k8s.io/v1:RoleBinding")

    assert role["rules"] == [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["list"]}]
    assert binding["roleRef"]["name"] == "usage-history"
    assert binding["subjects"] == [{"kind": "ServiceAccount", "name": "usage-history", "namespace": "usage"}]
