"""Clusters, node groups and their machines, as AWS's side of EKS has them."""

import base64
import json

import pytest

from aws_rules.rule import Rule, Violation
from localcloud import unknowns
from localcloud.errors import Refusal
from localcloud.plugins.aws import eks_backend
from localcloud.plugins.aws.refusals import reservations
from localcloud.plugins.provider import InitializationFailed
from localcloud.store import store_folder
from tests.local.aws.tokens import ADDON, CLUSTER, LAUNCH_TEMPLATE, NODE_GROUP, ROLE_ARN


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


CREATOR = "arn:aws:iam::123456789012:user/laptop"
PERSON = "arn:aws:iam::123456789012:role/person"
ENTRY = "aws:eks/accessEntry:AccessEntry"
ASSOCIATION = "aws:eks/accessPolicyAssociation:AccessPolicyAssociation"


@pytest.fixture
def open_cluster(bench, cluster):
    """Make a cluster of the name, in the place of the one that has `aws-auth` only."""

    def make(name, **access_config):
        inputs = {key: cluster.inputs[key] for key in ("roleArn", "version", "vpcConfig")}
        access = {"authenticationMode": "API", **access_config}
        return bench.make(CLUSTER, {**inputs, "name": name, "accessConfig": access}, name=name)

    return make


def entries(bench, cluster):
    call = bench.provider.api.call
    return call("eks", "list_access_entries", {"clusterName": cluster})["accessEntries"]


def policies(bench, cluster, principal):
    members = {"clusterName": cluster, "principalArn": principal}
    answer = bench.provider.api.call("eks", "list_associated_access_policies", members)
    return [policy["policyArn"].rpartition("/")[2] for policy in answer["associatedAccessPolicies"]]


def test_who_makes_a_cluster_administers_it_unless_told_otherwise(bench, open_cluster):
    open_cluster("mine")
    open_cluster("theirs", bootstrapClusterCreatorAdminPermissions=False)

    assert entries(bench, "mine") == [CREATOR]
    assert policies(bench, "mine", CREATOR) == ["AmazonEKSClusterAdminPolicy"]
    assert entries(bench, "theirs") == []


def test_the_machines_of_groups_have_an_entry_as_long_as_there_is_one(bench, open_cluster, cluster):
    open_cluster("c2", bootstrapClusterCreatorAdminPermissions=False)

    def group(name):
        subnets = cluster.inputs["vpcConfig"]["subnetIds"][:1]
        sizes = {"minSize": 0, "maxSize": 1, "desiredSize": 0}
        inputs = {"clusterName": "c2", "nodeGroupName": name, "nodeRoleArn": ROLE_ARN, "subnetIds": subnets}
        return bench.make(NODE_GROUP, {**inputs, "scalingConfig": sizes}, name=name)

    one, two = group("one"), group("two")
    entry = bench.look_up(ENTRY, f"c2:{ROLE_ARN}").outputs

    assert (entry["type"], entry["kubernetesGroups"]) == ("EC2_LINUX", ["system:nodes"])
    assert entry["userName"] == "system:node:{{EC2PrivateDNSName}}"
    bench.delete(one)
    assert entries(bench, "c2") == [ROLE_ARN]
    bench.delete(two)
    assert entries(bench, "c2") == []


def test_an_entry_has_the_session_of_its_role_as_user_name(bench, open_cluster):
    open_cluster("named")
    entry = bench.make(ENTRY, {"clusterName": "named", "principalArn": PERSON})

    assert entry.outputs["userName"] == "arn:aws:sts::123456789012:assumed-role/person/{{SessionName}}"


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (
            {"kubernetesGroups": ["system:masters"]},
            "The kubernetes group name system:masters is invalid, it cannot start with system:",
        ),
        ({"userName": "eks:me"}, "The username must not begin with eks:"),
        ({"principalArn": CREATOR}, r"already in use on this cluster \(ResourceInUseException\)"),
        (
            {"principalArn": "arn:aws:sts::123456789012:assumed-role/person/me"},
            "The specified principalArn is invalid: invalid principal",
        ),
    ],
)
def test_an_entry_that_eks_would_refuse_is_refused(bench, open_cluster, entry, words):
    open_cluster("strict")

    with pytest.raises(Refusal, match=words):
        bench.make(ENTRY, {"clusterName": "strict", "principalArn": PERSON, **entry})
    assert entries(bench, "strict") == [CREATOR]


