"""IAM of other partitions than `aws`."""

from localcloud.plugins.aws.api import Api
from localcloud.plugins.aws.refusals.identities import managed_policy
from tests.support.deployment import laptop


def test_policies_of_aws_in_china_are_about_resources_in_china():
    with laptop() as cloud:
        iam = Api(cloud, None, "cn-northwest-1").client("iam")  # type: ignore[arg-type]

        policy = managed_policy(iam, "arn:aws-cn:iam::aws:policy/AmazonEKS_CNI_Policy")

    assert "arn:aws-cn:ec2:*:*:network-interface/*" in str(policy)
    assert "arn:aws:" not in str(policy)
