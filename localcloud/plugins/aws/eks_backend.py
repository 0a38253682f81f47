"""What runs behind EKS: a control plane for every cluster, and kwok's nodes for every node group.

The functions make it as EKS describes it, so that they can be called again after a failure.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from aws_rules.access.config_map import not_admitted
from aws_rules.eks import drain, duration
from aws_rules.eks.capacity import max_unavailable
from aws_rules.eks.volumes import ADD_ONS, EBS
from aws_rules.nodes.machine_images import ARCHITECTURES
from aws_rules.nodes.templates import OWN_IMAGE
from aws_rules.rule import Unknown, Verdict, Violation
from localcloud import unknowns
from localcloud.errors import Refusal
from localcloud.plugins.aws import admission
from localcloud.plugins.aws.api import Api
from localcloud.plugins.aws.instance_types import described
from localcloud.plugins.aws.refusals import nodes, reservations
from localcloud.plugins.aws.refusals.templates import template_data
from localcloud.plugins.aws.subject import Subject
from localcloud.store import Store, other_places

if TYPE_CHECKING:
    from localcloud.control_plane import ControlPlane
    from localcloud.control_plane.machines import InstanceType
    from localcloud.control_plane.nodeadm import NodeSettings
    from localcloud.control_plane.nodes import NodeGroup

EFFECTS = {
    "NO_SCHEDULE": "NoSchedule",
    "NO_EXECUTE": "NoExecute",
    "PREFER_NO_SCHEDULE": "PreferNoSchedule",
}


CREATE_FAILED = "CREATE_FAILED"
"""Status of a node group whose machines did not join when it was created."""

JoinCheck = Callable[[Subject, Mapping[str, Any], Mapping[str, Any]], Iterable[Verdict]]
"""What new machines of a node group would fail at.

It is given the group as EKS describes it, and the data of its launch template. A violation's code is one of
EKS's for the health of node groups, such as `NodeCreationFailure`:
https://docs.aws.amazon.com/eks/latest/APIReference/API_Issue.html
"""


def role_unknown(subject: Subject, group: Mapping[str, Any], data: Mapping[str, Any]) -> Iterator[Verdict]:
    """Whether the cluster would turn the group's machines away."""
    plane = control_plane(subject, group["clusterName"])
    if not admission.admitted(subject.api, subject.region, plane, group["nodeRole"]):
        about = f"node group {group['nodegroupName']} of {plane.name}"
        yield not_admitted(about, group["nodeRole"])


JOIN_CHECKS: list[JoinCheck] = [nodes.check, reservations.check, role_unknown]
"""Asked in this order before machines are made."""


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
    note_endpoint(plane, subject.api.service("eks", subject.region).store)


def note_endpoint(plane: "ControlPlane", eks: Store) -> None:
    """Have EKS return the endpoint of a control plane that serves.

    eks: what is kept of EKS in the cluster's account and region.
    """
    # Written once: somebody else may be changing the cluster at this moment.
    if (eks.get("cluster", plane.name) or {}).get("endpoint") != plane.endpoint:
        authority = {"data": plane.certificate_authority}
        eks.update(
            "cluster", plane.name, members={"endpoint": plane.endpoint, "certificateAuthority": authority}
        )


def add_volume_driver(subject: Subject) -> None:
    """Show a cluster that its add-on for EBS volumes is there."""
    plane = control_plane(subject, subject.properties["clusterName"])
    if _of_volumes(subject) and plane.alive():
        from localcloud.control_plane.cloud_provider import CSI_DRIVERS, EBS_DRIVER

        plane.api().apply(f"{CSI_DRIVERS}/{EBS}", EBS_DRIVER)


def remove_volume_driver(subject: Subject) -> None:
    """Show a cluster that its add-on for EBS volumes is gone, unless its software is to stay."""
    plane = control_plane(subject, subject.properties["clusterName"])
    if _of_volumes(subject) and not subject.properties.get("preserve") and plane.alive():
        from localcloud.control_plane.cloud_provider import CSI_DRIVERS

        plane.api().delete(f"{CSI_DRIVERS}/{EBS}")


def _of_volumes(subject: Subject) -> bool:
    return bool(subject.properties["addonName"] == ADD_ONS[EBS])


def remove_cluster(subject: Subject) -> None:
    """End a cluster's control plane, and delete its data."""
    control_plane(subject, subject.id).remove()


