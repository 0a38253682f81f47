"""What calls of AWS's API ask of IAM."""

import pytest

from aws_rules.iam import definitions
from aws_rules.iam.question_data import ACTIONS, BESIDES, NEW, TAG_ACTIONS
from aws_rules.iam.questions import Call, questions

REGION, ACCOUNT = "us-east-1", "111122223333"


def asked(operation, **members):
    """Action -> resources that a call `service:Operation` asks for."""
    service, _, name = operation.partition(":")
    call = Call(service=service, operation=name, members=members, region=REGION, account=ACCOUNT)
    return {question.action: question.resources for question in questions(call)}


def arn(service, rest):
    return f"arn:aws:{service}:{REGION}:{ACCOUNT}:{rest}"


@pytest.mark.parametrize(
    ("operation", "members", "expected"),
    [
        ("ec2:CreateVpc", {}, {"ec2:CreateVpc": (arn("ec2", "vpc/*"),)}),
        (
            "ec2:CreateSubnet",
            {"VpcId": "vpc-0123456789abcdef0"},
            {"ec2:CreateSubnet": (arn("ec2", "vpc/vpc-0123456789abcdef0"), arn("ec2", "subnet/*"))},
        ),
        ("ec2:DescribeVpcs", {}, {"ec2:DescribeVpcs": ("*",)}),
        # Nothing in the request tells of which table it is.
        (
            "ec2:DisassociateRouteTable",
            {"AssociationId": "rtbassoc-0123456789abcdef0"},
            {"ec2:DisassociateRouteTable": ()},
        ),
        ("s3:HeadBucket", {"Bucket": "data"}, {"s3:ListBucket": ("arn:aws:s3:::data",)}),
        ("s3:UploadPart", {"Bucket": "data", "Key": "a/b"}, {"s3:PutObject": ("arn:aws:s3:::data/a/b",)}),
        (
            "eks:DescribeAccessEntry",
            {"clusterName": "c", "principalArn": "arn:aws:iam::444455556666:role/team/etl"},
            {"eks:DescribeAccessEntry": (arn("eks", "access-entry/c/role/444455556666/etl/*"),)},
        ),
        (
            "kms:CreateAlias",
            {"AliasName": "alias/data", "TargetKeyId": "1234"},
            {"kms:CreateAlias": (arn("kms", "alias/data"), arn("kms", "key/1234"))},
        ),
        ("sts:GetCallerIdentity", {}, {}),
    ],
)
def test_a_call_asks_for_its_action_on_what_its_members_name(operation, members, expected):
    assert asked(operation, **members) == expected


def test_what_is_made_with_tags_takes_the_right_to_tag_it():
    tags = [{"ResourceType": "vpc", "Tags": [{"Key": "a", "Value": "b"}]}]

    assert asked("ec2:CreateVpc", TagSpecifications=tags)["ec2:CreateTags"] == (arn("ec2", "vpc/*"),)
    assert asked("eks:CreateCluster", name="c", tags={"a": "b"})["eks:TagResource"] == (
        arn("eks", "cluster/c"),
    )
    assert "eks:TagResource" not in asked("eks:CreateCluster", name="c")


def test_a_cluster_takes_the_rights_to_pass_its_role_and_to_use_its_key():
    role, key = "arn:aws:iam::111122223333:role/c", arn("kms", "key/1")
    encryption = [{"provider": {"keyArn": key}, "resources": ["secrets"]}]
    needed = asked("eks:CreateCluster", name="c", roleArn=role, encryptionConfig=encryption)

    assert (needed["iam:PassRole"], needed["kms:CreateGrant"]) == ((role,), (key,))


def test_an_interface_endpoint_with_private_names_takes_the_right_to_its_zone():
    vpc = {"VpcId": "vpc-0123456789abcdef0", "ServiceName": "com.amazonaws.us-east-1.sts"}

    assert "route53:AssociateVPCWithHostedZone" in asked(
        "ec2:CreateVpcEndpoint", PrivateDnsEnabled=True, **vpc
    )
    assert "route53:AssociateVPCWithHostedZone" not in asked("ec2:CreateVpcEndpoint", **vpc)


def test_who_writes_over_what_he_knows_must_be_able_to_read_it():
    key = "arn:aws:s3:::data/a"

    assert asked("s3:PutObject", Bucket="data", Key="a", IfNoneMatch="*") == {"s3:PutObject": (key,)}
    assert asked("s3:PutObject", Bucket="data", Key="a", IfMatch='"0a"') == {
        "s3:PutObject": (key,),
        "s3:GetObject": (key,),
    }


def test_the_tables_name_actions_that_there_are():
    besides = [action for rows in BESIDES.values() for row in rows for action in row.actions.split()]
    for action in {*ACTIONS.values(), *TAG_ACTIONS.values(), *besides}:
        prefix, _, name = action.partition(":")
        assert name in definitions.actions(prefix), action
    for operation, kind in NEW.items():
        assert definitions.resource_template(*kind.split(":")), operation
