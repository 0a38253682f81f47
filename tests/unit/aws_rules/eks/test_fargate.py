"""Which subnets EKS takes for a Fargate profile."""

from aws_rules.eks.fargate import fargate_subnets


def test_a_public_subnet_is_refused_in_the_words_of_eks():
    [violation] = fargate_subnets("Fargate profile it of blue", ["subnet-1"])

    assert violation.code == "InvalidParameterException"
    assert violation.message == "Subnet subnet-1 provided in Fargate Profile is not a private subnet"


def test_private_subnets_are_taken():
    assert list(fargate_subnets("Fargate profile it of blue", [])) == []
