import base64
import email

import pulumi_eks as eks
import pytest
import yaml

from moka.components.aws.node_group import (
    NodeGroup,
    NodeGroupArgs,
    ScheduledBounds,
    extra_inputs,
    group_options,
    machine_kind,
    template_options,
    update_minutes,
)
from moka.components.aws.node_group_guard import NodeGroupGuard

TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
GROUP = "eks:index:ManagedNodeGroup"
SCHEDULE = "aws:autoscaling/schedule:Schedule"


def arguments(**changes):
    usual = {
        "eks_cluster": None,
        "group_name": "executor",
        "node_role_arn": "arn:aws:iam::111122223333:role/node",
        "version": "1.34",
        "role": "executor",
        "architecture": "arm64",
        "instance_types": ("m8g.4xlarge",),
        "subnets": {"us-east-1a": "subnet-1"},
        "min_size": 0,
        "max_size": 100,
        "initial_size": 1,
    }
    return NodeGroupArgs(**{**usual, **changes})


def deploy_group(deploy, **changes):
    return deploy(
        lambda: NodeGroup("executor", arguments(**{"eks_cluster": eks.Cluster("spark-a"), **changes}))
    )


def guarded(deploy, **changes):
    def program():
        more = {"eks_cluster": eks.Cluster("spark-a"), "guard": NodeGroupGuard("spark-a", "{}")}
        NodeGroup("executor", arguments(**{**more, **changes}))

    return deploy(program)


def group(deploy, **changes):
    [group] = deploy_group(deploy, **changes).inputs(GROUP)
    return group


def template(deploy, **changes):
    [template] = deploy_group(deploy, **changes).inputs(TEMPLATE)
    return template


def node_config(deploy, **changes):
    user_data = base64.b64decode(template(deploy, **changes)["userData"]).decode()
    [part] = email.message_from_string(user_data).get_payload()
    return yaml.safe_load(part.get_payload())["spec"]


@pytest.mark.parametrize(
    ("architecture", "instance_type", "image"),
    [
        ("arm64", "m8g.4xlarge", "AL2023_ARM_64_STANDARD"),
        ("amd64", "m7i.4xlarge", "AL2023_x86_64_STANDARD"),
        ("arm64", "g5g.4xlarge", "AL2023_ARM_64_NVIDIA"),
        ("amd64", "g6.4xlarge", "AL2023_x86_64_NVIDIA"),
    ],
)
def test_the_machine_image_is_of_the_architecture_and_has_drivers_for_gpus(
    deploy, architecture, instance_type, image
):
    inputs = group(deploy, architecture=architecture, instance_types=(instance_type,))

    assert inputs["amiType"] == image


def test_the_machine_image_is_of_the_release_asked_for(deploy):
    assert group(deploy, ami_release="1.34.2-20261105")["releaseVersion"] == "1.34.2-20261105"
    assert "releaseVersion" not in group(deploy)


AMI = "ami-0123456789abcdef0"


def test_scripts_run_on_every_machine_of_the_group(deploy):
    data = base64.b64decode(template(deploy, scripts=("#!/bin/sh\ntrue\n",))["userData"]).decode()

    _, script = email.message_from_string(data).get_payload()
    assert (script.get_content_type(), script.get_payload()) == ("text/x-shellscript", "#!/bin/sh\ntrue\n")


def test_eks_is_told_nothing_of_an_image_of_ones_own_that_it_would_refuse(deploy):
    inputs = group(deploy, ami=AMI)

    assert template(deploy, ami=AMI)["imageId"] == AMI
    assert inputs.keys().isdisjoint({"amiType", "releaseVersion", "version"})


def test_an_image_of_ones_own_is_told_the_cluster_and_what_to_register_with(deploy):
    spec = node_config(deploy, ami=AMI, role="driver", labels={"team": "a"})

    assert spec["cluster"].keys() == {"name", "apiServerEndpoint", "certificateAuthority", "cidr"}
    assert spec["cluster"]["apiServerEndpoint"] == "https://cluster.example"
    assert spec["kubelet"]["flags"] == [
        "--node-labels=eks.amazonaws.com/capacityType=ON_DEMAND,eks.amazonaws.com/nodegroup=executor,"
        f"eks.amazonaws.com/nodegroup-image={AMI},moka.dev/role=driver,team=a",
        "--register-with-taints=moka.dev/role=driver:NoSchedule",
    ]
    assert spec["kubelet"]["config"]["maxPods"] == 110


