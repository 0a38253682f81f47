import json

import pytest

from aws_rules.iam.pod_identity import EFFECTIVE_SECONDS
from moka.components.aws import pod_identity
from moka.components.aws.pod_identity import PodIdentity, PodIdentityArgs, pod_trust
from moka.components.aws.policy import Statement
from tests.support.recorder import Callbacks

READ = Statement(sid="Read", actions=("s3:GetObject",), resources=["arn:aws:s3:::moka-logs/*"])


def args(**changes):
    return PodIdentityArgs(
        **{"cluster_name": "spark-a", "namespace": "jobs", "service_account": "spark", **changes}
    )


def test_a_service_account_may_do_what_its_statements_say_and_nothing_else(deploy):
    stack = deploy(lambda: PodIdentity("spark", args(statements=[READ])))

    [policy] = stack.inputs("aws:iam/rolePolicy:RolePolicy")
    assert json.loads(policy["policy"])["Statement"] == [
        {
            "Sid": "Read",
            "Effect": "Allow",
            "Action": ["s3:GetObject"],
            "Resource": ["arn:aws:s3:::moka-logs/*"],
        }
    ]
    assert stack.inputs("aws:iam/rolePolicyAttachment:RolePolicyAttachment") == []


def test_the_role_is_given_to_that_service_account(deploy):
    stack = deploy(lambda: PodIdentity("spark", args(statements=[READ])))

    [association] = stack.inputs("aws:eks/podIdentityAssociation:PodIdentityAssociation")
    assert association["roleArn"] == "arn:aws:iam::123456789012:role/spark"
    assert (association["clusterName"], association["namespace"], association["serviceAccount"]) == (
        "spark-a",
        "jobs",
        "spark",
    )


@pytest.mark.parametrize("created", [True, False])
def test_its_id_is_known_once_the_association_is_effective(deploy, monkeypatch, created):
    pauses, ids = [], []

    async def sleep(seconds):
        pauses.append(seconds)

    def register(_, hook):
        # A real engine runs it after a creation only.
        if created:
            hook.callback(None)

    def program():
        PodIdentity("spark", args(statements=[READ])).association_id.apply(ids.append)

    monkeypatch.setattr(Callbacks, "register_resource_hook", register)
    monkeypatch.setattr(pod_identity, "sleep", sleep)
    stack = deploy(program)

    [association] = [resource for urn, resource in stack.tree().items() if "PodIdentityAssociation::" in urn]
    assert list(association.hooks.after_create) == ["spark-created"]
    assert len(ids) == 1
    assert pauses == ([pod_identity.SETTLING_SECONDS] if created else [])
    assert pod_identity.SETTLING_SECONDS >= 2 * EFFECTIVE_SECONDS


def test_software_of_aws_gets_the_policy_that_aws_keeps_for_it(deploy):
    driver = "arn:aws:iam::aws:policy/AmazonEBSCSIDriverEKSClusterScopedPolicy"
    stack = deploy(lambda: PodIdentity("csi", args(managed_policy_arns=(driver,))))

    [attachment] = stack.inputs("aws:iam/rolePolicyAttachment:RolePolicyAttachment")
    assert attachment["policyArn"] == driver
    assert stack.inputs("aws:iam/rolePolicy:RolePolicy") == []


def test_a_permissions_boundary_bounds_the_role(deploy):
    boundary = "arn:aws:iam::111122223333:policy/boundary"
    stack = deploy(lambda: PodIdentity("spark", args(statements=[READ], permissions_boundary_arn=boundary)))

    assert stack.inputs("aws:iam/role:Role")[0]["permissionsBoundary"] == boundary


def test_no_other_service_account_and_no_other_cluster_can_take_the_role():
    [statement] = json.loads(pod_trust("spark-a", "jobs", "spark"))["Statement"]

    assert statement["Principal"] == {"Service": "pods.eks.amazonaws.com"}
    assert statement["Condition"]["StringEquals"] == {
        "aws:RequestTag/eks-cluster-name": "spark-a",
        "aws:RequestTag/kubernetes-namespace": "jobs",
        "aws:RequestTag/kubernetes-service-account": "spark",
    }


def test_the_role_is_under_its_path_and_says_whose_it_is(deploy):
    stack = deploy(lambda: PodIdentity("spark", args(statements=[READ], path="/moka-dev/")))

    [role] = stack.inputs("aws:iam/role:Role")
    assert role["path"] == "/moka-dev/"
    assert role["description"] == "Pods of jobs/spark on spark-a"
