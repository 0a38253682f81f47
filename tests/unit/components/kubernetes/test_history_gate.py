import pytest

from moka.components.kubernetes.history_gate import HistoryGate, HistoryGateArgs
from moka.names import INGRESS_NAMESPACE


@pytest.fixture
def stack(deploy):
    args = HistoryGateArgs(
        image="registry.example/history-gate:1",
        namespace="spark-history",
        bucket="moka-event-logs",
        region="us-east-1",
        replicas=2,
        live_url="http://{name}.{namespace}.{cluster}.example/",
        logs=["spark-a=moka-spark-a=https://console.example/?prefix={prefix}"],
        days=30,
        interval_seconds=300,
    )
    return deploy(lambda: HistoryGate("spark-a-history", args))


def pod(stack):
    [deployment] = stack.inputs("kubernetes:apps/v1:Deployment")
    return deployment["spec"]["template"]


def test_it_knows_each_pod_of_the_history_server_by_name(stack):
    [container] = pod(stack)["spec"]["containers"]

    assert [argument for argument in container["args"] if argument.startswith("--server=")] == [
        "--server=http://history-server-0.history-server:18080",
        "--server=http://history-server-1.history-server:18080",
    ]


def test_it_takes_its_arguments(stack, monkeypatch):
    from services.history_gate import __main__ as program

    [container] = pod(stack)["spec"]["containers"]
    taken = []
    monkeypatch.setattr("sys.argv", ["history_gate", "--service-account=/tmp", *container["args"]])
    monkeypatch.setattr("services.common.arguments._service_account", str)
    monkeypatch.setattr(program, "_run", lambda *values: taken.append(values))
    monkeypatch.setattr(program.asyncio, "run", lambda _: None)

    program.main()

    [(options, clusters)] = taken
    assert len(options.server) == 2
    assert options.live_url == "http://{name}.{namespace}.{cluster}.example/"
    assert (options.days, options.interval) == (30, 300)
    assert options.listen == ("0.0.0.0", 8080)
    assert clusters["spark-a"].folder == "moka-spark-a"


def test_the_gateway_reaches_it_and_who_collects_metrics_and_nobody_else(stack):
    [policy] = stack.inputs("kubernetes:networking.k8s.io/v1:NetworkPolicy")
    ways = {
        (peer["namespaceSelector"]["matchLabels"]["kubernetes.io/metadata.name"], port["port"])
        for rule in policy["spec"]["ingress"]
        for peer in rule["from"]
        for port in rule["ports"]
    }

    assert policy["spec"]["podSelector"]["matchLabels"] == pod(stack)["metadata"]["labels"]
    assert ways == {(INGRESS_NAMESPACE, 8080), ("monitoring", 8080)}


def test_its_service_leads_to_its_pods(stack):
    [service] = stack.inputs("kubernetes:core/v1:Service")

    assert service["metadata"]["name"] == "history-gate"
    assert service["spec"]["selector"] == pod(stack)["metadata"]["labels"]
    assert [port["port"] for port in service["spec"]["ports"]] == [8080]