def test_nodes_of_eks_own_image_are_told_that_by_eks(deploy):
    spec = node_config(deploy, role="driver")

    assert "cluster" not in spec
    assert "flags" not in spec["kubelet"]


def test_between_eks_image_and_ones_own_there_is_a_new_generation():
    """Which EKS asks for: launch-templates.html, "Limits and conditions when specifying an AMI ID"."""
    assert machine_kind("CUSTOM", arguments(ami=AMI)) != machine_kind("AL2023_ARM_64_STANDARD", arguments())


@pytest.mark.parametrize("role", ["driver", "executor", "shuffle"])
def test_only_pods_that_ask_for_a_role_come_to_its_nodes(deploy, role):
    inputs = group(deploy, role=role)

    assert inputs["labels"]["moka.dev/role"] == role
    assert inputs["taints"] == [{"key": "moka.dev/role", "value": role, "effect": "NO_SCHEDULE"}]


def test_nodes_of_one_namespaces_jobs_keep_all_others_out(deploy):
    inputs = group(deploy, role="driver", job_namespace="payroll")

    assert inputs["labels"]["moka.dev/job-namespace"] == "payroll"
    assert {"key": "moka.dev/job-namespace", "value": "payroll", "effect": "NO_SCHEDULE"} in inputs["taints"]


def test_any_pod_may_run_on_system_nodes(deploy):
    assert group(deploy, role="system").get("taints", []) == []


def test_only_pods_that_ask_for_a_gpu_come_to_nodes_with_one(deploy):
    inputs = group(deploy, architecture="amd64", instance_types=("g6.4xlarge", "g5.4xlarge"))

    assert {"key": "nvidia.com/gpu", "value": "present", "effect": "NO_SCHEDULE"} in inputs["taints"]
    # Placeholders of a gang, which ask for none, come there by this.
    assert inputs["labels"]["nvidia.com/gpu.present"] == "true"


def test_nodes_with_gpus_are_known_to_the_device_plugin_and_the_autoscaler(deploy):
    labels = group(deploy, architecture="amd64", instance_types=("g5.xlarge",))["labels"]

    assert labels["nvidia.com/gpu.present"] == "true"
    assert labels["k8s.amazonaws.com/accelerator"] == "nvidia"


def test_how_many_nodes_there_are_is_left_to_the_autoscaler(deploy):
    inputs = group(deploy)

    assert inputs["ignoreScalingChanges"] is True
    assert inputs["scalingConfig"] == {"minSize": 0, "maxSize": 100, "desiredSize": 1}


def test_the_autoscaler_knows_what_the_first_node_of_an_empty_group_would_have(deploy):
    tags = group(deploy, disk_gib=1000, max_pods=40)["tags"]

    assert tags == {
        "k8s.io/cluster-autoscaler/node-template/resources/pods": "40",
        "k8s.io/cluster-autoscaler/node-template/resources/ephemeral-storage": "898Gi",
    }


@pytest.mark.parametrize(
    ("types", "storage"),
    # AWS: 950 GB, 1,900 GB; of metal the name says nothing.
    [
        (("r7gd.4xlarge",), "793Gi"),
        (("r7gd.8xlarge", "r7gd.4xlarge"), "793Gi"),
        (("r7gd.4xlarge", "r7gd.metal"), None),
        (("r7gd.4xlarge", "r7g.4xlarge"), "88Gi"),
    ],
)
def test_the_autoscaler_knows_of_the_least_storage_of_a_first_node(deploy, types, storage):
    tags = group(deploy, instance_types=types, disk_gib=100)["tags"]

    assert tags.get("k8s.io/cluster-autoscaler/node-template/resources/ephemeral-storage") == storage