def test_an_entry_is_not_changed_into_one_that_eks_would_refuse(bench, open_cluster):
    open_cluster("changing")
    inputs = {"clusterName": "changing", "principalArn": PERSON}
    entry = bench.make(ENTRY, inputs)

    with pytest.raises(Refusal, match="aws:developers is invalid, it cannot start with"):
        bench.change(entry, {**inputs, "kubernetesGroups": ["aws:developers"]})


def test_a_cluster_with_aws_auth_only_takes_no_entries(bench, cluster):
    with pytest.raises(Refusal, match=r"must be set to one of \[API, API_AND_CONFIG_MAP\]"):
        bench.make(ENTRY, {"clusterName": "c", "principalArn": PERSON})


def test_a_policy_for_somebody_without_an_entry_is_refused(bench, open_cluster):
    open_cluster("empty")
    policy = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy"
    scope = {"accessScope": {"type": "cluster"}}

    with pytest.raises(Refusal, match="The specified principalArn could not be found"):
        bench.make(
            ASSOCIATION, {"clusterName": "empty", "principalArn": PERSON, "policyArn": policy, **scope}
        )


def test_a_policy_whose_rules_nobody_wrote_down_is_associated_and_noted(bench, open_cluster):
    open_cluster("new")
    policy = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSBrandNewPolicy"
    inputs = {"clusterName": "new", "principalArn": CREATOR, "policyArn": policy}

    bench.make(ASSOCIATION, {**inputs, "accessScope": {"type": "cluster"}})

    assert any("AmazonEKSBrandNewPolicy" in sentence for sentence in unknowns.noted(bench.provider.cloud))


def test_the_identity_at_hand_is_who_makes_clusters(bench):
    identity = bench.provider.invoke("aws:index/getCallerIdentity:getCallerIdentity", {})

    assert identity["arn"] == CREATOR


def test_a_node_group_has_an_auto_scaling_group_with_the_tags_that_eks_gives_it(bench, cluster):
    group = bench.make(
        NODE_GROUP,
        {
            "clusterName": "c",
            "nodeGroupName": "executors",
            "nodeRoleArn": ROLE_ARN,
            "subnetIds": cluster.inputs["vpcConfig"]["subnetIds"][:1],
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
                "subnetIds": cluster.inputs["vpcConfig"]["subnetIds"][:1],
                "scalingConfig": {"minSize": 1, "maxSize": 9, "desiredSize": 2},
            },
            name=name,
        )
        return node_group.outputs["resources"][0]["autoscalingGroups"][0]["name"]

    plans = [
        bench.make(
            "aws:autoscaling/schedule:Schedule",
            {
                "autoscalingGroupName": group(name),
                "scheduledActionName": "night",
                "minSize": size,
                "maxSize": -1,
                "desiredCapacity": -1,
            },
            name=name,
        )
        for name, size in (("a", 1), ("b", 2))
    ]

    assert [bench.read(plan).outputs["minSize"] for plan in plans] == [1, 2]
    about = {key: plans[0].inputs[key] for key in ("autoscalingGroupName", "scheduledActionName")}
    for sizes, words in (
        # A size that is left out is 0.
        ({"minSize": 2}, "Desired capacity must be greater than or equal to min size"),
        (
            {"minSize": 2, "maxSize": 1, "desiredCapacity": -1},
            "Min bound, 2, must be less than or equal to max bound, 1",
        ),
    ):
        with pytest.raises(Refusal, match=words):
            bench.change(plans[0], {**about, **sizes})


