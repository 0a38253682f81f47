"""Layer metrics, as `local` has it and with other destinations."""

import json

import pytest

from moka.collectors.sending import CloudWatch, Otlp, OwnStore, RemoteWrite
from stacks import settings
from stacks.layers import metrics

WORKSPACE = "arn:aws:aps:us-east-1:123456789012:workspace/ws-0a1b"


@pytest.fixture
def recorded(layers):
    """Layer metrics of `local` with a section `metrics`."""

    def run(section):
        text = settings.path_of("local").read_text() + f"\nmetrics: {json.dumps(section)}\n"
        environment = settings.parse(text, "stacks/local.yaml")
        return layers(environment, "metrics")

    return run


def test_there_is_a_store_where_no_destination_is_named(recorded):
    recorder = recorded({})

    assert "spark-a-metrics-store" in recorder.by_name("kubernetes:apps/v1:StatefulSet")


def test_there_is_no_store_where_metrics_go_elsewhere_and_the_gateway_may_write_there_only(recorded):
    recorder = recorded({"destination": {"remote_write": {"workspace": WORKSPACE}}})

    policies = [policy["policy"] for policy in recorder.inputs("aws:iam/rolePolicy:RolePolicy")]
    [own] = [json.loads(policy) for policy in policies if "aps:" in policy]
    assert "spark-a-metrics-store" not in recorder.by_name("kubernetes:apps/v1:StatefulSet")
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


DESTINATION = {"remote_write": {"workspace": WORKSPACE}}


def test_dashboards_are_there_for_any_grafana_and_none_of_ours_unless_it_is_asked_for(recorded):
    recorder = recorded({})

    assert "spark-a-dashboards" in recorder.by_name("kubernetes:core/v1:ConfigMap")
    assert "spark-a-grafana" not in recorder.by_name("kubernetes:apps/v1:Deployment")


def test_dashboards_that_cloudwatch_has_other_names_for_are_not_there(recorded):
    recorder = recorded({"destination": {"cloudwatch": {"region": "us-east-1"}}})

    assert "spark-a-dashboards" not in recorder.by_name("kubernetes:core/v1:ConfigMap")


def test_a_grafana_of_its_own_may_ask_the_managed_store_and_only_ask(recorded):
    recorder = recorded({"destination": DESTINATION, "own_grafana": True})

    assert "spark-a-grafana" in recorder.by_name("kubernetes:apps/v1:Deployment")
    policy = json.loads(recorder.by_name("aws:iam/rolePolicy:RolePolicy")["spark-a-grafana"]["policy"])
    [statement] = policy["Statement"]
    assert statement["Resource"] == [WORKSPACE]
    assert "aps:RemoteWrite" not in statement["Action"]


def test_a_managed_grafana_is_made_once_with_the_home_cluster(recorded):
    recorder = recorded(
        {"destination": DESTINATION, "managed_grafana": {"prefix_lists": ["pl-0123456789abcdef0"]}}
    )

    assert list(recorder.by_name("aws:grafana/workspace:Workspace")) == ["spark-a-grafana"]


RULES = "aws:amp/ruleGroupNamespace:RuleGroupNamespace"


def test_rules_are_in_the_workspace_once_with_the_home_cluster_unless_others_put_them_there(recorded):
    made = recorded({"destination": DESTINATION})

    assert sorted(made.by_name(RULES)) == [
        "spark-a-rules-moka",
        "spark-a-rules-moka-limits",
        "spark-a-rules-moka-recordings",
    ]
    assert recorded({"destination": DESTINATION, "workspace_rules": False}).inputs(RULES) == []
    assert recorded({}).inputs(RULES) == []


def test_the_store_records_what_dashboards_ask_for(recorded):
    recorder = recorded({"own_grafana": True})

    files = recorder.by_name("kubernetes:core/v1:ConfigMap")["spark-a-metrics-store"]["data"]
    assert "moka:applications:states" in files["moka-recordings.rules.yaml"]


@pytest.mark.parametrize(
    ("section", "sentence"),
    [
        ({"managed_grafana": {"prefix_lists": ["pl-0123456789abcdef0"]}}, "remote_write.workspace"),
        ({"destination": DESTINATION, "managed_grafana": {}}, "is reached from nowhere"),
        (
            {"destination": {"otlp": {"endpoint": "https://x.example.com"}}, "own_grafana": True},
            "own_grafana reads the cluster's own store",
        ),
        (
            {
                "destination": {"remote_write": {"workspace": WORKSPACE.replace("123456789012", "1" * 12)}},
                "managed_grafana": {"vpc_endpoints": ["vpce-0123456789abcdef0"]},
                "workspace_rules": False,
            },
            "is of 111111111111",
        ),
        (
            {"destination": {"remote_write": {"workspace": WORKSPACE.replace("us-east-1", "us-west-2")}}},
            "metrics.workspace_rules: is on, but the home cluster is in us-east-1 of 123456789012",
        ),
        (
            {"alerts_topic": "arn:aws:sns:us-east-1:123456789012:alerts"},
            "alerts_topic is for rules in destination.remote_write.workspace",
        ),
    ],
)
def test_what_could_not_be_asked_or_reached_is_refused(section, sentence):
    text = settings.path_of("local").read_text() + f"\nmetrics: {json.dumps(section)}\n"

    with pytest.raises(settings.InvalidDocument, match=sentence):
        settings.parse(text, "stacks/local.yaml")