def test_capacity_is_on_demand_unless_spot_is_asked_for(deploy):
    assert group(deploy)["capacityType"] == "ON_DEMAND"
    assert group(deploy, spot=True)["capacityType"] == "SPOT"


def test_reserved_capacity_is_used_by_the_reservations_id(deploy):
    inputs = template(deploy, capacity_reservation_id="cr-0123456789abcdef0")

    assert inputs["capacityReservationSpecification"] == {
        "capacityReservationTarget": {"capacityReservationId": "cr-0123456789abcdef0"}
    }
    assert "capacityReservationSpecification" not in template(deploy)


def test_a_pod_cannot_take_the_permissions_of_its_node(deploy):
    inputs = template(deploy)

    assert inputs["metadataOptions"]["httpTokens"] == "required"
    assert inputs["metadataOptions"]["httpPutResponseHopLimit"] == 1


def test_the_root_disk_is_encrypted_and_of_the_size_and_speed_asked_for(deploy):
    inputs = template(
        deploy, disk_gib=1000, disk_iops=6000, disk_mibps=1000, disk_key_arn="arn:aws:kms:::key/k"
    )

    disk = inputs["blockDeviceMappings"][0]["ebs"]
    assert (disk["volumeType"], disk["volumeSize"], disk["iops"], disk["throughput"]) == (
        "gp3",
        1000,
        6000,
        1000,
    )
    assert (disk["encrypted"], disk["kmsKeyId"]) == ("true", "arn:aws:kms:::key/k")


def test_instance_storage_becomes_one_disk_where_every_type_has_some(deploy):
    assert node_config(deploy, instance_types=("r8gd.4xlarge", "i8g.4xlarge"))["instance"] == {
        "localStorage": {"strategy": "RAID0"}
    }
    assert "instance" not in node_config(deploy, instance_types=("r8gd.4xlarge", "r8g.4xlarge"))


def test_kubelets_are_told_what_their_role_needs(deploy):
    assert node_config(deploy, role="driver")["kubelet"]["config"]["maxPods"] == 110
    assert node_config(deploy, role="shuffle")["kubelet"]["config"]["maxPods"] == 24
    assert node_config(deploy, max_pods=40)["kubelet"]["config"]["maxPods"] == 40


def test_nodes_use_the_newest_version_of_their_launch_template(deploy):
    assert group(deploy)["launchTemplate"] == {"id": "executor-id", "version": "1"}


def test_a_schedule_moves_the_minimum_and_nothing_else(deploy):
    schedule = {"night": ScheduledBounds(cron="0 20 * * MON-FRI", minimum=50)}
    inputs = deploy_group(deploy, schedule=schedule, time_zone="Europe/Berlin").by_name(SCHEDULE)

    assert inputs == {
        "executor-night": {
            "scheduledActionName": "night",
            "autoscalingGroupName": "eks-executor",
            "recurrence": "0 20 * * MON-FRI",
            "timeZone": "Europe/Berlin",
            "minSize": 50,
            "maxSize": -1,
            "desiredCapacity": -1,
        }
    }


def test_a_schedule_moves_the_maximum_too_where_it_says_so_and_no_update_takes_it_back(deploy):
    schedule = {"day": ScheduledBounds(cron="0 7 * * *", minimum=0, maximum=9)}
    inputs = deploy_group(deploy, schedule=schedule).by_name(SCHEDULE)["executor-day"]

    assert (inputs["minSize"], inputs["maxSize"], inputs["desiredCapacity"]) == (0, 9, -1)
    ignored = group_options(arguments(schedule=schedule)).ignore_changes
    assert {"scalingConfig.minSize", "scalingConfig.maxSize"} <= set(ignored)
    minimum_only = {"day": ScheduledBounds(cron="0 7 * * *", minimum=0)}
    assert "scalingConfig.maxSize" not in group_options(arguments(schedule=minimum_only)).ignore_changes


def test_an_update_does_not_take_back_what_the_schedule_set():
    schedule = {"night": ScheduledBounds(cron="0 20 * * *", minimum=50)}

    assert "scalingConfig.minSize" in group_options(arguments(schedule=schedule)).ignore_changes
    assert "scalingConfig.minSize" not in group_options(arguments()).ignore_changes


