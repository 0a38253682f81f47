"""The table of programs is right by AWS's definitions, and AWS's own policies are enough for its programs."""

import json

import pytest
from moto.iam.aws_managed_policies import aws_managed_policies_data

from aws_rules.iam import definitions, permissions, programs
from aws_rules.iam.evaluation import Resource, Role
from aws_rules.iam.permissions import EKS_REGISTRY, Place, Surroundings, filled, verdicts
from aws_rules.iam.programs import Program

MANAGED = json.loads(aws_managed_policies_data)
PROGRAMS = [thing for thing in vars(programs).values() if isinstance(thing, Program)]
PLACE = Place(
    region="us-east-1",
    account="111122223333",
    cluster="spark-a",
    more={
        "key": "arn:aws:kms:us-east-1:111122223333:key/k",
        "log_group": "arn:aws:logs:us-east-1:111122223333:log-group:a",
        "prefix": "s3/",
        "target": "logs",
        "bucket": "data",
    },
)
AROUND = Surroundings(resource=lambda arn: Resource(arn=arn, account="111122223333"))
CALLS = [(program, call) for program in PROGRAMS for call in program.calls]


@pytest.mark.parametrize(("program", "call"), CALLS, ids=lambda thing: getattr(thing, "name", ""))
def test_the_calls_of_the_table_exist_with_their_resources_and_condition_keys(program, call):
    for action in call.actions:
        assert definitions.expanded(action) == (action,)
        types = definitions.resource_types(action)
        for pattern in call.resources:
            assert definitions.fits(filled(pattern, PLACE), types) or (pattern == "*" and not types)
        known = [key for key in call.context if definitions.takes_key(action, filled(key, PLACE))]
        assert known or not call.context


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_each_program_says_where_it_is_written_what_it_calls(program):
    assert program.source.startswith("https://") or ": " in program.source


@pytest.mark.parametrize(
    ("program", "policy"),
    [
        (programs.NODEADM, "AmazonEKSWorkerNodePolicy"),
        (programs.IMAGE_PULLER, "AmazonEC2ContainerRegistryPullOnly"),
        (programs.POD_IDENTITY_AGENT, "AmazonEKSWorkerNodeMinimalPolicy"),
        (programs.VPC_CNI, "AmazonEKS_CNI_Policy"),
        (programs.EBS_CSI_DRIVER, "AmazonEBSCSIDriverPolicy"),
        (programs.EBS_CSI_DRIVER, "AmazonEBSCSIDriverPolicyV2"),
        (programs.EBS_CSI_DRIVER, "AmazonEBSCSIDriverEKSClusterScopedPolicy"),
        (programs.CONTROL_PLANE, "AmazonEKSClusterPolicy"),
    ],
)
def test_the_policy_that_aws_keeps_for_a_program_is_enough_for_it(program, policy):
    role = Role(arn="arn:aws:iam::111122223333:role/r", policies=(MANAGED[policy]["Document"],))

    assert list(verdicts(permissions.CALLS, "it", program, role, PLACE, AROUND)) == []


def test_the_registry_of_add_ons_lets_every_account_pull():
    [arn] = programs.IMAGE_PULLER.calls[1].resources

    assert EKS_REGISTRY in filled(arn, PLACE)
