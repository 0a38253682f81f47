"""Clusters, node groups and their machines, as AWS's side of EKS has them."""

import base64
import json

import pytest

from localcloud.errors import Refusal
from localcloud.plugins.aws import eks_backend
from localcloud.plugins.aws.store import store_folder
from tests.local.aws.tokens import ADDON, NODE_GROUP, ROLE_ARN


def test_an_addon_changed_or_deleted_by_hand_is_found(bench, cluster):
    inputs = {"clusterName": "c", "addonName": "coredns", "addonVersion": "v1.11.4-eksbuild.2"}
    addon = bench.make(ADDON, inputs)
    [file] = store_folder(bench.provider.cloud).rglob("coredns.json")

    file.write_text(json.dumps({**json.loads(file.read_text()), "addonVersion": "v1.0.0"}))
    assert bench.read(addon).inputs["addonVersion"] == "v1.0.0"
    file.unlink()
    assert bench.read(addon) is None


def test_what_belongs_to_a_cluster_goes_with_it(bench, cluster):
    addon = bench.make(ADDON, {"clusterName": "c", "addonName": "coredns"})

    bench.delete(cluster)

    assert bench.read(addon) is None
    assert list(store_folder(bench.provider.cloud).rglob("coredns.json")) == []


def test_a_cluster_has_the_security_group_that_eks_makes_with_it(bench, cluster):
    group = cluster.outputs["vpcConfig"]["clusterSecurityGroupId"]
    ec2 = bench.provider.api.client("ec2")
    assert ec2.describe_security_groups(GroupIds=[group])["SecurityGroups"]

    bench.delete(cluster)

    assert not ec2.describe_security_groups(Filters=[{"Name": "group-id", "Values": [group]}])[
        "SecurityGroups"
    ]


def test_a_cluster_that_is_protected_is_not_deleted(bench, cluster):
    inputs = {name: cluster.inputs[name] for name in ("name", "roleArn", "version", "vpcConfig")}
    protected = bench.change(cluster, {**inputs, "deletionProtection": True})

    with pytest.raises(Refusal, match="deletion protection"):
        bench.delete(protected)
    bench.change(protected, {**inputs, "deletionProtection": False})


def test_a_cluster_goes_up_one_minor_version_at_a_time(bench, cluster):
    inputs = {name: cluster.inputs[name] for name in ("name", "roleArn", "vpcConfig")}

    with pytest.raises(Refusal, match=r"from 1\.34 to 1\.36"):
        bench.change(cluster, {**inputs, "version": "1.36"})


def test_a_node_group_has_an_auto_scaling_group_with_the_tags_that_eks_gives_it(bench, cluster):
    group = bench.make(
        NODE_GROUP,
        {
            "clusterName": "c",
            "nodeGroupName": "executors",
            "nodeRoleArn": ROLE_ARN,
            "subnetIds": cluster.inputs["vpcConfig"]["subnetIds"],
            "scalingConfig": {"minSize": 1, "maxSize": 9, "desiredSize": 2},
        },
    )
    name = group.outputs["resources"][0]["autoscalingGroups"][0]["name"]
    call = bench.provider.api.call
    [scaling_group] = call("autoscaling", "describe_auto_scaling_groups", {"AutoScalingGroupNames": [name]})[
        "AutoScalingGroups"
    ]

    assert name.startswith("eks-executors-")
    assert (scaling_group["MinSize"], scaling_group["MaxSize"], scaling_group["DesiredCapacity"]) == (1, 9, 2)
    assert {tag["Key"]: tag["Value"] for tag in scaling_group["Tags"]} == {
        "eks:cluster-name": "c",
        "eks:nodegroup-name": "executors",
        "kubernetes.io/cluster/c": "owned",
        "k8s.io/cluster-autoscaler/enabled": "true",
        "k8s.io/cluster-autoscaler/c": "owned",
    }
    bench.delete(group)
    remaining = call("autoscaling", "describe_auto_scaling_groups", {"AutoScalingGroupNames": [name]})
    assert remaining["AutoScalingGroups"] == []