def set_machines(subject: Subject) -> None:
    """Make the nodes of a node group as EKS describes them, or have it fail as in EKS."""
    group = _group(subject)
    if group["status"] == CREATE_FAILED:
        # EKS does not try again: aws/containers-roadmap#764.
        return
    data = template_data(subject.api, subject.region, group.get("launchTemplate") or {})
    service = subject.api.service("eks", subject.region)
    key = ("machines", group["clusterName"], group["nodegroupName"])
    had, has = service.store.get(*key), machines(group, data)
    plane = control_plane(subject, group["clusterName"])
    if had is None and plane.alive():
        admission.let_in(subject.api, subject.region, plane, group["nodeRole"])
    violations = list(_launch_failures(subject, group, data)) if _launches(had, has) else []
    if had and had["count"] and had["revision"] != has["revision"]:
        violations += _replace(subject, plane, group, had["count"])
    _note_health(subject, group, violations, updating=had is not None)
    apply_machines(plane, described_machines(subject.api, subject.region, group))
    service.store.put(*key, thing=has)


def machines(group: Mapping[str, Any], data: Mapping[str, Any]) -> dict[str, Any]:
    """What is kept of a group's machines: how many, their revision, and the reservation that they use."""
    return {
        "count": group["scalingConfig"]["desiredSize"],
        "revision": revision(group),
        "reservation": reservations.target(data),
    }


def have_machines(api: Api, region: str, group: Mapping[str, Any]) -> set[str]:
    """Make the machines of a node group as EKS describes it; names of those that ended for even zones."""
    from localcloud.control_plane import ControlPlane
    from localcloud.control_plane.nodes import apply_node_group

    cluster, name = group["clusterName"], group["nodegroupName"]
    moves = apply_node_group(ControlPlane(api.cloud, cluster), described_machines(api, region, group))
    data = template_data(api, region, group.get("launchTemplate") or {})
    api.service("eks", region).store.put("machines", cluster, name, thing=machines(group, data))
    return moves


def _launches(had: Mapping[str, Any] | None, has: Mapping[str, Any]) -> bool:
    """Whether a group launches machines for what it is to have."""
    if not has["count"]:
        return False
    return had is None or has["count"] > had["count"] or has["revision"] != had["revision"]


def _launch_failures(
    subject: Subject, group: Mapping[str, Any], data: Mapping[str, Any]
) -> Iterator[Violation]:
    """Why new machines of a group would not run, or not join; what is not known is noted."""
    for check in JOIN_CHECKS:
        for verdict in check(subject, group, data):
            match verdict:
                case Violation():
                    yield verdict
                case Unknown():
                    unknowns.note(subject.api.cloud, verdict)


def _replace(
    subject: Subject, plane: "ControlPlane", group: Mapping[str, Any], count: int
) -> Iterator[Violation]:
    """Count the minutes that EKS takes to replace a group's machines; why it could not drain them."""
    from localcloud.control_plane.nodes import disruption_budgets, pods_of_group

    alive = plane.alive()
    pods = pods_of_group(plane, group["nodegroupName"]) if alive else []
    subject.minutes += duration.update_minutes(
        group.get("updateConfig") or {}, count, drain.drain_minutes(pods)
    )
    if not subject.inputs.get("forceUpdateVersion"):
        about = f"EKS node group {group['nodegroupName']} of {group['clusterName']}"
        yield from drain.drain(about, pods, disruption_budgets(plane) if alive else [])


def _note_health(
    subject: Subject, group: Mapping[str, Any], violations: Sequence[Violation], *, updating: bool
) -> None:
    """Have EKS show the health of a group from now on; raise Refusal when it failed."""
    place = (group["clusterName"], group["nodegroupName"])
    service = subject.api.service("eks", subject.region)
    if not violations:
        service.store_health(*place, "ACTIVE", [])
        return
    ids = [group["resources"]["autoScalingGroups"][0]["name"]]
    issues = [
        {"code": violation.code, "message": violation.message, "resourceIds": ids} for violation in violations
    ]
    # A group whose update failed goes on with the machines that it has.
    service.store_health(*place, "DEGRADED" if updating else CREATE_FAILED, issues)
    raise Refusal("\n".join([failure(*place, violations, updating=updating), *map(str, violations)]))


def failure(cluster: str, group: str, violations: Iterable[Violation], *, updating: bool) -> str:
    """What the provider says of a failed node group (hashicorp/terraform-provider-aws: node_group.go)."""
    errors = "; ".join(f"{violation.code}: {violation.message}" for violation in violations)
    wait, state, target = (
        ("version update", "Failed", "Successful") if updating else ("create", CREATE_FAILED, "ACTIVE")
    )
    return (
        f"waiting for EKS Node Group ({cluster}:{group}) {wait}: unexpected state '{state}', wanted target "
        f"'{target}'. last error: {errors}"
    )


