"""Pods that find no machine, on a cluster with a Cluster Autoscaler and before it has one."""

import json
from functools import partial

import pytest

from localcloud.aws_server import AwsServer
from localcloud.control_plane import ControlPlane
from localcloud.plugins.aws import cluster_autoscaler
from localcloud.plugins.aws.api import account_api
from localcloud.plugins.kubernetes.provider import Kubernetes
from localcloud.plugins.provider import Naming, Target
from tests.local.eks.test_engine import brought_up

CLUSTER, GROUP = "eks-test-blue", "system"
ACCOUNT, REGION = "123456789012", "us-east-1"
DEPLOYMENT = "kubernetes:apps/v1:Deployment"


@pytest.fixture(scope="module")
def outputs(cloud, tmp_path_factory):
    """What the cluster's program exports: each of its node groups has a machine, and may have three."""
    for stack in brought_up(cloud, tmp_path_factory.mktemp("autoscaler")):
        yield stack.outputs()


@pytest.fixture
def create(cloud, outputs, monkeypatch):
    """Deploy so many pods, of which a machine of the group `system` holds one."""
    # Where `up` runs, and what way it has to the API server, is not asked here.
    monkeypatch.setattr(Kubernetes, "dial", lambda provider, target: None)
    provider = Kubernetes(cloud, lambda urn, sentence: None)
    kubeconfig = outputs["kubeconfig"]
    text = kubeconfig if isinstance(kubeconfig, str) else json.dumps(kubeconfig)
    checked, failures = provider.check_config({"kubeconfig": text})
    assert not failures
    provider.configure(checked)

    def create(name, replicas, seconds):
        labels = {"app": name}
        resources = {"requests": {"cpu": "1200m"}}
        container = {"name": "main", "image": "registry.k8s.io/pause:3.10", "resources": resources}
        inputs = {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": name, "namespace": "default"},
            "spec": {
                "replicas": replicas,
                "selector": {"matchLabels": labels},
                "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
            },
        }
        target = Target(f"urn:pulumi:test::tests::{DEPLOYMENT}::{name}")
        checked, failures = provider.check(target, {}, inputs, Naming())
        assert not failures
        return provider.create(target, checked, False, seconds)

    yield create
    api = ControlPlane(cloud, CLUSTER).api()
    for deployment in api.list("/apis/apps/v1/namespaces/default/deployments"):
        api.delete(f"/apis/apps/v1/namespaces/default/deployments/{deployment['metadata']['name']}")


@pytest.fixture(scope="module")
def eks(cloud, outputs):
    """EKS of the account, as the laptop has it."""
    return account_api(cloud, AwsServer(cloud).url, ACCOUNT, REGION).service("eks", REGION)


def desired(eks):
    group = eks.describe_nodegroup(clusterName=CLUSTER, nodegroupName=GROUP)["nodegroup"]
    return group["scalingConfig"]["desiredSize"]


def pod(cpu):
    """One that asks for so much, and goes where it is not kept away."""
    container = {"name": "main", "resources": {"requests": {"cpu": cpu}}}
    return {"spec": {"containers": [container]}}


@pytest.fixture
def add_machine(cloud):
    """Ask for a machine for a pod."""
    return partial(cluster_autoscaler.add_machine, cloud, AwsServer(cloud).url, CLUSTER)


def test_a_machine_comes_for_a_pod_where_an_autoscaler_is_and_as_many_as_the_group_may_have(
    create, eks, cloud, add_machine
):
    assert add_machine(pod("1")) is None, "nobody is there to add one"
    eks.create_pod_identity_association(
        clusterName=CLUSTER,
        namespace="kube-system",
        serviceAccount="cluster-autoscaler",
        roleArn=f"arn:aws:iam::{ACCOUNT}:role/autoscaler",
    )

    create("two", replicas=2, seconds=120)
    assert desired(eks) == 2
    nodes = ControlPlane(cloud, CLUSTER).api().list("/api/v1/nodes", labelSelector="moka.dev/role=system")
    assert len(nodes) == 2

    assert add_machine(pod("3")) is None, "no machine of a group is that large"
    assert [add_machine(pod("1")) for _ in range(2)] == [GROUP, None]
    assert desired(eks) == 3
