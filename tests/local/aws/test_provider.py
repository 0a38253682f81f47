"""What the provider promises beyond the life of single types, without the engine."""

import base64
import json
import subprocess
import sys

import pytest

from localcloud.errors import Refusal
from localcloud.plugins.aws import machine_room
from localcloud.plugins.aws.api import buckets
from localcloud.plugins.aws.kept import folder
from localcloud.plugins.aws.provider import Aws
from localcloud.plugins.differences import path_text
from localcloud.plugins.provider import Naming, Unfinished
from localcloud.plugins.values import UNKNOWN, Secret

VPC, SUBNET, ROLE = "aws:ec2/vpc:Vpc", "aws:ec2/subnet:Subnet", "aws:iam/role:Role"
BUCKET, GROUP = "aws:s3/bucket:Bucket", "aws:ec2/securityGroup:SecurityGroup"
ROLE_ARN = "arn:aws:iam::123456789012:role/somebody"
FULL = "arn:aws:iam::aws:policy/IAMFullAccess"


@pytest.fixture
def cluster(bench):
    vpc = bench.make(VPC, {"cidrBlock": "10.0.0.0/16"})
    subnet = bench.make(SUBNET, {"vpcId": vpc.id, "cidrBlock": "10.0.0.0/24"})
    return bench.make(
        "aws:eks/cluster:Cluster",
        {"name": "c", "roleArn": ROLE_ARN, "version": "1.34", "vpcConfig": {"subnetIds": [subnet.id]}},
    )


# --- previews ---


def test_a_preview_knows_the_inputs_and_nothing_that_aws_decides(bench):
    inputs = bench.check(VPC, {"cidrBlock": "10.0.0.0/16", "tags": {"Name": "x"}})
    id, outputs = bench.provider.create(bench.target(VPC), inputs, True, 0)

    assert id == ""
    assert outputs["cidrBlock"] == "10.0.0.0/16" and outputs["tagsAll"] == {"Name": "x"}
    assert outputs["arn"] is UNKNOWN and outputs["defaultSecurityGroupId"] is UNKNOWN
    assert outputs["enableDnsHostnames"] is UNKNOWN, "AWS decides what the program leaves out"


def test_a_preview_makes_and_changes_nothing(bench):
    made = bench.make(VPC, {"cidrBlock": "10.0.0.0/16"})
    before = bench.read(made)

    wanted = bench.check(VPC, {"cidrBlock": "10.0.0.0/16", "enableDnsHostnames": True}, made.inputs)
    planned = bench.provider.update(
        bench.target(VPC, "it", made.id), made.inputs, made.outputs, wanted, True, 0
    )

    assert planned["enableDnsHostnames"] is True and planned["arn"] == made.outputs["arn"]
    assert bench.read(made) == before


def test_inputs_that_are_not_known_yet_are_accepted(bench):
    inputs = bench.check(SUBNET, {"vpcId": UNKNOWN, "cidrBlock": UNKNOWN, "tags": {"Name": UNKNOWN}})
    _, outputs = bench.provider.create(bench.target(SUBNET), inputs, True, 0)

    assert outputs["vpcId"] is UNKNOWN and outputs["tagsAll"] == {"Name": UNKNOWN}


def test_an_input_that_becomes_unknown_may_replace(bench):
    vpc = bench.make(VPC, {"cidrBlock": "10.0.0.0/16"})
    subnet = bench.make(SUBNET, {"vpcId": vpc.id, "cidrBlock": "10.0.0.0/24"})

    diff = bench.diff(subnet, {"vpcId": UNKNOWN, "cidrBlock": "10.0.0.0/24"})

    assert diff.replaces == {("vpcId",)}


# --- names ---


def test_a_name_that_nobody_gave_is_made_once_and_kept(bench):
    made = bench.make(GROUP, {}, name="web")

    assert made.outputs["name"].startswith("web-") and len(made.outputs["name"]) == len("web-") + 7
    assert bench.diff(made, {}).kinds == {}


def test_a_prefix_makes_a_name_too(bench):
    assert (
        bench.make(ROLE, {"namePrefix": "pods-", "assumeRolePolicy": trust("ec2")})
        .outputs["name"]
        .startswith("pods-")
    )


def test_a_bucket_is_named_in_lower_case(bench):
    assert bench.make(BUCKET, {}, name="EventLogs").id.startswith("eventlogs-")


