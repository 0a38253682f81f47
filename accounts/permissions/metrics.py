"""Rows of metrics: rules of a workspace of Amazon Managed Prometheus, and a Grafana that asks it."""

from accounts.permissions.data import is_home
from accounts.permissions.row import Row
from stacks.settings import Environment
from stacks.settings.foundation import Foundation

GRAFANA_TAGS = "grafana:TagResource grafana:UntagResource"


def has_rules(settings: Environment, name: str, foundation: Foundation) -> bool:
    """The home cluster is on it, and puts rules into the workspace that metrics go to."""
    metrics = settings.metrics
    return is_home(settings, name, foundation) and bool(metrics.workspace and metrics.workspace_rules)


def has_topic(settings: Environment, name: str, foundation: Foundation) -> bool:
    """And says where alerts go."""
    return has_rules(settings, name, foundation) and settings.metrics.alerts_topic is not None


def has_grafana(settings: Environment, name: str, foundation: Foundation) -> bool:
    """The home cluster is on it, and a Grafana is asked for."""
    return is_home(settings, name, foundation) and settings.metrics.managed_grafana is not None


ROWS = (
    Row(
        type="aws:amp/ruleGroupNamespace:RuleGroupNamespace",
        schemas="AWS::APS::RuleGroupsNamespace",
        create="aps:CreateRuleGroupsNamespace aps:TagResource",
        read="aps:DescribeRuleGroupsNamespace aps:ListTagsForResource",
        update="aps:PutRuleGroupsNamespace aps:TagResource aps:UntagResource",
        delete="aps:DeleteRuleGroupsNamespace",
        when=has_rules,
    ),
    Row(
        type="aws:amp/alertManagerDefinition:AlertManagerDefinition",
        schemas="AWS::APS::Workspace",
        create="aps:CreateAlertManagerDefinition",
        read="aps:DescribeAlertManagerDefinition",
        update="aps:PutAlertManagerDefinition",
        delete="aps:DeleteAlertManagerDefinition",
        when=has_topic,
    ),
    # With IAM Identity Center it takes rights on the company's directory besides, which no environment gets.
    Row(
        type="aws:grafana/workspace:Workspace",
        schemas="AWS::Grafana::Workspace",
        create="grafana:CreateWorkspace grafana:TagResource iam:PassRole ec2:GetManagedPrefixListEntries",
        read="grafana:DescribeWorkspace grafana:DescribeWorkspaceAuthentication "
        "grafana:DescribeWorkspaceConfiguration grafana:ListTagsForResource",
        update="grafana:UpdateWorkspace grafana:UpdateWorkspaceAuthentication "
        f"grafana:UpdateWorkspaceConfiguration {GRAFANA_TAGS} iam:PassRole ec2:GetManagedPrefixListEntries",
        delete="grafana:DeleteWorkspace",
        when=has_grafana,
    ),
)
