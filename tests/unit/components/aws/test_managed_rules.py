"""Rules in Amazon Managed Prometheus: what it takes, and where alerts go."""

import pytest
import yaml

from moka.components.aws.managed_rules import MAX_BYTES, MAX_NAMES, MAX_RULES, ManagedRules, ManagedRulesArgs
from stacks import settings
from stacks.layers.metrics import managed_rule_files

RULES, ALERTS = (
    "aws:amp/ruleGroupNamespace:RuleGroupNamespace",
    "aws:amp/alertManagerDefinition:AlertManagerDefinition",
)
WORKSPACE = "arn:aws:aps:us-east-1:111122223333:workspace/ws-0a1b"
TOPIC = "arn:aws:sns:eu-west-1:111122223333:alerts"


@pytest.fixture
def recorded(deploy):
    def run(**more):
        args = ManagedRulesArgs(workspace_arn=WORKSPACE, files={"moka": "groups: []\n"}, **more)
        return deploy(lambda: ManagedRules("spark-a-rules", args))

    return run


def test_each_file_is_a_namespace_of_its_name(recorded):
    [rules] = recorded().inputs(RULES)

    assert (rules["name"], rules["workspaceId"], rules["data"]) == ("moka", "ws-0a1b", "groups: []\n")


def test_alerts_go_to_a_topic_in_its_region_where_one_is_named(recorded):
    [definition] = recorded(alerts_topic=TOPIC).inputs(ALERTS)

    config = yaml.safe_load(yaml.safe_load(definition["definition"])["alertmanager_config"])
    [receiver] = config["receivers"]
    assert receiver["name"] == config["route"]["receiver"]
    assert receiver["sns_configs"] == [{"topic_arn": TOPIC, "sigv4": {"region": "eu-west-1"}}]


def test_where_alerts_go_is_left_alone_where_no_topic_is_named(recorded):
    assert recorded().inputs(ALERTS) == []


def test_our_rules_are_within_what_a_workspace_takes():
    files = managed_rule_files(settings.load("prod"))
    groups = [(file, group) for file, text in files.items() for group in yaml.safe_load(text)["groups"]]

    assert max(len(text.encode()) for text in files.values()) < MAX_BYTES
    assert 40 < sum(len(group["rules"]) for _, group in groups) < MAX_RULES
    assert max(len(f"{file}{group['name']}".encode()) for file, group in groups) < MAX_NAMES
    assert all(group["rules"] for _, group in groups)


def test_a_workspace_knows_every_cluster_of_the_environment():
    prod = settings.load("prod")
    [group] = yaml.safe_load(managed_rule_files(prod)["moka-limits"])["groups"]

    known = [rule["labels"]["cluster"] for rule in group["rules"] if rule["record"] == "moka_cluster"]
    assert known == sorted(prod.clusters)
