"""What EKS refuses of access entries and of policies for them: one change to an entry that is right."""

import pytest

from aws_rules.access.entries import refused_by_mode, refused_entry, refused_policy
from aws_rules.rule import Unknown

ACCOUNT = "123456789012"
ROLE = f"arn:aws:iam::{ACCOUNT}:role/developer"
ENTRY = {"clusterName": "spark-a", "principalArn": ROLE, "kubernetesGroups": ["moka:jobs:spark-jobs:edit"]}
POLICY = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy"


def refusals(**changes):
    return [str(verdict) for verdict in refused_entry({**ENTRY, **changes}, ACCOUNT, "aws")]


def test_an_entry_with_groups_of_its_own_is_taken():
    assert refusals() == []
    assert refusals(principalArn="arn:aws:iam::999999999999:role/of/another/account") == []
    assert refusals(username="ops:{{SessionName}}") == []
    machines = {"clusterName": "spark-a", "principalArn": ROLE, "type": "EC2_LINUX"}
    assert list(refused_entry(machines, ACCOUNT, "aws")) == []


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"kubernetesGroups": ["system:masters"]},
            "The kubernetes group name system:masters is invalid, it cannot start with system:",
        ),
        (
            {"kubernetesGroups": ["developers", "eks:admins"]},
            "eks:admins is invalid, it cannot start with eks:",
        ),
        ({"username": "system:admin"}, "The username must not begin with system:"),
        ({"username": "aws:me"}, "The username must not begin with aws:"),
        ({"username": "ops{{SessionName}}"}, "must include a colon before {{SessionName}}"),
        (
            {"principalArn": f"arn:aws:sts::{ACCOUNT}:assumed-role/developer/me"},
            "The specified principalArn is invalid: invalid principal",
        ),
        ({"principalArn": f"arn:aws:iam::{ACCOUNT}:group/developers"}, "invalid principal"),
        ({"principalArn": f"arn:aws-cn:iam::{ACCOUNT}:role/developer"}, "invalid principal"),
        (
            {"principalArn": f"arn:aws:iam::{ACCOUNT}:role/aws-service-role/eks.amazonaws.com/AnyRole"},
            "a principalArn value of a Service Linked Role",
        ),
        (
            {"type": "EC2_LINUX"},
            'This operation can only be performed on Access Entries with a type of "STANDARD"',
        ),
        (
            {
                "type": "EC2_LINUX",
                "kubernetesGroups": [],
                "principalArn": "arn:aws:iam::999999999999:role/node",
            },
            "the ARN must be in the same AWS account that your cluster is in",
        ),
    ],
)
def test_what_eks_refuses_of_an_entry_is_refused_in_its_words(changes, words):
    [sentence] = refusals(**changes)

    assert words in sentence
    assert "(InvalidParameterException): " in sentence
    assert "on cluster spark-a" in sentence


@pytest.mark.parametrize("mode", [None, "CONFIG_MAP"])
def test_a_cluster_with_aws_auth_only_has_no_entries(mode):
    access = {"authenticationMode": mode} if mode else {}

    [violation] = refused_by_mode({"name": "spark-a", "accessConfig": access})

    assert "must be set to one of [API, API_AND_CONFIG_MAP] to perform this operation" in str(violation)
    assert list(refused_by_mode({"name": "spark-a", "accessConfig": {"authenticationMode": "API"}})) == []


def verdicts(arn, **changes):
    return list(refused_policy({"policyArn": arn}, {**ENTRY, **changes}, "aws"))


@pytest.mark.parametrize(
    ("arn", "words"),
    [
        ("arn:aws:iam::aws:policy/AmazonEKSViewPolicy", "The policyArn parameter format is not valid"),
        (
            "arn:aws-cn:eks::aws:cluster-access-policy/AmazonEKSViewPolicy",
            "The specified policyArn could not be found",
        ),
        (
            "arn:aws:eks::aws:cluster-access-policy/AmazonEKSComputePolicy",
            "designated for AWS service-linked roles only",
        ),
    ],
)
def test_a_policy_that_eks_does_not_associate_is_refused(arn, words):
    [violation] = verdicts(arn)

    assert words in str(violation)
    assert verdicts(POLICY) == []


def test_machines_have_no_access_policies():
    [violation] = verdicts(POLICY, type="EC2_LINUX")

    assert 'with a type of "STANDARD"' in str(violation)


def test_a_policy_whose_rules_nobody_wrote_down_is_not_refused():
    [verdict] = verdicts("arn:aws:eks::aws:cluster-access-policy/AmazonEKSBrandNewPolicy")

    assert isinstance(verdict, Unknown)
    assert "AmazonEKSBrandNewPolicy" in str(verdict)
