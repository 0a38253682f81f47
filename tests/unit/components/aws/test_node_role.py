import json

from moka.components.aws.node_role import NodeRole, NodeRoleArgs, first_pulls
from moka.components.aws.policy import Statement

BOUNDARY = "arn:aws:iam::111122223333:policy/boundary"


def deploy_role(deploy, **changes):
    return deploy(lambda: NodeRole("node", NodeRoleArgs(**{"region": "us-east-1", **changes})))


def test_nodes_may_join_and_pull_images_and_nothing_else(deploy):
    stack = deploy_role(deploy)

    [role] = stack.inputs("aws:iam/role:Role")
    trusted = json.loads(role["assumeRolePolicy"])["Statement"][0]["Principal"]
    assert trusted == {"Service": "ec2.amazonaws.com"}
    attachments = stack.inputs("aws:iam/rolePolicyAttachment:RolePolicyAttachment")
    assert {attachment["policyArn"].rpartition("/")[2] for attachment in attachments} == {
        "AmazonEKSWorkerNodeMinimalPolicy",
        "AmazonEC2ContainerRegistryPullOnly",
    }
    [policy] = stack.inputs("aws:iam/rolePolicy:RolePolicy")
    [statement] = json.loads(policy["policy"])["Statement"]
    assert (statement["Action"], statement["Resource"]) == (["ec2:DescribeInstances"], ["*"])


def test_what_else_nodes_may_do_is_said_statement_by_statement(deploy):
    more = Statement(sid="More", actions=("ecr:CreateRepository",), resources=["arn:r"])
    [policy] = deploy_role(deploy, statements=[more]).inputs("aws:iam/rolePolicy:RolePolicy")

    sids = [statement["Sid"] for statement in json.loads(policy["policy"])["Statement"]]
    assert sids == ["NodeName", "More"]


def test_the_role_is_under_its_path_and_bounded(deploy):
    stack = deploy_role(deploy, path="/moka-prod/", permissions_boundary_arn=BOUNDARY)

    [role] = stack.inputs("aws:iam/role:Role")
    assert (role["path"], role["permissionsBoundary"]) == ("/moka-prod/", BOUNDARY)


def test_the_first_pull_through_a_mirror_may_make_repositories_for_copies_alone():
    [statement] = first_pulls("444455556666.dkr.ecr.eu-west-1.amazonaws.com")

    assert statement.actions == ("ecr:CreateRepository",)
    assert "arn:aws:ecr:eu-west-1:444455556666:repository/docker.io/*" in statement.resources
    assert all(resource.endswith((".io/*", ".aws/*")) for resource in statement.resources)


def test_a_mirror_below_a_path_in_another_partition_is_named_there():
    [statement] = first_pulls("444455556666.dkr.ecr.cn-north-1.amazonaws.com.cn/mirror")

    assert "arn:aws-cn:ecr:cn-north-1:444455556666:repository/mirror/quay.io/*" in statement.resources


def test_a_mirror_by_its_dual_stack_name_is_the_same_registry():
    assert first_pulls("444455556666.dkr-ecr.eu-west-1.on.aws") == first_pulls(
        "444455556666.dkr.ecr.eu-west-1.amazonaws.com"
    )


def test_a_mirror_that_is_not_ecr_needs_no_permission_in_aws():
    assert first_pulls("registry.example.com/mirror") == ()
