"""Machines that join a cluster by themselves, by the real engine onto a real API server."""

import pytest

from localcloud import commands
from localcloud.cloud import Cloud
from localcloud.control_plane import ControlPlane
from localcloud.engine import Engine
from localcloud.report import facts
from tests.support.pulumi_project import write_project
from tests.support.pulumi_stack import PulumiStack

PROGRAM = """
import json
import pulumi
import pulumi_aws as aws
import pulumi_eks as eks

TRUST = {"Effect": "Allow", "Principal": {"Service": "ec2.amazonaws.com"}, "Action": "sts:AssumeRole"}
POLICIES = ("AmazonEKSWorkerNodePolicy", "AmazonEKS_CNI_Policy", "AmazonEC2ContainerRegistryReadOnly")


def profile(name):
    document = json.dumps({"Version": "2012-10-17", "Statement": [TRUST]})
    role = aws.iam.Role(name, assume_role_policy=document)
    attached = [
        aws.iam.RolePolicyAttachment(
            f"{name}-{policy}", role=role.name, policy_arn=f"arn:aws:iam::aws:policy/{policy}"
        )
        for policy in POLICIES
    ]
    opts = pulumi.ResourceOptions(depends_on=attached)
    return role, aws.iam.InstanceProfile(name, role=role.name, opts=opts)


role, known = profile("known")
_, unknown = profile("unknown")
cluster = eks.Cluster("blue", name="blue", skip_default_node_group=True, instance_roles=[role])
sizes = {"min_size": 1, "max_size": 2, "desired_capacity": 2}
eks.NodeGroupV2("in", cluster=cluster, instance_profile=known, labels={"tier": "one"}, **sizes)
eks.NodeGroupV2("out", cluster=cluster, instance_profile=unknown, **sizes)
"""


@pytest.fixture
def stack(tmp_path, monkeypatch):
    monkeypatch.setenv("AWS_REGION", "us-west-2")
    engine = Engine(Cloud(tmp_path / "cloud"), write_project(tmp_path / "small", PROGRAM))
    commands.create(engine, "dev")
    yield PulumiStack(engine, "dev")
    commands.stop(engine)


def test_machines_join_whose_role_aws_auth_has(stack):
    stack.up()

    cloud = stack.engine.cloud
    nodes = ControlPlane(cloud, "blue").api().list("/api/v1/nodes")
    assert [node["metadata"]["labels"]["tier"] for node in nodes] == ["one", "one"]
    [cluster] = facts(stack.engine)["clusters"]
    [sentence] = cluster["capped"]
    assert "0 of its 2 machines" in sentence
    assert "Instances failed to join the kubernetes cluster" in sentence
    assert "(without a path) to system:nodes in aws-auth" in sentence
    stack.expect_no_changes()

    stack.destroy()
