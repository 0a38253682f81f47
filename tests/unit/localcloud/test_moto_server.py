import boto3
from moto import mock_aws
from moto.iam.models import iam_backends

from localcloud import moto_server

ACCOUNT = "123456789012"


@mock_aws
def test_roles_can_be_looked_through_while_another_is_made():
    iam = boto3.client("iam", region_name="us-east-1")
    for name in ("first", "second"):
        iam.create_role(RoleName=name, AssumeRolePolicyDocument="{}")

    seen = []
    for role in moto_server.roles(iam_backends[ACCOUNT]["aws"]):
        iam.create_role(RoleName=f"beside-{role.name}", AssumeRolePolicyDocument="{}")
        seen.append(role.name)

    assert seen == ["first", "second"]
