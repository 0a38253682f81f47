"""Layer metrics, as `local` has it and with other destinations."""

import json

import pytest

from moka.collectors.sending import CloudWatch, Otlp, OwnStore, RemoteWrite
from stacks import program, settings, slices
from stacks.layers import metrics

WORKSPACE = "arn:aws:aps:us-east-1:123456789012:workspace/ws-0a1b"


@pytest.fixture
def recorded(deploy):
    """Deploy `local` with a section `metrics`."""

    def run(section):
        text = settings.path_of("local").read_text() + f"\nmetrics: {json.dumps(section)}\n"
        environment = settings.parse(text, "stacks/local.yaml")
        return deploy(lambda: program.deploy(environment, slices.slice_named(environment, "")))

    return run


def test_there_is_a_store_where_no_destination_is_named(recorded):
    made = recorded({})

    assert "spark-a-metrics-store" in made.by_name("kubernetes:apps/v1:StatefulSet")


def test_there_is_no_store_where_metrics_go_elsewhere_and_the_gateway_may_write_there_only(recorded):
    made = recorded({"destination": {"remote_write": {"workspace": WORKSPACE}}})

    policies = [policy["policy"] for policy in made.inputs("aws:iam/rolePolicy:RolePolicy")]
    [own] = [json.loads(policy) for policy in policies if "aps:" in policy]
    assert "spark-a-metrics-store" not in made.by_name("kubernetes:apps/v1:StatefulSet")
    assert [(rule["Action"], rule["Resource"]) for rule in own["Statement"]] == [
        (["aps:RemoteWrite"], [WORKSPACE])
    ]


def test_only_the_namespace_of_agents_allows_privilege(recorded):
    namespaces = {
        namespace["metadata"]["name"]: namespace["metadata"]["labels"]["pod-security.kubernetes.io/enforce"]
        for namespace in recorded({}).inputs("kubernetes:core/v1:Namespace")
    }

    assert (namespaces["monitoring"], namespaces["monitoring-nodes"]) == ("restricted", "privileged")


@pytest.mark.parametrize(
    ("destination", "actions"),
    [
        (OwnStore(), []),
        (Otlp(endpoint="https://a.example"), []),
        (RemoteWrite(url="https://a.example"), []),
        (RemoteWrite(url="https://a.example", workspace=WORKSPACE), ["aps:RemoteWrite"]),
        (CloudWatch(region="us-east-1"), ["cloudwatch:PutMetricData"]),
    ],
)
def test_the_gateway_may_write_to_its_destination_and_nothing_else(destination, actions):
    statements = metrics.permissions(destination)

    assert [action for statement in statements for action in statement.actions] == actions
