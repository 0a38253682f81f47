"""Nodes that join by themselves, as the real component makes them: user data, subnets, default nodes."""

import base64
from types import SimpleNamespace

import pulumi_aws as aws
import pytest

from localcloud.control_plane.nodeadm import settings_of_user_data
from localcloud.errors import Refusal
from localcloud.plugins.eks import kubeconfig
from localcloud.plugins.eks.cluster import Cluster
from localcloud.plugins.eks.fargate import logical_name
from localcloud.plugins.eks.node_user_data import kubelet_flags, user_data
from localcloud.plugins.eks.worker_subnets import leads_out

CLUSTER = ("spark-a", "https://cluster.example", "Y2E=", "10.100.0.0/16")

# As the real component writes them (nodejs/eks/nodes/userdata.test.ts).
TEXT = """\
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="BOUNDARY"

--BOUNDARY
Content-Type: application/node.eks.aws

---
apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  cluster:
    name: spark-a
    apiServerEndpoint: https://cluster.example
    certificateAuthority: Y2E=
    cidr: 10.100.0.0/16

--BOUNDARY--
"""


def test_user_data_name_the_cluster():
    assert user_data(*CLUSTER, {}) == TEXT


def test_labels_and_taints_are_flags_of_the_kubelet():
    arguments = {
        "kubeletExtraArgs": "--v=2",
        "labels": {"a": "b", "c": "d"},
        "taints": {"special": {"value": "true", "effect": "NoSchedule"}, "bare": {"effect": "NoExecute"}},
    }
    flags = [
        "--v=2",
        "--node-labels=a=b,c=d",
        "--register-with-taints=special=true:NoSchedule,bare:NoExecute",
    ]

    assert list(kubelet_flags(arguments)) == flags
    encoded = base64.b64encode(user_data(*CLUSTER, arguments).encode()).decode()
    settings = settings_of_user_data(encoded)
    assert (settings.cluster, list(settings.flags)) == ("spark-a", flags)
    assert settings.flag("node-labels") == ["a=b", "c=d"]


def test_user_data_of_ones_own_are_left_as_they_are():
    assert user_data(*CLUSTER, {"nodeUserDataOverride": "#!/bin/sh", "labels": {"a": "b"}}) == "#!/bin/sh"


@pytest.mark.parametrize(
    ("gateway", "cidr", "out"),
    [("local", "172.31.0.0/16", False), ("igw-1", "0.0.0.0/0", True), ("", "0.0.0.0/0", False)],
)
def test_a_subnet_is_public_by_a_route_through_a_gateway(gateway, cidr, out):
    assert leads_out([SimpleNamespace(gateway_id=gateway, cidr_block=cidr)]) is out


@pytest.fixture
def cluster(deploy, monkeypatch):
    """Make a cluster with its default nodes, as the engine would ask for it."""
    monkeypatch.setattr(kubeconfig, "for_cluster", lambda *_: {})

    def make(**changes):
        inputs = {"vpcId": "vpc-1", "publicSubnetIds": ["subnet-1"], **changes}
        return deploy(lambda: Cluster("a", inputs, None))

    return make


def test_default_nodes_are_a_scaling_group_with_a_role_that_the_cluster_knows(cluster):
    recorder = cluster(instanceType="t3.large", desiredCapacity=3, maxSize=4)

    tree = recorder.tree().keys()
    of_cluster = "eks:index:Cluster$"
    assert f"{of_cluster}aws:autoscaling/group:Group::a" in tree
    assert f"{of_cluster}aws:ec2/launchTemplate:LaunchTemplate::a-launchTemplate" in tree
    assert f"{of_cluster}aws:iam/instanceProfile:InstanceProfile::a-instanceProfile" in tree
    role = f"{of_cluster}eks:index:ServiceRole$aws:iam/role:Role::a-instanceRole-role"
    assert role in tree
    group = recorder.by_name("aws:autoscaling/group:Group")["a"]
    assert (group["minSize"], group["maxSize"], group["desiredCapacity"]) == (1, 4, 3)
    assert group["vpcZoneIdentifiers"] == ["subnet-1"]
    template = recorder.by_name("aws:ec2/launchTemplate:LaunchTemplate")["a-launchTemplate"]
    assert template["instanceType"] == "t3.large"
    known = recorder.by_name("kubernetes:core/v1:ConfigMap")["a-nodeAccess"]["data"]["mapRoles"]
    assert "a-instanceRole-role" in known
    assert recorder.by_name("aws:eks/addon:Addon")["a-coredns"]


def test_fargate_takes_the_place_of_default_nodes(cluster):
    recorder = cluster(fargate=True)

    assert recorder.inputs("aws:autoscaling/group:Group") == []
    profile = recorder.by_name("aws:eks/fargateProfile:FargateProfile")["a-fargateProfile"]
    assert profile["selectors"] == [{"namespace": "default"}, {"namespace": "kube-system"}]
    core_dns = recorder.by_name("aws:eks/addon:Addon")["a-coredns"]
    assert core_dns["configurationValues"] == '{"computeType":"Fargate"}'


@pytest.mark.parametrize(
    ("cluster_name", "profile"), [("eks-a-b", "eks_a-bfargateProfile"), ("a-eks", "a-eks-fargateProfile")]
)
def test_no_profile_is_named_as_those_of_eks(cluster_name, profile):
    assert logical_name(cluster_name) == profile


def test_with_access_entries_the_default_nodes_have_one(cluster):
    entries = cluster(authenticationMode="API").by_name("aws:eks/accessEntry:AccessEntry")

    assert entries["a-defaultNodeGroupInstanceRole"]["type"] == "EC2_LINUX"


def test_options_of_the_default_nodes_are_in_one_place(cluster):
    with pytest.raises(Refusal, match="is mutually exclusive: set maxSize in nodeGroupOptions"):
        cluster(maxSize=3, nodeGroupOptions={"minSize": 1})


def test_default_nodes_without_a_profile_are_refused(deploy, cluster):
    del cluster

    def program():
        role = aws.iam.Role("node", assume_role_policy="{}")
        inputs = {"vpcId": "vpc-1", "publicSubnetIds": ["subnet-1"], "instanceRoles": [role]}
        Cluster("a", inputs, None)

    with pytest.raises(Refusal, match="an instanceProfile or instanceProfileName is required: set one"):
        deploy(program)
