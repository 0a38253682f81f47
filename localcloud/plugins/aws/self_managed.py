"""Auto Scaling groups whose machines join an EKS cluster by themselves, and become kwok's nodes.

User data in the launch template has a NodeConfig that names the cluster; other groups have no nodes. EKS
knows nothing of these groups, so nothing fails where their machines do not join: that is said after the run.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from aws_rules.access.config_map import not_admitted
from aws_rules.nodes.self_managed import SELF_MANAGED
from aws_rules.rule import Unknown, Verdict, Violation
from localcloud import unknowns
from localcloud.plugins.aws import admission, eks_backend
from localcloud.plugins.aws.instance_types import described
from localcloud.plugins.aws.refusals.identities import Identities
from localcloud.plugins.aws.refusals.network import interfaces, load
from localcloud.plugins.aws.refusals.nodes import Joining
from localcloud.plugins.aws.refusals.templates import configuration_data, template_data
from localcloud.plugins.aws.subject import Subject

if TYPE_CHECKING:
    from localcloud.control_plane import ControlPlane
    from localcloud.control_plane.nodeadm import NodeSettings
    from localcloud.control_plane.nodes import NodeGroup

Data = Mapping[str, Any]

NOUN = "self-managed"
"""Of what is kept of a group: the cluster that its machines join, and their revision."""


def set_machines(subject: Subject) -> None:
    """Make the nodes of a group of the program's own."""
    set_group(subject, subject.id, refresh=bool(subject.inputs.get("instanceRefresh")))


def set_group(subject: Subject, name: str, *, refresh: bool) -> None:
    """Make the nodes of a group as Auto Scaling describes it, if its machines join a cluster.

    refresh: a change of what they are started from replaces machines that run.
    """
    api, region = subject.api, subject.region
    [group] = api.call(
        "autoscaling", "describe_auto_scaling_groups", {"AutoScalingGroupNames": [name]}, region
    )["AutoScalingGroups"]
    template = group.get("LaunchTemplate") or {}
    configuration = group.get("LaunchConfigurationName", "")
    data = (
        configuration_data(api, region, configuration)
        if configuration
        else template_data(
            api,
            region,
            {
                "id": template.get("LaunchTemplateId"),
                "name": template.get("LaunchTemplateName"),
                "version": template.get("Version"),
            },
        )
    )
    settings = _settings(data)
    if settings is None or not settings.cluster:
        return
    if settings.cluster not in subject.api.call("eks", "list_clusters", {}, subject.region)["clusters"]:
        about, lacks = f"Auto Scaling group {name}", f"EKS cluster {settings.cluster}"
        unknowns.note(subject.api.cloud, Unknown(rule=SELF_MANAGED, resource=about, lacks=lacks))
        return
    plane = eks_backend.control_plane(subject, settings.cluster)
    if not plane.alive():
        return
    store = subject.api.service("autoscaling", subject.region).store
    had = store.get(NOUN, name)
    revision = configuration or f"{template.get('LaunchTemplateName', '')} {template.get('Version', '')}"
    if had and not refresh:
        # Without a refresh, machines that run stay as they are.
        revision = had["revision"]
    eks_backend.apply_machines(plane, _machines(subject, plane, group, data, settings, revision))
    store.put(NOUN, name, thing={"cluster": settings.cluster, "revision": revision})


def remove_machines(subject: Subject) -> None:
    """Remove the nodes of a group of the program's own."""
    remove_group(subject, subject.id)


def remove_group(subject: Subject, name: str) -> None:
    """Remove the nodes of a group from the cluster that they are in, if it still runs."""
    from localcloud.control_plane.nodes import SCALING_GROUP, remove_node_group

    store = subject.api.service("autoscaling", subject.region).store
    if had := store.get(NOUN, name):
        plane = eks_backend.control_plane(subject, had["cluster"])
        if plane.alive():
            remove_node_group(plane, label_of(name), SCALING_GROUP)
        store.remove(NOUN, name)


def label_of(name: str) -> str:
    """The name of a group as a label and names of nodes have it; what makes it unique is at its end."""
    plain = "".join(letter if letter.isalnum() else "-" for letter in name.lower())
    return plain[-50:].strip("-")


def _settings(data: Data) -> "NodeSettings | None":
    from localcloud.control_plane.nodeadm import settings_of_user_data

    return settings_of_user_data(data["UserData"]) if data.get("UserData") else None


