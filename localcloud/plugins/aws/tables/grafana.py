"""Amazon Managed Grafana."""

from localcloud.plugins.aws.table import ID, Call, Kind, Name, Read, change, tags_by_arn, words

OWN = {"workspaceId": ID}

WORKSPACE = Kind(
    service="grafana",
    schema="AWS::Grafana::Workspace",
    inputs="accountAccessType! authenticationProviders! permissionType! name description roleArn dataSources "
    "networkAccessControl",
    outputs="arn endpoint grafanaVersion",
    create=Call("create_workspace", other_inputs=True),
    id="workspace.id",
    name=Name(prefix=None),
    names={
        "name": "workspaceName",
        "description": "workspaceDescription",
        "roleArn": "workspaceRoleArn",
        "dataSources": "workspaceDataSources",
    },
    derived={"arn": "arn:{partition}:grafana:{region}:{account}:/workspaces/{id}"},
    reads=(
        Read(
            Call("describe_workspace", OWN),
            at="workspace",
            properties={"authenticationProviders": "authentication.providers"},
        ),
    ),
    changes=(
        change(
            "accountAccessType permissionType name description roleArn dataSources networkAccessControl",
            "update_workspace",
            OWN,
        ),
        change("authenticationProviders", "update_workspace_authentication", OWN),
    ),
    delete=(Call("delete_workspace", OWN),),
    tags=tags_by_arn("arn"),
    unordered=words("authenticationProviders"),
)

TYPES = {"aws:grafana/workspace:Workspace": WORKSPACE}
