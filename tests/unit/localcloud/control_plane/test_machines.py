import base64

import pytest
import yaml

from localcloud.control_plane.machines import InstanceType, Machine, reserved_cpu
from localcloud.control_plane.nodeadm import NodeSettings, settings_of_user_data
from localcloud.errors import Refusal

ARM = InstanceType(name="m7g.2xlarge", architecture="arm64", vcpus=8, memory=32768)
LARGE = InstanceType(name="m7g.8xlarge", architecture="arm64", vcpus=32, memory=131072)
WITH_DISKS = InstanceType(name="r8gd.4xlarge", architecture="arm64", vcpus=16, memory=131072, local_disk=950)
WITH_GPU = InstanceType(name="g6.xlarge", architecture="amd64", vcpus=4, memory=16384, gpus=1)


def user_data(*specs):
    """User data as a launch template has it: a MIME document with a NodeConfig for each spec."""
    parts = [
        "--//\nContent-Type: application/node.eks.aws\n\n"
        + yaml.safe_dump({"apiVersion": "node.eks.aws/v1alpha1", "kind": "NodeConfig", "spec": spec})
        for spec in specs
    ]
    script = "--//\nContent-Type: text/x-shellscript\n\n#!/bin/bash\necho spec:\n"
    head = 'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="//"\n\n'
    return base64.b64encode((head + "\n".join([script, *parts]) + "\n--//--\n").encode()).decode()


def kubelet(**config):
    return {"kubelet": {"config": config}}


def test_a_large_machine_has_more_pods_than_a_small_one():
    assert Machine(ARM, 20).capacity()["pods"] == "110"
    assert Machine(LARGE, 20).capacity()["pods"] == "250"


# Figures of nodeadm's own table of reservations.
@pytest.mark.parametrize(("vcpus", "reserved"), [(1, 60), (2, 70), (4, 80), (8, 90), (96, 310)])
def test_kubelet_keeps_as_much_cpu_as_on_eks(vcpus, reserved):
    assert reserved_cpu(vcpus) == reserved


def test_pods_get_what_kubelet_and_eviction_leave():
    allocatable = Machine(ARM, 20).allocatable()

    assert allocatable["cpu"] == "7910m"
    assert allocatable["memory"] == f"{32768 - 255 - 11 * 110 - 100}Mi"
    assert allocatable["ephemeral-storage"] == f"{18 * 1024 - 1024}Mi"


def test_a_machine_takes_as_many_pods_as_its_user_data_says():
    machine = Machine(ARM, 20, settings_of_user_data(user_data(kubelet(maxPods=58))))

    assert machine.capacity()["pods"] == machine.allocatable()["pods"] == "58"
    assert machine.allocatable()["memory"] == f"{32768 - 255 - 11 * 58 - 100}Mi"


def test_what_user_data_reserves_is_not_for_pods():
    settings = settings_of_user_data(
        user_data(
            kubelet(
                kubeReserved={"memory": "1Gi"},
                systemReserved={"cpu": "100m", "memory": "300Mi", "ephemeral-storage": "1Gi"},
                evictionHard={"memory.available": "200Mi"},
            )
        )
    )
    allocatable = Machine(ARM, 20, settings).allocatable()

    assert allocatable["cpu"] == "7810m"
    assert allocatable["memory"] == f"{32768 - 1024 - 300 - 200}Mi"
    assert allocatable["ephemeral-storage"] == f"{18 * 1024 - 2 * 1024}Mi"


def test_instance_storage_joined_into_one_is_the_disk_of_pods():
    settings = settings_of_user_data(user_data({"instance": {"localStorage": {"strategy": "RAID0"}}}))

    assert Machine(WITH_DISKS, 20, settings).capacity()["ephemeral-storage"] == f"{950 * 10**9 // 2**20}Mi"
    assert Machine(WITH_DISKS, 20).capacity()["ephemeral-storage"] == f"{20 * 1024}Mi"
    assert Machine(ARM, 20, settings).capacity()["ephemeral-storage"] == f"{20 * 1024}Mi"


def test_no_machine_tells_of_its_gpus_by_itself():
    assert "nvidia.com/gpu" not in Machine(WITH_GPU, 20).allocatable()
    assert "nvidia.com/gpu" not in Machine(WITH_GPU, 20).capacity()


def test_of_several_parts_settings_of_user_data_the_last_one_wins():
    assert settings_of_user_data(user_data(kubelet(maxPods=110), kubelet(maxPods=58))).max_pods == 58


@pytest.mark.parametrize("text", ["#!/bin/bash\nyum update\n", ""])
def test_user_data_without_a_part_for_nodeadm_says_nothing(text):
    assert settings_of_user_data(base64.b64encode(text.encode()).decode()) == NodeSettings()


def test_a_bare_node_config_is_user_data_too():
    text = yaml.safe_dump({"apiVersion": "node.eks.aws/v1alpha1", "spec": kubelet(maxPods=24)})

    assert settings_of_user_data(base64.b64encode(text.encode()).decode()).max_pods == 24


def test_a_part_that_is_no_yaml_is_refused():
    broken = "apiVersion: node.eks.aws/v1alpha1\nspec: [\n"

    with pytest.raises(Refusal, match="no NodeConfig"):
        settings_of_user_data(base64.b64encode(broken.encode()).decode())