def test_broken_nodes_are_replaced(deploy):
    assert extra_inputs(arguments(role="driver"))["nodeRepairConfig"] == {"enabled": True}


def test_a_tenth_of_the_executors_may_be_replaced_at_the_same_time():
    assert extra_inputs(arguments())["updateConfig"] == {"maxUnavailablePercentage": 10}


def test_a_group_that_fills_a_reservation_ends_old_machines_before_it_launches_new_ones():
    reserved = arguments(capacity_reservation_id="cr-0a1b2c3d4e5f60718")

    assert extra_inputs(reserved)["updateConfig"]["updateStrategy"] == "MINIMAL"
    assert "updateStrategy" not in extra_inputs(arguments())["updateConfig"]


def test_the_size_of_a_group_whose_bounds_are_equal_is_the_programs(deploy):
    fixed = group(deploy, min_size=40, max_size=40, initial_size=40)

    assert fixed["scalingConfig"] == {"minSize": 40, "maxSize": 40, "desiredSize": 40}
    assert not fixed.get("ignoreScalingChanges")


@pytest.mark.parametrize(
    ("role", "hooks"), [("executor", []), ("system", []), ("driver", ["spark-a-not-smaller"])]
)
def test_a_fixed_group_shrinks_only_where_its_pods_can_be_moved(deploy, role, hooks):
    options = []

    def program():
        args = arguments(
            role=role, min_size=3, max_size=3, initial_size=3, guard=NodeGroupGuard("spark-a", "{}")
        )
        options.append(group_options(args))

    deploy(program)
    assert [hook.name for hook in options[0].hooks.before_update] == hooks


@pytest.mark.parametrize("role", ["system", "driver", "executor", "shuffle"])
def test_other_tags_replace_no_machine(role):
    assert "tagSpecifications" in template_options(arguments(role=role)).ignore_changes


@pytest.mark.parametrize(
    ("role", "size", "waves"), [("executor", 450, 10), ("system", 6, 4), ("system", 2, 2)]
)
def test_an_update_may_take_as_long_as_all_its_waves(role, size, waves):
    options = group_options(arguments(role=role, max_size=size))

    assert options.custom_timeouts.update == f"{max(60, 15 + 20 * waves)}m"


def test_a_group_of_a_thousand_is_replaced_a_hundred_machines_at_a_time():
    assert update_minutes(1000, 33) == 15 + 20 * 10


@pytest.mark.parametrize("role", ["driver", "shuffle"])
def test_machines_whose_pods_cannot_be_moved_only_change_by_a_new_generation(deploy, role):
    tree = guarded(deploy, role=role).tree()

    [template] = [resource for urn, resource in tree.items() if f"{TEMPLATE}::" in urn]
    assert list(template.hooks.before_update) == ["spark-a-same-machines"]


@pytest.mark.parametrize("role", ["system", "executor"])
def test_machines_whose_pods_can_be_moved_may_change_one_after_the_other(deploy, role):
    tree = guarded(deploy, role=role).tree()

    [template] = [resource for urn, resource in tree.items() if f"{TEMPLATE}::" in urn]
    assert list(template.hooks.before_update) == ["spark-a-same-kind"]


@pytest.mark.parametrize(
    "change",
    [
        {"instance_types": ("m8g.8xlarge",)},
        {"spot": True},
        {"subnets": {"us-east-1b": "subnet-2"}},
    ],
)
def test_what_would_replace_a_group_is_seen_in_its_template(change):
    assert machine_kind("AMI", arguments(**change)) != machine_kind("AMI", arguments())


@pytest.mark.parametrize(
    "change", [{"version": "1.35"}, {"ami_release": "1.34.2-20261105"}, {"ami": "ami-0fedcba9876543210"}]
)
def test_another_image_is_another_kind_of_machine_only_where_pods_cannot_be_moved(change):
    def kind(role, **changes):
        return machine_kind("AMI", arguments(role=role, **changes))

    assert kind("driver", **change) != kind("driver")
    assert kind("executor", **change) == kind("executor")