@pytest.fixture
def machines(bench, cluster, monkeypatch):
    """Make or change a node group, and see what machines its cluster is given."""
    groups = []
    monkeypatch.setattr(eks_backend, "apply_machines", lambda plane, group: groups.append(group))
    inputs = {
        "clusterName": "c",
        "nodeGroupName": "executors",
        "nodeRoleArn": ROLE_ARN,
        "subnetIds": cluster.inputs["vpcConfig"]["subnetIds"][:1],
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
        name = f"template-{len(data)}"
        resource = bench.make("aws:ec2/launchTemplate:LaunchTemplate", {"name": name, "userData": data})
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


def group_inputs(cluster, **changes):
    return {
        "clusterName": "c",
        "nodeGroupName": "executors",
        "nodeRoleArn": ROLE_ARN,
        "subnetIds": cluster.inputs["vpcConfig"]["subnetIds"][:1],
        "scalingConfig": {"minSize": 3, "maxSize": 3, "desiredSize": 3},
        **changes,
    }


def own_image(bench, name):
    """A launch template with an image of one's own."""
    template = bench.make(LAUNCH_TEMPLATE, {"name": name, "imageId": "ami-0123456789abcdef0"}, name=name)
    return {"id": template.id, "version": "1"}


def test_a_group_with_an_image_of_ones_own_is_shown_with_it(bench, cluster, monkeypatch):
    groups = []
    monkeypatch.setattr(eks_backend, "apply_machines", lambda plane, group: groups.append(group))

    bench.make(NODE_GROUP, group_inputs(cluster, launchTemplate=own_image(bench, "own")))

    group = shown(bench)
    assert (group["amiType"], group["releaseVersion"]) == ("CUSTOM", "ami-0123456789abcdef0")
    # Kubelets have no version of that name.
    assert groups[-1].release == ""


def test_eks_takes_no_version_beside_an_image_of_ones_own(bench, cluster):
    template = own_image(bench, "versioned")

    with pytest.raises(Refusal, match="cannot specify the field version when specifying an image id"):
        bench.make(NODE_GROUP, group_inputs(cluster, launchTemplate=template, version="1.33"))


def test_a_group_with_eks_image_does_not_get_one_of_ones_own(bench, cluster, monkeypatch):
    monkeypatch.setattr(eks_backend, "apply_machines", lambda plane, group: None)
    template = bench.make(LAUNCH_TEMPLATE, {"name": "switched", "ebsOptimized": "true"})
    inputs = group_inputs(cluster, launchTemplate={"id": template.id, "version": "1"})
    group = bench.make(NODE_GROUP, inputs)
    bench.change(template, {"name": "switched", "imageId": "ami-0123456789abcdef0"})

    with pytest.raises(Refusal, match="You must create a new node group to switch"):
        bench.change(group, {**inputs, "launchTemplate": {"id": template.id, "version": "2"}})


def shown(bench, name="executors"):
    return bench.provider.api.call("eks", "describe_nodegroup", {"clusterName": "c", "nodegroupName": name})[
        "nodegroup"
    ]


def reserved(bench, cluster, monkeypatch, instances, **changes):
    """A group of three machines, all in a reservation of so many instances."""
    ec2 = bench.provider.api.client("ec2")
    [subnet] = ec2.describe_subnets(SubnetIds=cluster.inputs["vpcConfig"]["subnetIds"][:1])["Subnets"]
    reservation = {
        "CapacityReservationId": "cr-0a1b2c3d4e5f60718",
        "InstanceType": "m7g.large",
        "AvailabilityZone": subnet["AvailabilityZone"],
        "TotalInstanceCount": instances,
    }
    monkeypatch.setattr(reservations, "capacity_reservations", lambda project: [reservation])
    target = {"capacityReservationTarget": {"capacityReservationId": "cr-0a1b2c3d4e5f60718"}}
    template = bench.make(LAUNCH_TEMPLATE, {"capacityReservationSpecification": target})
    return group_inputs(
        cluster,
        instanceTypes=["m7g.large"],
        launchTemplate={"id": template.id, "version": "1"},
        **changes,
    )


def test_a_minimum_above_the_desired_size_is_refused_with_ekss_words(bench, cluster):
    group = bench.make(NODE_GROUP, group_inputs(cluster))
    larger = {"minSize": 5, "maxSize": 5, "desiredSize": 3}

    with pytest.raises(Refusal, match="Minimum capacity 5 can't be greater than desired size 3"):
        bench.change(group, group_inputs(cluster, scalingConfig=larger))
    bench.change(group, group_inputs(cluster, scalingConfig=dict.fromkeys(larger, 5)))
    assert shown(bench)["scalingConfig"]["desiredSize"] == 5


def test_a_size_that_auto_scaling_has_changed_is_the_one_that_eks_shows_and_keeps(bench, cluster):
    sizes = {"minSize": 1, "maxSize": 9, "desiredSize": 2}
    group = bench.make(NODE_GROUP, group_inputs(cluster, scalingConfig=sizes))
    name = group.outputs["resources"][0]["autoscalingGroups"][0]["name"]
    bench.provider.api.service("autoscaling").set_desired_capacity(
        AutoScalingGroupName=name, DesiredCapacity=7
    )

    assert shown(bench)["scalingConfig"]["desiredSize"] == 7
    with pytest.raises(Refusal, match="can't be greater than max size 5"):
        bench.change(
            group, group_inputs(cluster, scalingConfig={"minSize": 1, "maxSize": 5, "desiredSize": 7})
        )


def test_an_update_that_a_full_reservation_has_no_room_for_fails_unless_old_machines_go_first(
    bench, cluster, monkeypatch
):
    inputs = reserved(bench, cluster, monkeypatch, 3)
    group = bench.make(NODE_GROUP, inputs)
    rolled = {**inputs, "releaseVersion": "1.34.9-20261105"}

    with pytest.raises(Refusal, match="ReservationCapacityExceeded") as refusal:
        bench.change(group, rolled)
    assert "version update: unexpected state 'Failed', wanted target 'Successful'" in str(refusal.value)
    assert shown(bench)["status"] == "DEGRADED"
    assert shown(bench)["health"]["issues"][0]["code"] == "AsgInstanceLaunchFailures"

    bench.change(group, {**rolled, "updateConfig": {"maxUnavailable": 1, "updateStrategy": "MINIMAL"}})
    assert shown(bench)["status"] == "ACTIVE"


def test_a_group_larger_than_its_reservation_ends_as_in_eks(bench, cluster, monkeypatch):
    inputs = reserved(bench, cluster, monkeypatch, 2)

    with pytest.raises(
        InitializationFailed, match="unexpected state 'CREATE_FAILED', wanted target 'ACTIVE'"
    ):
        bench.make(NODE_GROUP, inputs)
    assert shown(bench)["status"] == "CREATE_FAILED"

    monkeypatch.setattr(reservations, "capacity_reservations", lambda project: [])
    bench.change(bench.resources[-1], inputs)
    assert shown(bench)["status"] == "CREATE_FAILED"


def test_a_group_whose_machines_cannot_join_ends_as_in_eks(bench, cluster, monkeypatch):
    rule = Rule(name="node-role", authority="EKS", decides="", source="")
    violation = Violation(
        rule=rule,
        resource="node group executors",
        code="NodeCreationFailure",
        message="Instances failed to join the kubernetes cluster",
        remedy="allow ec2:DescribeInstances",
    )
    monkeypatch.setattr(eks_backend, "JOIN_CHECKS", [lambda subject, group, data: [violation]])

    with pytest.raises(InitializationFailed) as failure:
        bench.make(NODE_GROUP, group_inputs(cluster))

    assert (
        "waiting for EKS Node Group (c:executors) create: unexpected state 'CREATE_FAILED', wanted target "
        "'ACTIVE'. last error: NodeCreationFailure: Instances failed to join the kubernetes cluster"
    ) in str(failure.value)
    assert "allow ec2:DescribeInstances" in str(failure.value)
    assert shown(bench)["health"]["issues"][0]["code"] == "NodeCreationFailure"


def test_a_group_without_machines_has_none_that_could_fail(bench, cluster, monkeypatch):
    monkeypatch.setattr(eks_backend, "JOIN_CHECKS", [lambda subject, group, data: 1 / 0])
    sizes = {"minSize": 0, "maxSize": 3, "desiredSize": 0}

    assert bench.make(NODE_GROUP, group_inputs(cluster, scalingConfig=sizes))


def test_an_update_that_takes_longer_than_the_provider_waits_fails_once_and_is_done(bench, cluster):
    hundreds = dict.fromkeys(("minSize", "maxSize", "desiredSize"), 400)
    group = bench.make(NODE_GROUP, group_inputs(cluster, scalingConfig=hundreds))
    rolled = group_inputs(cluster, scalingConfig=hundreds, releaseVersion="1.34.9-20261105")

    with pytest.raises(Refusal, match=r"last state: 'InProgress', timeout: 1h0m0s") as refusal:
        bench.change(group, rolled)
    assert "customTimeouts" in str(refusal.value)
    bench.change(group, rolled)


def test_a_time_out_of_ones_own_is_met_or_not(bench, cluster):
    with pytest.raises(InitializationFailed, match=r"last state: 'CREATING', timeout: 5m0s"):
        bench.make(NODE_GROUP, group_inputs(cluster), timeout=300)


@pytest.mark.parametrize(
    ("type", "inputs", "words"),
    [
        (NODE_GROUP, {"version": "1.35"}, "newer than the version of its cluster"),
        (NODE_GROUP, {"releaseVersion": "1.33.5-20261105"}, "not valid for kubernetes version 1.34"),
        (
            NODE_GROUP,
            {"scalingConfig": {"minSize": 2, "maxSize": 3, "desiredSize": 1}},
            "Minimum capacity 2 can't be greater than desired size 1",
        ),
        (
            ADDON,
            {"addonName": "kube-proxy", "addonVersion": "v1.35.3-eksbuild.2"},
            "version specified is not",
        ),
        (
            ADDON,
            {"addonName": "coredns", "addonVersion": "latest"},
            "Addon version specified is not supported",
        ),
    ],
)
def test_what_eks_would_refuse_is_refused_at_the_preview_already(bench, cluster, type, inputs, words):
    base = {"clusterName": "c"} if type == ADDON else group_inputs(cluster)

    with pytest.raises(Refusal, match=words):
        bench.provider.create(bench.target(type), bench.check(type, {**base, **inputs}), True, 0)


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({"version": "1.30"}, "unsupported Kubernetes version"),
        (
            {"vpcConfig": {"endpointPublicAccess": False, "endpointPrivateAccess": False}},
            "endpoint access cannot be false",
        ),
        ({"vpcConfig": {"publicAccessCidrs": ["10.0.0.0/8"]}}, "not allowed in publicAccessCidrs"),
    ],
)
def test_a_cluster_that_eks_would_refuse_is_refused_at_the_preview_already(bench, world, inputs, words):
    new = {"name": "new", "roleArn": ROLE_ARN, "version": "1.34", "vpcConfig": {}} | inputs

    with pytest.raises(Refusal, match=words):
        bench.provider.create(bench.target(CLUSTER), bench.check(CLUSTER, new), True, 0)


def test_what_goes_with_another_version_of_a_cluster_can_be_previewed_with_it(bench, cluster):
    old, new = cluster.inputs, {**cluster.inputs, "version": "1.35"}
    kube_proxy = {"clusterName": "c", "addonName": "kube-proxy", "addonVersion": "v1.35.3-eksbuild.2"}

    bench.provider.update(bench.state(cluster)[0], old, cluster.outputs, new, True, 0)
    bench.provider.create(bench.target(ADDON), bench.check(ADDON, kube_proxy), True, 0)
    bench.provider.cluster_versions.clear()