def revision(group: Mapping[str, Any]) -> str:
    """What only other machines can have: version, image, launch template."""
    template = group.get("launchTemplate") or {}
    parts = (
        group["version"],
        group["releaseVersion"],
        template.get("id", ""),
        template.get("version", ""),
    )
    return " ".join(map(str, parts)).strip()


def described_machines(api: Api, region: str, group: Mapping[str, Any]) -> "NodeGroup":
    """The machines of a node group as EKS describes it."""
    from localcloud.control_plane.nodes import NodeGroup, Taint, capped_count

    subnets = api.call("ec2", "describe_subnets", {"SubnetIds": group["subnets"]}, region)["Subnets"]
    data = template_data(api, region, group.get("launchTemplate") or {})
    update, count = group.get("updateConfig") or {}, group["scalingConfig"]["desiredSize"]
    return NodeGroup(
        name=group["nodegroupName"],
        instance_types=tuple(
            instance_type(attributes, drivers=_has_drivers(group))
            for attributes in described(api, region, group["instanceTypes"])
        ),
        zones=tuple(sorted({subnet["AvailabilityZone"] for subnet in subnets})),
        count=count,
        labels=dict(group.get("labels") or {}),
        taints=tuple(
            Taint(key=taint["key"], value=taint.get("value") or "", effect=EFFECTS[taint["effect"]])
            for taint in group.get("taints") or ()
        ),
        capacity_type=group["capacityType"],
        role=group["nodeRole"],
        disk=disk(data) or group.get("diskSize") or 20,
        settings=_settings(data),
        revision=revision(group),
        # Of an image of one's own it is the image's id.
        release="" if group.get("amiType") == OWN_IMAGE else group["releaseVersion"],
        max_unavailable=max_unavailable(update, capped_count(count)),
        launches_first=update.get("updateStrategy") != "MINIMAL",
    )


def remove_machines(subject: Subject) -> None:
    """Remove the nodes of a node group from its cluster, if the cluster still runs."""
    names = subject.properties
    end_machines(
        subject.api, subject.region, names["clusterName"], names["nodeGroupName"], names["nodeRoleArn"]
    )


def end_machines(api: Api, region: str, cluster: str, group: str, role: str) -> None:
    """The same of a group that is deleted. role: ARN of its nodes' role."""
    from localcloud.control_plane import ControlPlane
    from localcloud.control_plane.nodes import remove_node_group

    plane = ControlPlane(api.cloud, cluster)
    if plane.alive():
        remove_node_group(plane, group)
        if role not in api.service("eks", region).roles_of_machines(cluster):
            admission.keep_out(api, region, plane, role)


def _group(subject: Subject) -> dict[str, Any]:
    properties = subject.properties
    answer = subject.request(
        "describe_nodegroup", clusterName=properties["clusterName"], nodegroupName=properties["nodeGroupName"]
    )
    group: dict[str, Any] = answer["nodegroup"]
    return group


def disk(data: Mapping[str, Any]) -> int | None:
    """Size of the root disk in a launch template, GiB."""
    sizes = [device.get("Ebs", {}).get("VolumeSize") for device in data.get("BlockDeviceMappings") or ()]
    return int(sizes[0]) if sizes and sizes[0] else None


def _settings(data: Mapping[str, Any]) -> "NodeSettings":
    from localcloud.control_plane.nodeadm import NodeSettings, settings_of_user_data

    return settings_of_user_data(data["UserData"]) if data.get("UserData") else NodeSettings()


def _has_drivers(group: Mapping[str, Any]) -> bool:
    """Whether the machine image has NVIDIA's drivers; of an image of one's own it is taken for granted."""
    return any(word in str(group.get("amiType")) for word in ("NVIDIA", "GPU", "CUSTOM"))


def instance_type(attributes: Mapping[str, Any], *, drivers: bool) -> "InstanceType":
    """An instance type, by its attributes; drivers: whether its GPUs are of use."""
    from localcloud.control_plane.machines import InstanceType

    gpus = (attributes.get("GpuInfo") or {}).get("Gpus") or ()
    return InstanceType(
        name=attributes["InstanceType"],
        architecture=_architecture(attributes),
        vcpus=attributes["VCpuInfo"]["DefaultVCpus"],
        memory=attributes["MemoryInfo"]["SizeInMiB"],
        local_disk=(attributes.get("InstanceStorageInfo") or {}).get("TotalSizeInGB") or 0,
        gpus=sum(gpu["Count"] for gpu in gpus if drivers and gpu["Manufacturer"] == "NVIDIA"),
    )


def _architecture(instance_type: Mapping[str, Any]) -> str:
    names = instance_type["ProcessorInfo"]["SupportedArchitectures"]
    return next(ARCHITECTURES[name] for name in names if name in ARCHITECTURES)