def test_without_autonaming_a_name_must_be_given(bench):
    _, failures = bench.provider.check(bench.target(BUCKET), {}, {}, Naming(disabled=True))

    assert [failure.property for failure in failures] == ["bucket"]


def test_what_has_a_name_of_a_persons_choice_is_deleted_before_it_is_made_anew(bench):
    chosen = bench.make(ROLE, {"name": "chosen", "assumeRolePolicy": trust("ec2")})
    made = bench.make(ROLE, {"assumeRolePolicy": trust("ec2")}, name="made")

    assert bench.diff(
        chosen, {"name": "chosen", "path": "/x/", "assumeRolePolicy": trust("ec2")}
    ).delete_before_replace
    assert not bench.diff(made, {"path": "/x/", "assumeRolePolicy": trust("ec2")}).delete_before_replace


# --- what is wrong ---


def test_what_is_missing_and_what_is_unknown_is_told_at_once(bench):
    _, failures = bench.provider.check(
        bench.target(SUBNET), {}, {"cidrBlok": "10.0.0.0/24", "outpostArn": "x"}, Naming()
    )

    told = {failure.property: failure.reason for failure in failures}
    assert told["vpcId"] == "aws:ec2/subnet:Subnet needs vpcId."
    assert "did you mean cidrBlock?" in told["cidrBlok"]
    assert "not simulated" in told["outpostArn"]


def test_a_name_inside_a_property_that_does_not_exist_is_told(bench):
    with pytest.raises(Refusal, match="There is no httpToken in metadataOptions"):
        bench.make("aws:ec2/launchTemplate:LaunchTemplate", {"metadataOptions": {"httpToken": "required"}})


def test_a_bucket_with_something_in_it_is_only_deleted_when_told_to(bench):
    bucket = bench.make(BUCKET, {"bucket": "full"})
    bench.provider.api.client("s3").put_object(Bucket="full", Key="x", Body=b"x")

    with pytest.raises(Refusal, match="Bucket full is not empty"):
        bench.delete(bucket)
    forced = bench.change(bucket, {"bucket": "full", "forceDestroy": True})
    bench.delete(forced)
    assert bench.read(forced) is None
    bench.left.remove(bucket)


def test_a_bucket_that_is_there_already_is_not_taken_over(bench):
    bench.make(BUCKET, {"bucket": "mine"})

    with pytest.raises(Refusal, match="There is a bucket mine already"):
        bench.make(BUCKET, {"bucket": "mine"}, name="second")


def test_an_aws_that_does_not_answer_is_told_with_what_to_do(tmp_path, bench):
    bench.provider = Aws(bench.provider.cloud, "http://127.0.0.1:9")

    with pytest.raises(Refusal, match=r"does not answer; it kept everything in memory.*make down.*make up"):
        bench.make(VPC, {"cidrBlock": "10.0.0.0/16"})


def test_what_is_there_but_not_finished_is_kept_by_the_engine(bench, monkeypatch):
    real = bench.provider.api.call

    def refusing(service, operation, members, region=""):
        if operation == "modify_vpc_attribute":
            raise Refusal("no")
        return real(service, operation, members, region)

    monkeypatch.setattr(bench.provider.api, "call", refusing)
    inputs = bench.check(VPC, {"cidrBlock": "10.0.0.0/16", "enableDnsHostnames": True})
    with pytest.raises(Unfinished) as unfinished:
        bench.provider.create(bench.target(VPC), inputs, False, 0)

    assert unfinished.value.id.startswith("vpc-")
    bench.provider.delete(bench.target(VPC, "it", unfinished.value.id), inputs, {}, 0)


def test_a_subnet_may_be_in_a_further_range_of_its_vpc(bench):
    vpc = bench.make(VPC, {"cidrBlock": "10.0.0.0/16"})
    range_ = "aws:ec2/vpcIpv4CidrBlockAssociation:VpcIpv4CidrBlockAssociation"
    bench.make(range_, {"vpcId": vpc.id, "cidrBlock": "100.64.0.0/16"})

    made = bench.make(SUBNET, {"vpcId": vpc.id, "cidrBlock": "100.64.0.0/18"})

    assert made.outputs["cidrBlock"] == "100.64.0.0/18"
    assert bench.read(vpc).inputs == vpc.inputs, "the range is no drift of the VPC"


# --- drift ---


