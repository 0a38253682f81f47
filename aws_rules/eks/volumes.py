"""Volumes that claims wait for: whether the driver that would make them is in the cluster."""

from collections.abc import Iterator, Mapping
from typing import Any

from aws_rules.rule import Rule, Violation

VOLUMES = Rule(
    name="volume-driver",
    authority="Kubernetes",
    decides="whether the driver that makes the volume of a claim is in the cluster",
    source="https://docs.aws.amazon.com/eks/latest/userguide/ebs-csi.html",
    # ExternalProvisioning, of which the words are.
    further=("kubernetes/kubernetes: pkg/controller/volume/persistentvolume/pv_controller.go",),
)

RULES = (VOLUMES,)

PROVISIONER = "volume.kubernetes.io/storage-provisioner"
"""Set by Kubernetes on claims that wait for a driver to make a volume."""

EBS = "ebs.csi.aws.com"

ADD_ONS: Mapping[str, str] = {EBS: "aws-ebs-csi-driver"}
"""Driver -> EKS's add-on with it, which makes a CSIDriver of that name in the cluster."""


def volume_driver(claim: Mapping[str, Any], drivers: frozenset[str]) -> Iterator[Violation]:
    """What keeps a claim from its volume.

    drivers: names of the CSIDrivers in the cluster.
    """
    metadata = claim["metadata"]
    driver = str((metadata.get("annotations") or {}).get(PROVISIONER))
    if driver in ADD_ONS and driver not in drivers and not claim["spec"].get("volumeName"):
        yield Violation(
            rule=VOLUMES,
            resource=f"claim {metadata['name']} in {metadata['namespace']}",
            code="ExternalProvisioning",
            message="Waiting for a volume to be created either by the external provisioner "
            f"'{driver}' or manually by the system administrator",
            remedy=f"install the add-on {ADD_ONS[driver]}",
        )
