"""A node's role, and one change each by which no node would join."""

import json
from dataclasses import replace

import pytest
from moto.iam.aws_managed_policies import aws_managed_policies_data

from aws_rules.iam.evaluation import Resource, Role
from aws_rules.iam.nodes import may_join
from aws_rules.iam.permissions import Place, Surroundings, surplus
from aws_rules.iam.programs import IMAGE_PULLER, NODEADM, POD_IDENTITY_AGENT
from aws_rules.rule import Unknown

ACCOUNT = "111122223333"
PLACE = Place(region="us-east-1", account=ACCOUNT, cluster="spark-a")
AROUND = Surroundings(resource=lambda arn: Resource(arn=arn, account=ACCOUNT))
DESCRIBE = {"Effect": "Allow", "Action": "ec2:DescribeInstances", "Resource": "*"}
EVERYTHING = {"Effect": "Allow", "Action": "*", "Resource": "*"}


def managed(name):
    return json.loads(aws_managed_policies_data)[name]["Document"]


def policy(*statements):
    return {"Version": "2012-10-17", "Statement": list(statements)}


def trust(service="ec2.amazonaws.com", action="sts:AssumeRole", **more):
    return policy({"Effect": "Allow", "Principal": {"Service": service}, "Action": action, **more})


def endpoint_of(service, *statements):
    document = policy(*[{"Principal": "*", **statement} for statement in statements])
    return replace(AROUND, endpoint=lambda name: document if name == service else None)


PULL, AGENT = managed("AmazonEC2ContainerRegistryPullOnly"), managed("AmazonEKSWorkerNodeMinimalPolicy")
ROLE = Role(arn=f"arn:aws:iam::{ACCOUNT}:role/node", policies=(PULL, AGENT, policy(DESCRIBE)))


def verdicts(role=ROLE, trusting=None, place=PLACE, around=AROUND, **more):
    return list(may_join("node group system", role, trusting or trust(), place, around, **more))


def test_nodes_join_with_a_role_that_may_do_what_they_call():
    assert verdicts() == []


def test_without_the_describe_call_of_nodeadm_the_group_ends_as_eks_ends_it():
    [violation] = verdicts(replace(ROLE, policies=(PULL, AGENT)))

    assert violation.code == "NodeCreationFailure"
    assert violation.message == (
        "Instances failed to join the kubernetes cluster; nodeadm gets: You are not authorized to perform "
        f"this operation. User: arn:aws:sts::{ACCOUNT}:assumed-role/node/i-0123456789abcdef0 is not "
        "authorized to perform: ec2:DescribeInstances because no identity-based policy allows the "
        "ec2:DescribeInstances action"
    )
    assert violation.remedy.startswith("let node do ec2:DescribeInstances: by a policy of the role")