def test_two_auto_scaling_groups_may_plan_under_the_same_name(bench, cluster):
    def group(name):
        node_group = bench.make(
            NODE_GROUP,
            {
                "clusterName": "c",
                "nodeGroupName": name,
                "nodeRoleArn": ROLE_ARN,
                "subnetIds": cluster.inputs["vpcConfig"]["subnetIds"],
                "scalingConfig": {"minSize": 1, "maxSize": 9, "desiredSize": 2},
            },
            name=name,
        )
        return node_group.outputs["resources"][0]["autoscalingGroups"][0]["name"]

    plans = [
        bench.make(
            "aws:autoscaling/schedule:Schedule",
            {"autoscalingGroupName": group(name), "scheduledActionName": "night", "minSize": size},
            name=name,
        )
        for name, size in (("a", 1), ("b", 2))
    ]

    assert [bench.read(plan).outputs["minSize"] for plan in plans] == [1, 2]


@pytest.fixture
def machines(bench, cluster, monkeypatch):
    """Make or change a node group, and see what machines its cluster is given."""
    groups = []
    monkeypatch.setattr(eks_backend, "apply_machines", lambda plane, group: groups.append(group))
    inputs = {
        "clusterName": "c",
        "nodeGroupName": "executors",
        "nodeRoleArn": ROLE_ARN,
        "subnetIds": cluster.inputs["vpcConfig"]["subnetIds"],
        "instanceTypes": ["r8gd.4xlarge"],
        "scalingConfig": {"minSize": 1, "maxSize": 9, "desiredSize": 4},
        "updateConfig": {"maxUnavailablePercentage": 50},
        "version": "1.33",
    }
    resources = []

    def put(**changes):
        inputs.update(changes)
        if resources:
            resources.append(bench.change(resources[-1], inputs))
        else:
            resources.append(bench.make(NODE_GROUP, inputs))
        return groups[-1]

    return put


def test_another_version_release_or_launch_template_means_other_machines(bench, machines):
    def template(data):
        resource = bench.make("aws:ec2/launchTemplate:LaunchTemplate", {"name": data, "userData": data})
        return {"id": resource.id, "version": "1"}

    groups = [
        machines(launchTemplate=template("I2Jhc2gK")),
        machines(version="1.34"),
        machines(releaseVersion="1.34.2-20261105"),
        machines(launchTemplate=template("I2Jhc2gKCg==")),
    ]

    assert len({group.revision for group in groups}) == 4
    assert groups[-1].release == "1.34.2-20261105" and groups[-1].max_unavailable == 2


def test_other_labels_taints_and_sizes_leave_the_machines_as_they_are(machines):
    before = machines()
    after = machines(
        labels={"tier": "1"},
        taints=[{"key": "retiring", "value": "true", "effect": "NO_SCHEDULE"}],
        scalingConfig={"minSize": 1, "maxSize": 9, "desiredSize": 5},
    )

    assert after.revision == before.revision
    assert (after.labels, after.taints[0].key, after.count) == ({"tier": "1"}, "retiring", 5)


def test_what_user_data_tells_nodeadm_reaches_the_machines(bench, machines):
    spec = {
        "kubelet": {"config": {"maxPods": 58}},
        "instance": {"localStorage": {"strategy": "RAID0"}},
    }
    config = json.dumps({"apiVersion": "node.eks.aws/v1alpha1", "kind": "NodeConfig", "spec": spec})
    part = f"Content-Type: application/node.eks.aws\n\n{config}"
    text = f'Content-Type: multipart/mixed; boundary="//"\n\n--//\n{part}\n--//--\n'
    data = base64.b64encode(text.encode()).decode()
    template = bench.make("aws:ec2/launchTemplate:LaunchTemplate", {"name": "told", "userData": data})

    group = machines(launchTemplate={"id": template.id, "version": "1"})

    assert (group.settings.max_pods, group.settings.local_disks) == (58, True)
    assert group.instance_types[0].local_disk == 950
