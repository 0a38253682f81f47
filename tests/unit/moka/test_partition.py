import pytest

from moka.partition import managed_policy, partition


@pytest.mark.parametrize(
    ("region", "expected"),
    [
        ("us-east-1", "aws"),
        ("eu-central-1", "aws"),
        ("cn-north-1", "aws-cn"),
        ("us-gov-west-1", "aws-us-gov"),
        ("eusc-de-east-1", "aws-eusc"),
    ],
)
def test_a_region_is_in_its_partition(region, expected):
    assert partition(region) == expected


def test_policies_that_aws_keeps_are_found_in_every_partition():
    policy = "service-role/AmazonEBSCSIDriverPolicy"

    assert managed_policy(policy, "eu-west-1") == f"arn:aws:iam::aws:policy/{policy}"
    assert managed_policy(policy, "cn-north-1") == f"arn:aws-cn:iam::aws:policy/{policy}"
