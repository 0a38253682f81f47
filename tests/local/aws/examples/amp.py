"""Amazon Managed Prometheus: an example of every type, and how it is changed by hand."""

from localcloud.engine import Resource
from tests.local.aws.examples.example import OTHER_TAGS, TAGS, Bases, Changes, Console, Example

BASES: Bases = {
    "workspace": lambda w: ("aws:amp/workspace:Workspace", {"alias": "base"}),
    "other_workspace": lambda w: ("aws:amp/workspace:Workspace", {"alias": "other"}),
}

RULES = "groups:\n- name: moka\n  rules:\n  - record: moka:up\n    expr: sum(up)\n"
OTHER_RULES = RULES.replace("sum", "count")


def alerts(topic: str) -> str:
    return f"alertmanager_config: |\n  route: {{receiver: {topic}}}\n  receivers: [{{name: {topic}}}]\n"


EXAMPLES = [
    Example(
        "aws:amp/workspace:Workspace",
        lambda w: {"alias": "moka", "tags": TAGS},
        lambda w: {"alias": "moka-2", "tags": OTHER_TAGS},
    ),
    Example(
        "aws:amp/ruleGroupNamespace:RuleGroupNamespace",
        lambda w: {"name": "moka", "workspaceId": w.workspace, "data": RULES, "tags": TAGS},
        lambda w: {"data": OTHER_RULES, "tags": OTHER_TAGS},
        lambda w: {"workspaceId": w.other_workspace},
    ),
    Example(
        "aws:amp/alertManagerDefinition:AlertManagerDefinition",
        lambda w: {"workspaceId": w.workspace, "definition": alerts("a")},
        lambda w: {"definition": alerts("b")},
        lambda w: {"workspaceId": w.other_workspace},
    ),
]


def change_alias(console: Console, resource: Resource) -> None:
    console.client("amp").update_workspace_alias(workspaceId=resource.id, alias="by-hand")


def change_rules(console: Console, resource: Resource) -> None:
    workspace, name = resource.id.split("/")[1:]
    console.edit("amp", "rules", workspace, name, data=OTHER_RULES)


def change_alerts(console: Console, resource: Resource) -> None:
    console.edit("amp", "alert-manager", resource.id, data=alerts("by-hand"))


CHANGES_BY_HAND: Changes = {
    "aws:amp/workspace:Workspace": change_alias,
    "aws:amp/ruleGroupNamespace:RuleGroupNamespace": change_rules,
    "aws:amp/alertManagerDefinition:AlertManagerDefinition": change_alerts,
}
