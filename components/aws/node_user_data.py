"""User data of AL2023 nodes in a managed group: configuration of nodeadm, and scripts of one's own."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import yaml

BOUNDARY = "//"


@dataclass(frozen=True, kw_only=True)
class ClusterDetails:
    """What nodeadm has to know of a cluster, with its own names.

    certificateAuthority: base64. cidr: range of Services.
    """

    name: str
    apiServerEndpoint: str
    certificateAuthority: str
    cidr: str


@dataclass(frozen=True, kw_only=True)
class Registration:
    """With what a kubelet registers its node.

    labels: key -> value.
    taints: as the kubelet takes them, `key=value:effect`.
    """

    labels: Mapping[str, str]
    taints: Sequence[str]

    @property
    def flags(self) -> list[str]:
        """Flags of the kubelet."""
        values = {
            "node-labels": [f"{key}={value}" for key, value in sorted(self.labels.items())],
            "register-with-taints": self.taints,
        }
        return [f"--{name}={','.join(texts)}" for name, texts in values.items() if texts]


def node_user_data(
    kubelet: Mapping[str, Any],
    *,
    local_disks: bool,
    scripts: Sequence[str] = (),
    cluster: ClusterDetails | None = None,
    registration: Registration | None = None,
) -> str:
    """User data: a MIME document with one NodeConfig, and a part for each script.

    kubelet: KubeletConfiguration, as far as it differs from nodeadm's.
    local_disks: join the instance storage into one RAID0, on which the kubelet's and containerd's files are
        then, every emptyDir among them.
    scripts: of a shell, in ASCII. cloud-init runs them in order, after nodeadm has written its configuration
        and before it joins instance storage and starts containerd and the kubelet (awslabs/amazon-eks-ami:
        templates/al2023/runtime/rootfs/etc/systemd/system/nodeadm-*.service and
        nodeadm/cmd/nodeadm/init/init.go).
    cluster, registration: of machines with an image of one's own, to which EKS adds nothing. To others it
        adds the part that lets the node join, before this one (awslabs/amazon-eks-ami#1988), and nodeadm lets
        the last part win. AWS's guide says that its own `maxPods` has precedence there
        (https://docs.aws.amazon.com/eks/latest/userguide/choosing-instance-type.html#max-pods-precedence):
        nobody ran it, and `make conformance-environment` asks the first nodes.

    Equal arguments give equal text: another text replaces nodes.
    """
    spec: dict[str, Any] = {"kubelet": {"config": dict(kubelet)}}
    if local_disks:
        spec["instance"] = {"localStorage": {"strategy": "RAID0"}}
    if cluster:
        spec["cluster"] = asdict(cluster)
    if registration:
        spec["kubelet"]["flags"] = registration.flags
    config = {"apiVersion": "node.eks.aws/v1alpha1", "kind": "NodeConfig", "spec": spec}
    parts = [("application/node.eks.aws", yaml.safe_dump(config, sort_keys=True, width=float("inf")))]
    parts += [('text/x-shellscript; charset="us-ascii"', script) for script in scripts]
    boundary = BOUNDARY
    while any(f"\n--{boundary}" in content for _, content in parts):
        boundary += "/"
    lines = ["MIME-Version: 1.0", f'Content-Type: multipart/mixed; boundary="{boundary}"', ""]
    for kind, content in parts:
        lines += [f"--{boundary}", f"Content-Type: {kind}", "", content]
    return "\n".join([*lines, f"--{boundary}--", ""])
