import email

import yaml

from moka.components.aws.node_user_data import node_user_data
from moka.machines.node_roles import ROLES, kubelet_config


def parts(user_data):
    message = email.message_from_string(user_data)
    assert message.is_multipart()
    return [(part.get_content_type(), yaml.safe_load(part.get_payload())) for part in message.get_payload()]


def test_user_data_is_one_part_for_nodeadm_that_leaves_joining_to_eks():
    [(kind, config)] = parts(node_user_data({"maxPods": 24}, local_disks=True))

    assert kind == "application/node.eks.aws"
    assert config == {
        "apiVersion": "node.eks.aws/v1alpha1",
        "kind": "NodeConfig",
        "spec": {
            "kubelet": {"config": {"maxPods": 24}},
            "instance": {"localStorage": {"strategy": "RAID0"}},
        },
    }


def test_nodes_without_instance_storage_leave_their_disks_alone():
    [(_, config)] = parts(node_user_data({"maxPods": 24}, local_disks=False))

    assert "instance" not in config["spec"]


SCRIPT = "#!/bin/bash\nmkdir -p /mnt/fuse\n"


def test_scripts_are_parts_of_their_own_in_order_as_cloud_init_reads_them():
    scripts = (SCRIPT, "#!/bin/sh\necho --//\n")

    message = email.message_from_string(node_user_data({"maxPods": 24}, local_disks=False, scripts=scripts))

    config, *parts = message.get_payload()
    assert config.get_content_type() == "application/node.eks.aws"
    assert [part.get_content_type() for part in parts] == ["text/x-shellscript"] * 2
    assert tuple(part.get_payload(decode=True).decode() for part in parts) == scripts


def test_a_line_of_a_script_does_not_end_it():
    script = f"{SCRIPT}cat <<END\n--//\nEND\n"

    message = email.message_from_string(node_user_data({"maxPods": 24}, local_disks=False, scripts=[script]))

    assert [part.get_payload() for part in message.get_payload()[1:]] == [script]


def test_the_text_of_the_user_data():
    # Another text replaces every node: change this test only when that is meant.
    assert node_user_data(kubelet_config("shuffle"), local_disks=True) == (
        "MIME-Version: 1.0\n"
        'Content-Type: multipart/mixed; boundary="//"\n'
        "\n"
        "--//\n"
        "Content-Type: application/node.eks.aws\n"
        "\n"
        "apiVersion: node.eks.aws/v1alpha1\n"
        "kind: NodeConfig\n"
        "spec:\n"
        "  instance:\n"
        "    localStorage:\n"
        "      strategy: RAID0\n"
        "  kubelet:\n"
        "    config:\n"
        "      containerLogMaxFiles: 5\n"
        "      containerLogMaxSize: 10Mi\n"
        "      evictionHard:\n"
        "        memory.available: 200Mi\n"
        "      kubeReserved:\n"
        "        memory: 519Mi\n"
        "      maxParallelImagePulls: 5\n"
        "      maxPods: 24\n"
        "      serializeImagePulls: false\n"
        "      shutdownGracePeriod: 2m30s\n"
        "      shutdownGracePeriodCriticalPods: 30s\n"
        "      systemReserved:\n"
        "        cpu: 100m\n"
        "        ephemeral-storage: 1Gi\n"
        "        memory: 300Mi\n"
        "\n"
        "--//--\n"
    )


def test_the_kubelet_keeps_more_memory_to_itself_where_there_may_be_more_pods():
    assert kubelet_config("driver")["kubeReserved"]["memory"] == "1465Mi"
    assert kubelet_config("driver", max_pods=220)["kubeReserved"]["memory"] == "2675Mi"


def test_every_role_says_how_its_machines_may_be_replaced():
    rolling = {role: values.rolling_percent for role, values in ROLES.items()}

    assert rolling["driver"] is None
    assert rolling["shuffle"] is None
    assert all(rolling[role] for role in ("system", "executor"))
