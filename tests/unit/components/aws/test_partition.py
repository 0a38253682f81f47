import pytest

from components.aws.partition import partition


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