def test_a_policy_written_otherwise_is_the_same_policy(bench):
    made = bench.make(ROLE, {"assumeRolePolicy": trust("ec2")})

    other = json.dumps(json.loads(trust("ec2")), indent=4, sort_keys=True)

    assert bench.diff(made, {"assumeRolePolicy": other}).kinds == {}


def test_the_order_of_what_has_none_is_no_difference(bench):
    vpc = bench.make(VPC, {"cidrBlock": "10.0.0.0/16"})
    tables = [bench.make("aws:ec2/routeTable:RouteTable", {"vpcId": vpc.id}, name=n).id for n in "ab"]
    inputs = {"vpcId": vpc.id, "serviceName": "com.amazonaws.us-east-1.s3"}
    made = bench.make("aws:ec2/vpcEndpoint:VpcEndpoint", {**inputs, "routeTableIds": tables})

    assert bench.diff(made, {**inputs, "routeTableIds": tables[::-1]}).kinds == {}


def test_what_somebody_changed_by_hand_is_in_the_inputs_after_a_refresh(bench):
    made = bench.make(ROLE, {"assumeRolePolicy": trust("ec2"), "tags": {"a": "1"}})
    iam = bench.provider.api.client("iam")
    iam.update_assume_role_policy(RoleName=made.id, PolicyDocument=trust("lambda"))
    iam.put_role_permissions_boundary(RoleName=made.id, PermissionsBoundary=FULL)
    iam.tag_role(RoleName=made.id, Tags=[{"Key": "b", "Value": "2"}])

    made.inputs, made.outputs = (found := bench.read(made)).inputs, found.outputs
    diff = bench.diff(made, {"assumeRolePolicy": trust("ec2"), "tags": {"a": "1"}})

    assert {path_text(path) for path in diff.kinds} == {"assumeRolePolicy", "permissionsBoundary", "tags.b"}
    made = bench.change(made, {"assumeRolePolicy": trust("ec2"), "tags": {"a": "1"}})
    assert "permissionsBoundary" not in bench.read(made).outputs
    assert bench.read(made).outputs["tagsAll"] == {"a": "1"}


def test_an_addon_changed_or_deleted_by_hand_is_found(bench, cluster):
    inputs = {"clusterName": "c", "addonName": "coredns", "addonVersion": "v1.11.4-eksbuild.2"}
    made = bench.make("aws:eks/addon:Addon", inputs)
    [kept] = folder(bench.provider.cloud).rglob("coredns.json")

    kept.write_text(json.dumps({**json.loads(kept.read_text()), "addonVersion": "v1.0.0"}))
    assert bench.read(made).inputs["addonVersion"] == "v1.0.0"
    kept.unlink()
    assert bench.read(made) is None


def test_what_belongs_to_a_cluster_goes_with_it(bench, cluster):
    made = bench.make("aws:eks/addon:Addon", {"clusterName": "c", "addonName": "coredns"})

    bench.delete(cluster)

    assert bench.read(made) is None
    assert list(folder(bench.provider.cloud).rglob("coredns.json")) == []


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


def test_a_log_group_that_is_protected_is_not_deleted(bench):
    inputs = {"name": "/audit", "deletionProtectionEnabled": True}
    protected = bench.make("aws:cloudwatch/logGroup:LogGroup", inputs)
    assert bench.read(protected).inputs == protected.inputs

    with pytest.raises(Refusal, match="deletion protection"):
        bench.delete(protected)
    bench.change(protected, {**inputs, "deletionProtectionEnabled": False})


def test_a_node_group_has_an_auto_scaling_group_with_the_tags_that_eks_gives_it(bench, cluster):
    group = bench.make(
        "aws:eks/nodeGroup:NodeGroup",
        {
            "clusterName": "c",
            "nodeGroupName": "executors",
            "nodeRoleArn": ROLE_ARN,
            "subnetIds": cluster.inputs["vpcConfig"]["subnetIds"],
            "scalingConfig": {"minSize": 1, "maxSize": 9, "desiredSize": 2},
        },
    )
    name = group.outputs["resources"][0]["autoscalingGroups"][0]["name"]
    ask = bench.provider.api.call
    [made] = ask("autoscaling", "describe_auto_scaling_groups", {"AutoScalingGroupNames": [name]})[
        "AutoScalingGroups"
    ]

    assert name.startswith("eks-executors-")
    assert (made["MinSize"], made["MaxSize"], made["DesiredCapacity"]) == (1, 9, 2)
    assert {tag["Key"]: tag["Value"] for tag in made["Tags"]} == {
        "eks:cluster-name": "c",
        "eks:nodegroup-name": "executors",
        "kubernetes.io/cluster/c": "owned",
        "k8s.io/cluster-autoscaler/enabled": "true",
        "k8s.io/cluster-autoscaler/c": "owned",
    }
    bench.delete(group)
    left = ask("autoscaling", "describe_auto_scaling_groups", {"AutoScalingGroupNames": [name]})
    assert left["AutoScalingGroups"] == []