def test_a_long_list_of_types_fits_the_template_and_is_still_told_apart():
    types = tuple(f"m{n}gdn-flex.48xlarge" for n in range(5, 25))
    long, shorter = (machine_kind("AMI", arguments(instance_types=names)) for names in (types, types[:-1]))

    assert long != shorter
    assert len(long) <= 255


def test_a_retiring_generation_takes_no_new_pods_and_keeps_no_machine(deploy):
    inputs = group(deploy, role="driver", retiring=True, min_size=3, initial_size=3)

    assert {"key": "moka.dev/retiring", "value": "true", "effect": "NO_SCHEDULE"} in inputs["taints"]
    assert inputs["scalingConfig"]["minSize"] == 0


def test_a_retiring_generation_has_no_schedule(deploy):
    schedule = {"night": ScheduledBounds(cron="0 20 * * *", minimum=50)}

    assert deploy_group(deploy, retiring=True, schedule=schedule).inputs(SCHEDULE) == []


def test_the_machines_of_a_retiring_generation_stay_as_they_are():
    retiring = arguments(retiring=True)

    assert template_options(retiring).ignore_changes == ["*"]
    assert set(group_options(retiring).ignore_changes) >= {"launchTemplate", "releaseVersion", "version"}


def hooks_of(deploy, **changes):
    """Names of the hooks of the EKS node group, which a real engine gets by a transform."""
    hooks = {}

    def program():
        options = group_options(arguments(guard=NodeGroupGuard("spark-a", "{}"), **changes))
        hooks.update(
            {
                kind: [hook.name for hook in getattr(options.hooks, kind)]
                for kind in ("before_update", "before_delete")
            }
        )

    deploy(program)
    return hooks


def test_only_a_retiring_generation_waits_for_its_drivers_before_it_goes(deploy):
    # A hook before deletion needs the program: without retiring groups, `pulumi destroy` does not.
    assert hooks_of(deploy, retiring=True)["before_delete"] == ["spark-a-drivers-finished"]
    assert hooks_of(deploy)["before_delete"] == []


def test_bounds_change_only_where_that_does_not_shrink_the_group(deploy):
    assert hooks_of(deploy)["before_update"] == ["spark-a-not-smaller"]
    assert hooks_of(deploy, retiring=True)["before_update"] == ["spark-a-not-smaller"]


def test_a_protected_group_goes_only_by_retiring():
    assert group_options(arguments(protect=True)).protect is True
    assert group_options(arguments(protect=True, retiring=True)).protect is False


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"instance_types": ()}, "node group executor has no instance type; name one"),
        (
            {"instance_types": ("m8g.large", "m7i.large")},
            "node group executor is arm64, and m7i.large is amd64; make a group for each architecture",
        ),
        (
            {"instance_types": ("g5g.xlarge", "m7g.xlarge")},
            "node group executor has instance types with GPUs and without, .* make a group for each",
        ),
        (
            {"capacity_reservation_id": "cr-1", "spot": True},
            "which is for one instance type in one zone, on demand; name only those",
        ),
        (
            {"capacity_reservation_id": "cr-1", "instance_types": ("m8g.large", "m8g.xlarge")},
            "which is for one instance type in one zone, on demand; name only those",
        ),
        (
            {"capacity_reservation_id": "cr-1", "subnets": {"a": "subnet-1", "b": "subnet-2"}},
            "which is for one instance type in one zone, on demand; name only those",
        ),
    ],
)
def test_machines_that_do_not_fit_are_refused(deploy, change, message):
    def program():
        with pytest.raises(ValueError, match=message):
            NodeGroup("executor", arguments(**change))

    assert deploy(program).types() == set()


def test_a_group_tells_its_name_once_it_is_there(deploy):
    arns = []

    def program():
        NodeGroup("system", arguments(eks_cluster=eks.Cluster("spark-a"), role="system")).arn.apply(
            arns.append
        )

    deploy(program)

    assert arns == ["arn:aws:::system"]
