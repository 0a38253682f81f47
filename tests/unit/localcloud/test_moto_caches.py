import boto3
import pytest
from moto import mock_aws

from localcloud import moto_caches

POLICY = "arn:aws:iam::aws:policy/AmazonEKSClusterPolicy"


@pytest.fixture(autouse=True)
def caches():
    moto_caches.install()


def policies():
    pages = boto3.client("iam", region_name="us-east-1").get_paginator("list_policies").paginate(Scope="AWS")
    return {policy["Arn"]: policy["AttachmentCount"] for page in pages for policy in page["Policies"]}


def test_an_account_has_the_policies_of_aws_only_where_moto_is_told_so():
    with mock_aws(config={"iam": {"load_aws_managed_policies": False}}):
        assert policies() == {}
    with mock_aws(config={"iam": {"load_aws_managed_policies": True}}):
        assert POLICY in policies()


def test_what_a_policy_is_attached_to_is_forgotten_with_its_account():
    with mock_aws(config={"iam": {"load_aws_managed_policies": True}}):
        iam = boto3.client("iam", region_name="us-east-1")
        iam.create_role(RoleName="cluster", AssumeRolePolicyDocument="{}")
        iam.attach_role_policy(RoleName="cluster", PolicyArn=POLICY)
        assert policies()[POLICY] == 1
    with mock_aws(config={"iam": {"load_aws_managed_policies": True}}):
        assert policies()[POLICY] == 0