@pytest.fixture
def machines(bench, cluster, monkeypatch):
    """Make or change a node group, and see what machines its cluster is given."""
    given = []
    monkeypatch.setattr(machine_room, "give_machines", lambda plane, group: given.append(group))
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
    made = []

    def put(**changes):
        inputs.update(changes)
        if made:
            made.append(bench.change(made[-1], inputs))
        else:
            made.append(bench.make("aws:eks/nodeGroup:NodeGroup", inputs))
        return given[-1]

    return put


def test_another_version_release_or_launch_template_means_other_machines(bench, machines):
    def template(data):
        made = bench.make("aws:ec2/launchTemplate:LaunchTemplate", {"name": data, "userData": data})
        return {"id": made.id, "version": "1"}

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
    made = bench.make("aws:ec2/launchTemplate:LaunchTemplate", {"name": "told", "userData": data})

    group = machines(launchTemplate={"id": made.id, "version": "1"})

    assert (group.settings.max_pods, group.settings.local_disks) == (58, True)
    assert group.instance_types[0].local_disk == 950


def test_two_auto_scaling_groups_may_plan_under_the_same_name(bench, cluster):
    def group(name):
        made = bench.make(
            "aws:eks/nodeGroup:NodeGroup",
            {
                "clusterName": "c",
                "nodeGroupName": name,
                "nodeRoleArn": ROLE_ARN,
                "subnetIds": cluster.inputs["vpcConfig"]["subnetIds"],
                "scalingConfig": {"minSize": 1, "maxSize": 9, "desiredSize": 2},
            },
            name=name,
        )
        return made.outputs["resources"][0]["autoscalingGroups"][0]["name"]

    plans = [
        bench.make(
            "aws:autoscaling/schedule:Schedule",
            {"autoscalingGroupName": group(name), "scheduledActionName": "night", "minSize": size},
            name=name,
        )
        for name, size in (("a", 1), ("b", 2))
    ]

    assert [bench.read(plan).outputs["minSize"] for plan in plans] == [1, 2]


def test_a_cluster_goes_up_one_minor_version_at_a_time(bench, cluster):
    inputs = {name: cluster.inputs[name] for name in ("name", "roleArn", "vpcConfig")}

    with pytest.raises(Refusal, match=r"from 1\.34 to 1\.36"):
        bench.change(cluster, {**inputs, "version": "1.36"})


# --- configuration ---


def test_default_tags_are_on_everything_and_among_no_inputs(bench):
    bench.provider = Aws(bench.provider.cloud, bench.provider.endpoint)
    bench.provider.configure({"region": "us-east-1", "defaultTags": json.dumps({"tags": {"owner": "data"}})})
    made = bench.make(VPC, {"cidrBlock": "10.0.0.0/16", "tags": {"Name": "x"}})

    assert made.outputs["tagsAll"] == {"owner": "data", "Name": "x"}
    assert bench.read(made).inputs["tags"] == {"Name": "x"}
    bench.provider.configure({"defaultTags": json.dumps({"tags": {"owner": "platform"}})})
    assert set(bench.diff(made, {"cidrBlock": "10.0.0.0/16", "tags": {"Name": "x"}}).kinds) == {("tagsAll",)}
    made = bench.change(made, {"cidrBlock": "10.0.0.0/16", "tags": {"Name": "x"}})
    assert bench.read(made).outputs["tagsAll"] == {"owner": "platform", "Name": "x"}


def test_a_role_to_take_means_its_account(bench):
    bench.provider = Aws(bench.provider.cloud, bench.provider.endpoint)
    bench.provider.configure(
        {"assumeRoles": json.dumps([{"roleArn": "arn:aws:iam::111122223333:role/deploy"}])}
    )

    made = bench.make(VPC, {"cidrBlock": "10.0.0.0/16"})

    assert made.outputs["ownerId"] == "111122223333"
    assert made.outputs["arn"].startswith("arn:aws:ec2:us-east-1:111122223333:vpc/")


