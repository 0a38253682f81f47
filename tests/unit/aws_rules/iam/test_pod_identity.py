"""An association of EKS Pod Identity, and one change each by which its pods get no credentials."""

from datetime import datetime, timedelta

import pytest

from aws_rules.iam.permissions import Place
from aws_rules.iam.pod_identity import is_effective, may_be_taken, session_tags

ACCOUNT = "111122223333"
PLACE = Place(region="us-east-1", account=ACCOUNT, cluster="spark-a")
ASSOCIATION = {
    "clusterName": "spark-a",
    "namespace": "jobs",
    "serviceAccount": "spark",
    "roleArn": f"arn:aws:iam::{ACCOUNT}:role/jobs",
}
TAGS = {
    "aws:RequestTag/eks-cluster-name": "spark-a",
    "aws:RequestTag/kubernetes-namespace": "jobs",
    "aws:RequestTag/kubernetes-service-account": "spark",
}


def trust(service="pods.eks.amazonaws.com", actions=("sts:AssumeRole", "sts:TagSession"), conditions=None):
    statement = {"Effect": "Allow", "Principal": {"Service": service}, "Action": list(actions)}
    conditions = {"StringEquals": TAGS} if conditions is None else conditions
    return {"Version": "2012-10-17", "Statement": [{**statement, "Condition": conditions}]}


def test_eks_takes_a_role_that_trusts_it_for_these_pods():
    assert list(may_be_taken(ASSOCIATION, trust(), PLACE)) == []
    assert session_tags(ASSOCIATION, PLACE)["eks-cluster-name"] == "spark-a"


@pytest.mark.parametrize(
    ("association", "trusting", "words"),
    [
        ({}, trust("ec2.amazonaws.com"), "sts:AssumeRole"),
        ({}, trust(actions=["sts:AssumeRole"]), "because no role trust policy allows the sts:TagSession"),
        ({}, trust(conditions={"StringEquals": {**TAGS, "aws:RequestTag/eks-cluster-name": "spark-b"}}),
         "EKS does not have permissions to assume the associated role"),
        ({"serviceAccount": "default"}, trust(), "sts:AssumeRole"),
        ({"namespace": "other"}, trust(), "sts:AssumeRole"),
        ({"disableSessionTags": True}, trust(), "because no role trust policy allows the sts:AssumeRole"),
        ({}, trust(conditions={"ArnEquals": {"aws:SourceArn": "arn:aws:eks:us-east-1:1:cluster/x"}}),
         "EKS does not have permissions to assume the associated role"),
    ],
)  # fmt: skip
def test_one_change_leaves_pods_without_credentials(association, trusting, words):
    [violation] = may_be_taken({**ASSOCIATION, **association}, trusting, PLACE)

    assert violation.code == "AccessDeniedException"
    assert words in violation.message


def test_a_policy_of_an_association_takes_its_session_tags_away():
    [violation] = may_be_taken({**ASSOCIATION, "policy": "{}"}, trust(), PLACE)

    assert violation.code == "InvalidParameterException"
    assert violation.remedy == "set disableSessionTags, or take its policy away"


def test_without_tags_a_trust_policy_may_ask_for_the_cluster():
    of_cluster = {"ArnEquals": {"aws:SourceArn": f"arn:aws:eks:us-east-1:{ACCOUNT}:cluster/spark-a"}}
    untagged = {**ASSOCIATION, "disableSessionTags": True, "policy": "{}"}

    assert list(may_be_taken(untagged, trust(actions=["sts:AssumeRole"], conditions=of_cluster), PLACE)) == []


@pytest.mark.parametrize(("seconds", "effective"), [(0, False), (4.9, False), (5, True), (3600, True)])
def test_an_association_is_effective_some_seconds_after_it_is_made(seconds, effective):
    created = datetime.fromisoformat("2026-11-28T12:00:00+00:00")
    association = {**ASSOCIATION, "createdAt": created.isoformat()}

    assert is_effective(association, created + timedelta(seconds=seconds)) is effective
