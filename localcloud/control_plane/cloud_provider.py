"""What only AWS gives to a cluster: EBS volumes and load balancers. Here they only have names."""

from hashlib import sha256

from aws_rules.eks.volumes import EBS, PROVISIONER
from localcloud.control_plane.api import Object

SIMULATED = "localcloud/simulated"
"""Annotation of simulated objects; the value names what is simulated."""

CSI_DRIVERS = "/apis/storage.k8s.io/v1/csidrivers"
EBS_DRIVER: Object = {
    "apiVersion": "storage.k8s.io/v1",
    "kind": "CSIDriver",
    "metadata": {"name": EBS, "annotations": {SIMULATED: "EBS CSI driver"}},
    "spec": {"attachRequired": True, "podInfoOnMount": False, "fsGroupPolicy": "File"},
}
"""What the EBS CSI driver has in a cluster (kubernetes-sigs/aws-ebs-csi-driver: csidriver.yaml)."""

ZONE = "topology.kubernetes.io/zone"

# Set by Kubernetes on claims whose first pod has a node.
SELECTED_NODE = "volume.kubernetes.io/selected-node"
PROVISIONED_BY = "pv.kubernetes.io/provisioned-by"


DEVICE_PLUGINS = ("k8s-device-plugin", "nvidia-device-plugin")
"""Names of images of NVIDIA's device plugin: https://github.com/NVIDIA/k8s-device-plugin"""


def device_plugin(daemon_set: Object) -> bool:
    """Whether a DaemonSet runs NVIDIA's device plugin."""
    images = [container["image"] for container in daemon_set["spec"]["template"]["spec"]["containers"]]
    names = [image.rpartition("/")[2].partition("@")[0].partition(":")[0] for image in images]
    return any(name in DEVICE_PLUGINS for name in names)


def waits_for_ebs(claim: Object) -> bool:
    """Whether Kubernetes is waiting for EBS to make a volume for this claim."""
    annotations = claim["metadata"].get("annotations") or {}
    deleted = "deletionTimestamp" in claim["metadata"]
    return annotations.get(PROVISIONER) == EBS and not claim["spec"].get("volumeName") and not deleted


def selected_node(claim: Object) -> str | None:
    """Node of the claim's first pod, if its class waits for one."""
    return (claim["metadata"].get("annotations") or {}).get(SELECTED_NODE)


def volume_for(claim: Object, storage_class: Object, zone: str | None) -> Object:
    """The PersistentVolume that EBS would make for a claim, in a zone.

    zone: None where the cluster has no zones; the volume then serves everywhere.
    """
    metadata, request = claim["metadata"], claim["spec"]
    name = f"pvc-{metadata['uid']}"
    spec: Object = {
        "accessModes": request["accessModes"],
        "capacity": {"storage": request["resources"]["requests"]["storage"]},
        "claimRef": {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "name": metadata["name"],
            "namespace": metadata["namespace"],
            "uid": metadata["uid"],
        },
        "csi": {
            "driver": EBS,
            "volumeHandle": f"vol-0{_digest(metadata['uid'], 16)}",
            "fsType": (storage_class.get("parameters") or {}).get("csi.storage.k8s.io/fstype", "ext4"),
        },
        "mountOptions": storage_class.get("mountOptions") or [],
        "persistentVolumeReclaimPolicy": storage_class.get("reclaimPolicy", "Delete"),
        "storageClassName": request["storageClassName"],
        "volumeMode": request.get("volumeMode", "Filesystem"),
    }
    if zone:
        term = {"matchExpressions": [{"key": ZONE, "operator": "In", "values": [zone]}]}
        spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": [term]}}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name, "annotations": {PROVISIONED_BY: EBS, SIMULATED: "volume"}},
        "spec": spec,
    }


def unclaimed(volume: Object) -> bool:
    """Whether EBS would delete this volume, as its claim is gone."""
    annotations = volume["metadata"].get("annotations") or {}
    return (
        annotations.get(PROVISIONED_BY) == EBS
        and volume["spec"].get("persistentVolumeReclaimPolicy") == "Delete"
        and (volume.get("status") or {}).get("phase") == "Released"
        and "deletionTimestamp" not in volume["metadata"]
    )


def allowed_zones(storage_class: Object, zones: list[str]) -> list[str]:
    """The zones of the cluster in which a class may make volumes."""
    terms = storage_class.get("allowedTopologies") or []
    allowed = [
        value
        for term in terms
        for expression in term.get("matchLabelExpressions") or []
        if expression["key"].endswith("/zone")
        for value in expression["values"]
    ]
    return sorted(set(zones) & set(allowed) if allowed else set(zones))


def waits_for_load_balancer(service: Object) -> bool:
    """Whether AWS would now make a load balancer for this Service."""
    balancer = (service.get("status") or {}).get("loadBalancer") or {}
    due = service["spec"].get("type") == "LoadBalancer" and "deletionTimestamp" not in service["metadata"]
    return due and not balancer.get("ingress")


def load_balancer_for(service: Object, region: str) -> Object:
    """A Service's status with a load balancer, whose name leads nowhere but to this machine."""
    metadata = service["metadata"]
    name = f"k8s-{metadata['namespace'][:8]}-{metadata['name'][:8]}-{_digest(metadata['uid'], 10)}"
    return {
        "metadata": {"annotations": {SIMULATED: "load balancer"}},
        "status": {"loadBalancer": {"ingress": [{"hostname": f"{name}.elb.{region}.localhost"}]}},
    }


def _digest(text: str, length: int) -> str:
    return sha256(text.encode()).hexdigest()[:length]
