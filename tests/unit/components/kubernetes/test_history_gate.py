import pytest

from components.kubernetes.history_gate import HistoryGate, HistoryGateArgs


@pytest.fixture
def stack(deploy):
    args = HistoryGateArgs(
        image="registry.example/history-gate:1",
        namespace="spark-history",
        bucket="moka-event-logs",
        region="us-east-1",
        replicas=2,
        live_url="http://{name}.{namespace}.{cluster}.example/",
        days=30,
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

    [(_, servers, live_url, days, listen)] = taken
    assert len(servers) == 2
    assert (live_url, days, listen) == ("http://{name}.{namespace}.{cluster}.example/", 30, ("0.0.0.0", 8080))


def test_it_is_reached_by_the_way_in_and_for_its_metrics_only(stack):
    [policy] = stack.inputs("kubernetes:networking.k8s.io/v1:NetworkPolicy")
    [rule] = policy["spec"]["ingress"]

    assert policy["spec"]["podSelector"]["matchLabels"] == pod(stack)["metadata"]["labels"]
    peers = {p["namespaceSelector"]["matchLabels"]["kubernetes.io/metadata.name"] for p in rule["from"]}
    assert peers == {"ingress-nginx", "monitoring"}
    assert [port["port"] for port in rule["ports"]] == [8080]


def test_its_service_leads_to_its_pods(stack):
    [service] = stack.inputs("kubernetes:core/v1:Service")

    assert service["metadata"]["name"] == "history-gate"
    assert service["spec"]["selector"] == pod(stack)["metadata"]["labels"]
