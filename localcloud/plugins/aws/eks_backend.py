"""What runs behind EKS: a control plane for every cluster, and kwok's nodes for every node group.

The functions make it as EKS describes it, so that they can be called again after a failure.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from localcloud.errors import Refusal
from localcloud.plugins.aws.store import other_places
from localcloud.plugins.aws.subject import Subject

if TYPE_CHECKING:
    from localcloud.control_plane import ControlPlane
    from localcloud.control_plane.machines import InstanceType
    from localcloud.control_plane.nodeadm import NodeSettings
    from localcloud.control_plane.nodes import NodeGroup

ARCHITECTURES = {"x86_64": "amd64", "arm64": "arm64"}
EFFECTS = {
    "NO_SCHEDULE": "NoSchedule",
    "NO_EXECUTE": "NoExecute",
    "PREFER_NO_SCHEDULE": "PreferNoSchedule",
}


def control_plane(subject: Subject, cluster: str) -> "ControlPlane":
    """The control plane of a cluster."""
    from localcloud.control_plane import ControlPlane

    return ControlPlane(subject.api.cloud, cluster)


def apply_machines(plane: "ControlPlane", group: "NodeGroup") -> None:
    """Make the nodes of a group."""
    from localcloud.control_plane.nodes import apply_node_group

    apply_node_group(plane, group)


def refuse_namesake(subject: Subject) -> None:
    """Raise Refusal when another account or region has a cluster of this name, and so the control plane."""
    name, place = subject.properties["name"], (subject.api.account, subject.region)
    for account, region in other_places(subject.api.cloud, place, "eks", "cluster", name):
        raise Refusal(
            f"There is an EKS cluster {name} in account {account}, {region}: on the laptop names of clusters "
            "are unique over all accounts and regions, so choose another."
        )


def start_cluster(subject: Subject) -> None:
    """Start a cluster's control plane, and have EKS return its endpoint."""
    plane = control_plane(subject, subject.id)
    plane.start()
    subject.api.service("eks", subject.region).store_cluster_members(
        subject.id, endpoint=plane.endpoint, certificateAuthority={"data": plane.certificate_authority}
    )


def remove_cluster(subject: Subject) -> None:
    """End a cluster's control plane, and delete its data."""
    control_plane(subject, subject.id).remove()


def set_machines(subject: Subject) -> None:
    """Make the nodes of a node group as EKS describes them."""
    from localcloud.control_plane.nodes import NodeGroup, Taint, capped_count

    group = _group(subject)
    types = subject.api.call(
        "ec2", "describe_instance_types", {"InstanceTypes": group["instanceTypes"]}, subject.region
    )["InstanceTypes"]
    subnets = subject.api.call("ec2", "describe_subnets", {"SubnetIds": group["subnets"]}, subject.region)[
        "Subnets"
    ]
    by_name = {instance_type["InstanceType"]: instance_type for instance_type in types}
    template = group.get("launchTemplate") or {}
    data = _template_data(subject, template)
    count = group["scalingConfig"]["desiredSize"]
    apply_machines(
        control_plane(subject, group["clusterName"]),
        NodeGroup(
            name=group["nodegroupName"],
            instance_types=tuple(_instance_type(by_name[name]) for name in group["instanceTypes"]),
            zones=tuple(sorted({subnet["AvailabilityZone"] for subnet in subnets})),
            count=count,
            labels=dict(group.get("labels") or {}),
            taints=tuple(
                Taint(key=taint["key"], value=taint.get("value") or "", effect=EFFECTS[taint["effect"]])
                for taint in group.get("taints") or ()
            ),
            capacity_type=group["capacityType"],
            role=group["nodeRole"],
            disk=_disk(data) or group.get("diskSize") or 20,
            settings=_settings(data),
            revision=" ".join(
                str(part)
                for part in (
                    group["version"],
                    group["releaseVersion"],
                    template.get("id", ""),
                    template.get("version", ""),
                )
            ).strip(),
            release=group["releaseVersion"],
            max_unavailable=max_unavailable(group.get("updateConfig") or {}, capped_count(count)),
        ),
    )


def max_unavailable(update: Mapping[str, int], count: int) -> int:
    """Machines of a group that EKS replaces at the same time: a number, or a share of all, rounded up."""
    percent = update.get("maxUnavailablePercentage")
    return max(1, -(-count * percent // 100) if percent else update.get("maxUnavailable", 1))


def remove_machines(subject: Subject) -> None:
    """Remove the nodes of a node group from its cluster, if the cluster still runs."""
    from localcloud.control_plane.nodes import remove_node_group

    plane = control_plane(subject, subject.properties["clusterName"])
    if plane.alive():
        remove_node_group(plane, subject.properties["nodeGroupName"])


def _group(subject: Subject) -> dict[str, Any]:
    properties = subject.properties
    answer = subject.request(
        "describe_nodegroup", clusterName=properties["clusterName"], nodegroupName=properties["nodeGroupName"]
    )
    group: dict[str, Any] = answer["nodegroup"]
    return group


def _template_data(subject: Subject, template: Mapping[str, str]) -> dict[str, Any]:
    """Data of a group's launch template, in the version that the group has."""
    if "id" not in template:
        return {}
    request = {"LaunchTemplateId": template["id"], "Versions": [str(template.get("version", "$Default"))]}
    answer = subject.api.call("ec2", "describe_launch_template_versions", request, subject.region)
    data: dict[str, Any] = answer["LaunchTemplateVersions"][0]["LaunchTemplateData"]
    return data


def _disk(data: Mapping[str, Any]) -> int | None:
    """Size of the root disk in a launch template, GiB."""
    sizes = [device.get("Ebs", {}).get("VolumeSize") for device in data.get("BlockDeviceMappings") or ()]
    return int(sizes[0]) if sizes and sizes[0] else None


def _settings(data: Mapping[str, Any]) -> "NodeSettings":
    from localcloud.control_plane.nodeadm import NodeSettings, settings_of_user_data

    return settings_of_user_data(data["UserData"]) if data.get("UserData") else NodeSettings()


def _instance_type(attributes: Mapping[str, Any]) -> "InstanceType":
    from localcloud.control_plane.machines import InstanceType

    gpus = (attributes.get("GpuInfo") or {}).get("Gpus") or ()
    return InstanceType(
        name=attributes["InstanceType"],
        architecture=_architecture(attributes),
        vcpus=attributes["VCpuInfo"]["DefaultVCpus"],
        memory=attributes["MemoryInfo"]["SizeInMiB"],
        local_disk=(attributes.get("InstanceStorageInfo") or {}).get("TotalSizeInGB") or 0,
        gpus=sum(gpu["Count"] for gpu in gpus if gpu["Manufacturer"] == "NVIDIA"),
    )


def _architecture(instance_type: Mapping[str, Any]) -> str:
    supported = instance_type["ProcessorInfo"]["SupportedArchitectures"]
    return next(ARCHITECTURES[name] for name in supported if name in ARCHITECTURES)