def _machines(
    subject: Subject,
    plane: "ControlPlane",
    group: Mapping[str, Any],
    data: Data,
    settings: "NodeSettings",
    revision: str,
) -> "NodeGroup":
    from localcloud.control_plane.nodes import NodeGroup, Taint

    api, region, subnet_ids = subject.api, subject.region, group["VPCZoneIdentifier"].split(",")
    subnets = api.call("ec2", "describe_subnets", {"SubnetIds": subnet_ids}, region)["Subnets"]
    role = _role(subject, data)
    kept_out = [str(verdict) for verdict in _verdicts(subject, plane, group, data, role)]
    taints = [_taint(text) for text in settings.flag("register-with-taints")]
    attributes = described(api, region, [data["InstanceType"]])
    return NodeGroup(
        name=label_of(group["AutoScalingGroupName"]),
        instance_types=tuple(
            eks_backend.instance_type(attribute_set, drivers=False) for attribute_set in attributes
        ),
        zones=tuple(sorted({subnet["AvailabilityZone"] for subnet in subnets})),
        count=group["DesiredCapacity"],
        labels=dict(label.split("=", 1) for label in settings.flag("node-labels") if "=" in label),
        taints=tuple(Taint(key=key, value=value, effect=effect) for key, value, effect in taints),
        role=role,
        disk=eks_backend.disk(data) or 20,
        settings=replace(settings, max_pods=settings.max_pods or min(map(pods_by_addresses, attributes))),
        revision=revision,
        kept_out="; ".join(kept_out),
        managed=False,
    )


def pods_by_addresses(attributes: Mapping[str, Any]) -> int:
    """Most pods of a machine that nobody told: as many as its interfaces have addresses for.

    Source: awslabs/amazon-eks-ami: nodeadm/internal/kubelet/eni_max_pods.go.
    """
    network = attributes["NetworkInfo"]
    return int(network["MaximumNetworkInterfaces"] * (network["Ipv4AddressesPerInterface"] - 1) + 2)


def _taint(text: str) -> tuple[str, str, str]:
    """Key, value and effect of a taint as the kubelet takes it: `key=value:effect`, or `key:effect`."""
    about, _, effect = text.rpartition(":")
    key, _, value = about.partition("=")
    return key, value, effect


def _role(subject: Subject, data: Data) -> str:
    """ARN of the role in the instance profile of a launch template; empty without one."""
    profile = data.get("IamInstanceProfile") or {}
    name = profile.get("Name") or str(profile.get("Arn", "")).rpartition("/")[2]
    if not name:
        return ""
    answer = subject.api.call("iam", "get_instance_profile", {"InstanceProfileName": name}, subject.region)
    return next((str(role["Arn"]) for role in answer["InstanceProfile"]["Roles"]), "")


def _verdicts(
    subject: Subject, plane: "ControlPlane", group: Mapping[str, Any], data: Data, role: str
) -> Iterator[Violation]:
    """What keeps the machines of a group from being nodes; what is not known is noted."""
    api, region = subject.api, subject.region
    name, subnets = group["AutoScalingGroupName"], group["VPCZoneIdentifier"].split(",")
    if not admission.admitted(api, region, plane, role):
        yield not_admitted(f"Auto Scaling group {name}", role or "the role of an instance profile")
        return
    network = load(api, region)
    as_described = {
        "clusterName": plane.name,
        "nodegroupName": name,
        "nodeRole": role,
        "subnets": subnets,
        "instanceTypes": [data["InstanceType"]],
        "scalingConfig": {"desiredSize": group["DesiredCapacity"]},
    }
    default = _default_groups(subject, network.clusters[plane.name]["resourcesVpcConfig"]["vpcId"])
    machines = interfaces(api, name, subnets, data, default, region)
    verdicts: Iterator[Verdict] = Joining(
        Identities(api, region), network, as_described, data, machines
    ).surroundings()
    for verdict in verdicts:
        match verdict:
            case Violation():
                yield verdict
            case Unknown():
                unknowns.note(api.cloud, verdict)


def _default_groups(subject: Subject, vpc: str) -> tuple[str, ...]:
    """The default security group of a VPC, which machines have whose template names none."""
    of_vpc = [{"Name": "vpc-id", "Values": [vpc]}, {"Name": "group-name", "Values": ["default"]}]
    answer = subject.api.call("ec2", "describe_security_groups", {"Filters": of_vpc}, subject.region)
    return tuple(group["GroupId"] for group in answer["SecurityGroups"])
