import pulumi
import pytest

from moka.components.kubernetes.namespace import Namespace, NamespaceArgs
from moka.components.kubernetes.ui_gateway import (
    UiGateway,
    UiGatewayArgs,
    UiGatewayRole,
    UiGatewayRoleArgs,
)

DOMAIN = "spark-a.spark.example"


@pytest.fixture
def stack(deploy):
    """The gateway, and what it may do in one job namespace."""

    def program():
        UiGateway(
            "spark-a-ui-gateway",
            UiGatewayArgs(
                image="registry.example/ui-gateway:1",
                namespace="ingress",
                cluster="spark-a",
                domain=DOMAIN,
                job_namespaces=["ml", "etl"],
                pages={
                    "history.spark.example": "http://history-gate.spark-history:8080",
                    f"yunikorn.{DOMAIN}/ws": "http://yunikorn-service.yunikorn:9080",
                },
                history_url="https://history.spark.example",
                history_days=30,
                scheme="https",
                bucket="acme-event-logs",
                region="us-east-1",
                ingress_class="nginx",
            ),
        )
        space = Namespace("etl", NamespaceArgs(name="etl"))
        UiGatewayRole(
            "spark-a-etl",
            UiGatewayRoleArgs(job_namespace=space.name, namespace="ingress"),
            pulumi.ResourceOptions(deleted_with=space),
        )

    return deploy(program)


def only(stack, kind):
    [resource] = stack.inputs(f"kubernetes:{kind}")
    return resource


def test_its_program_understands_its_arguments(stack, monkeypatch):
    from services.ui_gateway import __main__ as program

    [container] = only(stack, "apps/v1:Deployment")["spec"]["template"]["spec"]["containers"]
    started = []

    async def run(options, hosts, login):
        assert login is None
        started.append((options, hosts.pages))

    monkeypatch.setattr(program, "_run", run)
    monkeypatch.setattr(program.arguments, "_service_account", str)
    monkeypatch.setattr("sys.argv", ["ui_gateway", *container["args"]])
    monkeypatch.setattr(program.asyncio, "run", lambda coroutine: coroutine.send(None))

    with pytest.raises(StopIteration):
        program.main()

    [(options, pages)] = started
    assert (options.cluster, options.domain, options.bucket) == ("spark-a", DOMAIN, "acme-event-logs")
    assert options.namespace == ["etl", "ml"]
    assert pages[f"yunikorn.{DOMAIN}"].upstream("/ws/v1") == "http://yunikorn-service.yunikorn:9080"
    assert (options.history, options.history_days) == ("https://history.spark.example", 30)


def test_one_ingress_serves_every_application_however_many_there_are(stack):
    ingress = only(stack, "networking.k8s.io/v1:Ingress")["spec"]

    assert ingress["ingressClassName"] == "nginx"
    assert [rule["host"] for rule in ingress["rules"]] == [
        f"*.etl.{DOMAIN}",
        f"*.ml.{DOMAIN}",
        "history.spark.example",
        f"yunikorn.{DOMAIN}",
    ]
    service = only(stack, "core/v1:Service")
    for rule in ingress["rules"]:
        [path] = rule["http"]["paths"]
        assert path["backend"]["service"] == {"name": service["metadata"]["name"], "port": {"name": "http"}}


def test_it_reads_pods_and_applications_of_job_namespaces_and_no_secrets_anywhere(stack):
    rights = {
        (role["metadata"]["namespace"], resource): rule["verbs"]
        for role in stack.inputs("kubernetes:rbac.authorization.k8s.io/v1:Role")
        for rule in role["rules"]
        for resource in rule["resources"]
    }

    assert rights == {
        ("etl", "pods"): ["get", "list", "watch"],
        ("etl", "sparkapplications"): ["get"],
    }
    assert not stack.inputs("kubernetes:rbac.authorization.k8s.io/v1:ClusterRole")
    subjects = [
        binding["subjects"]
        for binding in stack.inputs("kubernetes:rbac.authorization.k8s.io/v1:RoleBinding")
        if binding["metadata"]["namespace"] == "etl"
    ]
    assert subjects == [[{"kind": "ServiceAccount", "name": "ui-gateway", "namespace": "ingress"}]]


def test_one_of_two_pods_is_always_there(stack):
    deployment = only(stack, "apps/v1:Deployment")["spec"]
    pod = deployment["template"]["spec"]
    budget = only(stack, "policy/v1:PodDisruptionBudget")["spec"]

    assert deployment["replicas"] == 2
    assert deployment["strategy"]["rollingUpdate"] == {"maxUnavailable": 0, "maxSurge": 1}
    assert budget["maxUnavailable"] == 1
    assert budget["selector"] == deployment["selector"]
    assert [rule["topologyKey"] for rule in pod["topologySpreadConstraints"]] == [
        "topology.kubernetes.io/zone",
        "kubernetes.io/hostname",
    ]


def test_a_pod_that_ends_answers_until_nobody_is_sent_to_it(stack):
    pod = only(stack, "apps/v1:Deployment")["spec"]["template"]["spec"]
    [container] = pod["containers"]

    assert container["lifecycle"]["preStop"] == {"sleep": {"seconds": 10}}
    assert pod["terminationGracePeriodSeconds"] == 60
    assert container["readinessProbe"]["httpGet"]["path"] == "/ready"
    assert container["livenessProbe"]["httpGet"]["path"] == "/healthz"


def test_only_the_ingress_controller_and_collectors_reach_it(stack):
    policy = stack.by_name("kubernetes:networking.k8s.io/v1:NetworkPolicy")["spark-a-ui-gateway"]["spec"]
    [rule] = policy["ingress"]

    assert policy["policyTypes"] == ["Ingress"]
    assert policy["podSelector"] == {"matchLabels": {"app.kubernetes.io/name": "ui-gateway"}}
    assert rule["ports"] == [{"port": 8080, "protocol": "TCP"}]
    assert [peer["namespaceSelector"]["matchLabels"] for peer in rule["from"]] == [
        {"kubernetes.io/metadata.name": "ingress"},
        {"kubernetes.io/metadata.name": "monitoring"},
    ]
    assert rule["from"][0]["podSelector"] == {
        "matchExpressions": [{"key": "moka.dev/ingress-controller", "operator": "Exists"}]
    }
