"""Amazon Managed Grafana: an example of every type, and how it is changed by hand."""

from localcloud.engine import Resource
from tests.local.aws.examples.example import OTHER_TAGS, ROLE_ARN, TAGS, Changes, Console, Example

EXAMPLES = [
    Example(
        "aws:grafana/workspace:Workspace",
        lambda w: {
            "accountAccessType": "CURRENT_ACCOUNT",
            "authenticationProviders": ["SAML"],
            "permissionType": "CUSTOMER_MANAGED",
            "name": "moka",
            "roleArn": ROLE_ARN,
            "dataSources": ["PROMETHEUS"],
            "networkAccessControl": {"prefixListIds": ["pl-0123456789abcdef0"], "vpceIds": []},
            "tags": TAGS,
        },
        lambda w: {
            "authenticationProviders": ["AWS_SSO"],
            "networkAccessControl": {"prefixListIds": [], "vpceIds": ["vpce-0123456789abcdef0"]},
            "tags": OTHER_TAGS,
        },
    ),
]


def change_sources(console: Console, resource: Resource) -> None:
    console.edit("grafana", "workspace", resource.id, dataSources=["CLOUDWATCH"])


CHANGES_BY_HAND: Changes = {"aws:grafana/workspace:Workspace": change_sources}