def test_nodes_named_by_their_instances_need_no_describe_call():
    assert verdicts(replace(ROLE, policies=(PULL, AGENT)), names_by_instance_id=True) == []


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        ({"role": replace(ROLE, policies=(AGENT, policy(DESCRIBE)))}, "NodeCreationFailure",
         "no identity-based policy allows the ecr:GetAuthorizationToken action"),
        ({"role": replace(ROLE, policies=(PULL, policy(DESCRIBE)))}, "NodeCreationFailure",
         "no identity-based policy allows the eks-auth:AssumeRoleForPodIdentity action"),
        ({"role": replace(ROLE, boundary=policy({**EVERYTHING, "Action": ["ecr:*", "eks-auth:*", "s3:*"]}))},
         "NodeCreationFailure", "no permissions boundary allows the ec2:DescribeInstances action"),
        ({"role": replace(ROLE, boundary=policy(EVERYTHING, {**DESCRIBE, "Effect": "Deny"}))},
         "NodeCreationFailure", "with an explicit deny in a permissions boundary"),
        ({"role": replace(ROLE, policies=(*ROLE.policies, policy({**DESCRIBE, "Effect": "Deny"})))},
         "NodeCreationFailure", "with an explicit deny in an identity-based policy"),
        ({"role": replace(ROLE, policies=(PULL, AGENT, policy(
            {**DESCRIBE, "Resource": f"arn:aws:ec2:us-east-1:{ACCOUNT}:instance/*"})))},
         "NodeCreationFailure", "no identity-based policy allows the ec2:DescribeInstances action"),
        ({"role": replace(ROLE, policies=(PULL, policy(DESCRIBE, {
            "Effect": "Allow", "Action": "eks-auth:AssumeRoleForPodIdentity",
            "Resource": f"arn:aws:eks:us-east-1:{ACCOUNT}:cluster/another"})))},
         "NodeCreationFailure", "eks-auth:AssumeRoleForPodIdentity"),
        ({"role": replace(ROLE, policies=(PULL, AGENT, policy({
            **DESCRIBE, "Condition": {"StringEquals": {"aws:PrincipalAccount": "999999999999"}}})))},
         "NodeCreationFailure", "ec2:DescribeInstances"),
        ({"trusting": trust("eks.amazonaws.com")}, "InvalidParameterException",
         "Following required service principals [ec2.amazonaws.com] were not found in the trust "
         "relationships of nodeRole"),
        ({"trusting": trust(action="sts:TagSession")}, "InvalidParameterException",
         "Following required service principals [ec2.amazonaws.com]"),
        ({"around": endpoint_of("ec2", {**EVERYTHING, "Action": "ec2:RunInstances"})}, "NodeCreationFailure",
         "no VPC endpoint policy allows the ec2:DescribeInstances action"),
        ({"around": endpoint_of("ecr.api", {**EVERYTHING, "Condition": {
            "StringEquals": {"aws:PrincipalAccount": "999999999999"}}})}, "NodeCreationFailure",
         "no VPC endpoint policy allows the ecr:GetAuthorizationToken action"),
        ({"around": endpoint_of("eks-auth", {**EVERYTHING, "Effect": "Deny"})}, "NodeCreationFailure",
         "with an explicit deny in a VPC endpoint policy"),
        ({"around": endpoint_of("s3", {**EVERYTHING, "Condition": {
            "StringEquals": {"aws:PrincipalAccount": ACCOUNT}}})}, "NodeCreationFailure",
         "403 Forbidden of s3:GetObject on arn:aws:s3:::prod-us-east-1-starport-layer-bucket/*"),
        ({"cni_identity": False}, "NodeCreationFailure",
         "the VPC CNI gets: You are not authorized to perform this operation."),
    ],
)  # fmt: skip
def test_one_change_keeps_nodes_away_with_the_reason_of_aws(change, code, words):
    [violation] = verdicts(**change)

    assert violation.code == code
    assert words in violation.message


def test_a_cni_without_an_identity_has_that_of_its_node():
    with_cni = replace(ROLE, policies=(*ROLE.policies, managed("AmazonEKS_CNI_Policy")))

    assert verdicts(with_cni, cni_identity=False) == []


def test_what_only_aws_knows_of_a_request_is_not_refused():
    from_office = {**DESCRIBE, "Condition": {"IpAddress": {"aws:SourceIp": "198.51.100.0/24"}}}
    [unknown] = verdicts(replace(ROLE, policies=(PULL, AGENT, policy(from_office))))

    assert isinstance(unknown, Unknown)
    assert unknown.lacks == "the value of aws:SourceIp in ec2:DescribeInstances on *"


def test_what_a_role_may_beyond_its_programs_is_said():
    wide = replace(ROLE, policies=(managed("AmazonEKSWorkerNodePolicy"), PULL, policy({**EVERYTHING})))

    assert surplus(ROLE, [NODEADM, IMAGE_PULLER, POD_IDENTITY_AGENT]) == ["ecr:BatchImportUpstreamImage"]
    assert {"*", "ec2:DescribeVolumes", "eks:DescribeCluster"} <= set(
        surplus(wide, [NODEADM, IMAGE_PULLER, POD_IDENTITY_AGENT])
    )
