import pulumi_eks as eks
import pytest

from components.aws.node_group import NodeGroup, NodeGroupArgs


def made_by(deploy, **changes):
    usual = {
        "node_role_arn": "arn:aws:iam::111122223333:role/node",
        "version": "1.34",
        "role": "executor",
        "architecture": "arm64",
        "instance_types": ("m8g.4xlarge",),
        "subnet_ids": ["subnet-1"],
        "min_size": 0,
        "max_size": 100,
        "initial_size": 1,
    }

    def program():
        NodeGroup("executor", NodeGroupArgs(eks_cluster=eks.Cluster("spark-a"), **{**usual, **changes}))

    return deploy(program)


def group(deploy, **changes):
    [made] = made_by(deploy, **changes).inputs("eks:index:ManagedNodeGroup")
    return made


@pytest.mark.parametrize(
    ("architecture", "image"),
    [("arm64", "AL2023_ARM_64_STANDARD"), ("amd64", "AL2023_x86_64_STANDARD")],
)
def test_the_machine_image_is_of_the_architecture(deploy, architecture, image):
    assert group(deploy, architecture=architecture)["amiType"] == image


@pytest.mark.parametrize("role", ["driver", "executor", "shuffle"])
def test_only_pods_that_ask_for_a_role_come_to_its_nodes(deploy, role):
    made = group(deploy, role=role)

    assert made["labels"]["moka.dev/role"] == role
    assert made["taints"] == [{"key": "moka.dev/role", "value": role, "effect": "NO_SCHEDULE"}]


def test_any_pod_may_run_on_system_nodes(deploy):
    assert group(deploy, role="system").get("taints", []) == []


def test_how_many_nodes_there_are_is_left_to_the_autoscaler(deploy):
    made = group(deploy)

    assert made["ignoreScalingChanges"] is True
    assert made["scalingConfig"] == {"minSize": 0, "maxSize": 100, "desiredSize": 1}


def test_capacity_is_on_demand_unless_spot_is_asked_for(deploy):
    assert group(deploy)["capacityType"] == "ON_DEMAND"
    assert group(deploy, spot=True)["capacityType"] == "SPOT"


def test_a_pod_cannot_take_the_permissions_of_its_node(deploy):
    [template] = made_by(deploy).inputs("aws:ec2/launchTemplate:LaunchTemplate")

    assert template["metadataOptions"]["httpTokens"] == "required"
    assert template["metadataOptions"]["httpPutResponseHopLimit"] == 1


def test_the_root_disk_is_encrypted_and_of_the_size_and_speed_asked_for(deploy):
    made = made_by(deploy, disk_gib=1000, disk_iops=6000, disk_mibps=1000, disk_key_arn="arn:aws:kms:::key/k")

    [template] = made.inputs("aws:ec2/launchTemplate:LaunchTemplate")
    disk = template["blockDeviceMappings"][0]["ebs"]
    assert (disk["volumeType"], disk["volumeSize"], disk["iops"], disk["throughput"]) == (
        "gp3",
        1000,
        6000,
        1000,
    )
    assert (disk["encrypted"], disk["kmsKeyId"]) == ("true", "arn:aws:kms:::key/k")


def test_nodes_use_the_newest_version_of_their_launch_template(deploy):
    assert group(deploy)["launchTemplate"] == {"id": "executor-id", "version": "1"}


def test_a_group_tells_its_name_once_it_is_there(deploy):
    told = []

    def program():
        args = NodeGroupArgs(
            eks_cluster=eks.Cluster("spark-a"),
            node_role_arn="arn:aws:iam::111122223333:role/node",
            version="1.34",
            role="system",
            architecture="amd64",
            instance_types=("m7i.large",),
            subnet_ids=["subnet-1"],
            min_size=1,
            max_size=3,
            initial_size=2,
        )
        NodeGroup("system", args).arn.apply(told.append)

    deploy(program)

    assert told == ["arn:aws:::system"]