def test_an_account_that_is_the_only_one_allowed_is_the_one_that_is_meant(bench):
    bench.provider = Aws(bench.provider.cloud, bench.provider.endpoint)
    bench.provider.configure({"allowedAccountIds": json.dumps(["111122223333"])})

    made = bench.make(VPC, {"cidrBlock": "10.0.0.0/16"})

    assert made.outputs["ownerId"] == "111122223333"
    identity = bench.provider.invoke("aws:index/getCallerIdentity:getCallerIdentity", {})
    assert identity["accountId"] == "111122223333"


def test_a_role_of_an_account_that_is_not_allowed_is_refused(bench):
    other = Aws(bench.provider.cloud, bench.provider.endpoint)

    with pytest.raises(Refusal, match="not allowed account 111122223333"):
        other.configure(
            {
                "allowedAccountIds": json.dumps(["444455556666"]),
                "assumeRoles": json.dumps([{"roleArn": "arn:aws:iam::111122223333:role/deploy"}]),
            }
        )


def test_accounts_share_nothing_but_the_names_of_clusters_and_buckets(bench, cluster):
    here, there = bench.provider, Aws(bench.provider.cloud, bench.provider.endpoint, "eu-west-1")
    there.configure({"allowedAccountIds": json.dumps(["111122223333"]), "region": "eu-west-1"})
    bench.make(BUCKET, {"bucket": "of-the-first"})
    bench.provider = there
    subnet = bench.make(
        SUBNET,
        {"vpcId": bench.make(VPC, {"cidrBlock": "10.0.0.0/16"}).id, "cidrBlock": "10.0.0.0/24"},
    )
    bench.make(BUCKET, {"bucket": "of-the-second"})
    inputs = {"roleArn": ROLE_ARN, "version": "1.34", "vpcConfig": {"subnetIds": [subnet.id]}}

    with pytest.raises(Refusal, match="an EKS cluster c in account 123456789012, us-east-1"):
        bench.make("aws:eks/cluster:Cluster", {"name": "c", **inputs})
    other = bench.make("aws:eks/cluster:Cluster", {"name": "d", **inputs})
    bench.make("aws:eks/addon:Addon", {"clusterName": "d", "addonName": "coredns"})

    assert other.outputs["arn"] == "arn:aws:eks:eu-west-1:111122223333:cluster/d"
    assert bench.found("aws:eks/cluster:Cluster", "c") is None
    listed = buckets(here.cloud, here.endpoint)
    assert "of-the-first" in listed["123456789012"] and "of-the-second" in listed["111122223333"]
    assert not set(listed["123456789012"]) & set(listed["111122223333"])


def test_a_resource_can_be_in_a_region_of_its_own(bench):
    made = bench.make(VPC, {"cidrBlock": "10.0.0.0/16", "region": "eu-west-1"})

    assert made.outputs["arn"].startswith("arn:aws:ec2:eu-west-1:")
    assert bench.diff(made, {"cidrBlock": "10.0.0.0/16"}).replaces == {("region",)}
    assert bench.read(made).inputs == made.inputs


def test_a_secret_stays_one(bench):
    made = bench.make(
        "aws:ssm/parameter:Parameter", {"name": "/s", "type": "SecureString", "value": Secret("hush")}
    )

    assert made.outputs["value"] == Secret("hush")
    assert bench.read(made).outputs["value"] == Secret("hush")
    assert bench.read(made).inputs["value"] == Secret("hush")


def test_the_plugin_loads_nothing_that_is_slow_before_it_needs_it():
    program = (
        "import sys, localcloud.plugins.aws.provider, localcloud.plugins.aws.tables as tables\n"
        "tables.all_rows()\n"
        "slow = ('botocore', 'boto3', 'moto', 'cfnlint', 'pulumi_aws')\n"
        "print([name for name in sys.modules if name.split('.')[0] in slow])"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert told.stdout.strip() == "[]"


def trust(service):
    return json.dumps(
        {
            "Version": "2012-10-17",
            "Statement": [
                {
                    "Effect": "Allow",
                    "Principal": {"Service": f"{service}.amazonaws.com"},
                    "Action": "sts:AssumeRole",
                }
            ],
        }
    )
