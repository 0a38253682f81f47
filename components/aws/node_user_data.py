"""User data of AL2023 nodes in a managed group: configuration of nodeadm, beside that of EKS."""

from collections.abc import Mapping
from typing import Any

import yaml

BOUNDARY = "//"


def node_user_data(kubelet: Mapping[str, Any], *, local_disks: bool) -> str:
    """User data: a MIME document with one NodeConfig.

    kubelet: KubeletConfiguration, as far as it differs from nodeadm's.
    local_disks: join the instance storage into one RAID0, on which the kubelet's and containerd's files are
        then, every emptyDir among them.

    EKS puts the part that lets the node join before this one (awslabs/amazon-eks-ami#1988), and nodeadm lets
    the last part win. Equal arguments give equal text: another text replaces nodes.
    """
    spec: dict[str, Any] = {"kubelet": {"config": dict(kubelet)}}
    if local_disks:
        spec["instance"] = {"localStorage": {"strategy": "RAID0"}}
    config = {"apiVersion": "node.eks.aws/v1alpha1", "kind": "NodeConfig", "spec": spec}
    return "\n".join(
        [
            "MIME-Version: 1.0",
            f'Content-Type: multipart/mixed; boundary="{BOUNDARY}"',
            "",
            f"--{BOUNDARY}",
            "Content-Type: application/node.eks.aws",
            "",
            yaml.safe_dump(config, sort_keys=True),
            f"--{BOUNDARY}--",
            "",
        ]
    )
