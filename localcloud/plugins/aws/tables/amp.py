"""Amazon Managed Prometheus: workspaces, their rules, and where their alerts go."""

from typing import Any

from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import ID, Call, Change, Kind, Name, P, Read, tags_by_arn

WORKSPACE = Kind(
    service="amp",
    schema="AWS::APS::Workspace",
    inputs="alias",
    outputs="arn prometheusEndpoint",
    create=Call("create_workspace", other_inputs=True),
    id="workspaceId",
    reads=(Read(Call("describe_workspace", {"workspaceId": ID}), at="workspace"),),
    changes=(Change(("alias",), Call("update_workspace_alias", {"workspaceId": ID}, takes="alias")),),
    delete=(Call("delete_workspace", {"workspaceId": ID}),),
    tags=tags_by_arn("arn"),
)


def read_rules(subject: Subject) -> dict[str, Any]:
    """A namespace of rules; its id is its ARN, which has all that names it."""
    workspace, name = subject.id.split("/")[1:]
    operation = "describe_rule_groups_namespace"
    answer = subject.request(operation, workspaceId=workspace, name=name)
    return {**subject.extract(operation, answer, "ruleGroupsNamespace"), "workspaceId": workspace}


OF_WORKSPACE = {"workspaceId": P("workspaceId")}
NAMED = {**OF_WORKSPACE, "name": P("name")}

RULES = Kind(
    service="amp",
    schema="AWS::APS::RuleGroupsNamespace",
    inputs="name workspaceId! data!",
    outputs="arn",
    create=Call("create_rule_groups_namespace", other_inputs=True),
    id="arn",
    name=Name(prefix=None, max_length=128),
    reads=(Read(read_rules),),
    changes=(Change(("data",), Call("put_rule_groups_namespace", NAMED, takes="data")),),
    delete=(Call("delete_rule_groups_namespace", NAMED),),
    tags=tags_by_arn("arn"),
)

ALERT_MANAGER = Kind(
    service="amp",
    schema="AWS::APS::Workspace",
    inputs="workspaceId! definition!",
    create=Call("create_alert_manager_definition", other_inputs=True),
    id="{workspaceId}",
    identity=("workspaceId",),
    names={"definition": "data"},
    reads=(
        Read(Call("describe_alert_manager_definition", {"workspaceId": ID}), at="alertManagerDefinition"),
    ),
    changes=(
        Change(
            ("definition",),
            Call("put_alert_manager_definition", OF_WORKSPACE, takes="definition"),
        ),
    ),
    delete=(Call("delete_alert_manager_definition", OF_WORKSPACE),),
    schema_names={"definition": "AlertManagerDefinition"},
)

TYPES = {
    "aws:amp/workspace:Workspace": WORKSPACE,
    "aws:amp/ruleGroupNamespace:RuleGroupNamespace": RULES,
    "aws:amp/alertManagerDefinition:AlertManagerDefinition": ALERT_MANAGER,
}
