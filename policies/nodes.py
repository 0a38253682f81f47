"""Machines: what they run, where they stand, who may be on them."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from moka.names import ROLE_LABEL
from policies.pack.resource import UNKNOWN, Resource, at, fully_known, mapping, sequence, text
from policies.pack.rule import Parameters, StackViolations, Subject, Violations
from policies.pack.types import INSTANCE, LAUNCH_TEMPLATE, NODE_GROUP, SUBNET

NODES = Subject("nodes", "Machines: what they run, where they stand, who may be on them")

IMDS_GUIDE = "https://docs.aws.amazon.com/eks/latest/best-practices/identity-and-access-management.html"
DATA_PLANE_GUIDE = "https://docs.aws.amazon.com/eks/latest/best-practices/data-plane.html"
KEPT_ROLES = ("driver", "shuffle", "system")
"""Roles of nodes whose loss costs more than a task that runs again."""

ELB_TAG = "kubernetes.io/role/elb"


def _metadata_options(name: str, value: Any) -> Any:
    """A correction that sets an option of the instance metadata service."""

    def correct(inputs: Mapping[str, Any], _: Parameters) -> dict[str, Any]:
        return {**inputs, "metadataOptions": {**mapping(inputs.get("metadataOptions")), name: value}}

    return correct


@NODES.rule(
    "imdsv2-required",
    LAUNCH_TEMPLATE,
    INSTANCE,
    severity="high",
    why="Version 1 answers any request, so a proxy or a redirect is enough to get a node's credentials.",
    references=(
        IMDS_GUIDE,
        "https://docs.aws.amazon.com/securityhub/latest/userguide/ec2-controls.html#ec2-8",
    ),
    correction=_metadata_options("httpTokens", "required"),
)
def imdsv2_required(template: Resource, _: Parameters) -> Violations:
    """The instance metadata service asks for a token."""
    if template.get("metadataOptions.httpTokens", "optional") != "required":
        yield f"{template.name} answers IMDSv1: set metadataOptions.httpTokens to required."


@NODES.rule(
    "imds-hop-limit",
    LAUNCH_TEMPLATE,
    INSTANCE,
    severity="high",
    why="With two hops, pods get the node's credentials.",
    references=(IMDS_GUIDE, "docs/decisions/0007-identity-and-isolation.md"),
    correction=_metadata_options("httpPutResponseHopLimit", 1),
)
def imds_hop_limit(template: Resource, _: Parameters) -> Violations:
    """The instance metadata service does not answer pods."""
    limit = template.get("metadataOptions.httpPutResponseHopLimit", 1)
    if isinstance(limit, int | float) and limit > 1:
        yield f"{template.name} answers pods: set metadataOptions.httpPutResponseHopLimit to 1."


@NODES.rule(
    "node-volumes-encrypted",
    LAUNCH_TEMPLATE,
    INSTANCE,
    severity="high",
    why="Spills, shuffle data and logs of jobs are on these disks.",
    references=(
        "https://docs.aws.amazon.com/securityhub/latest/userguide/ec2-controls.html#ec2-7",
        DATA_PLANE_GUIDE,
    ),
)
def node_volumes_encrypted(template: Resource, _: Parameters) -> Violations:
    """The volumes of machines are encrypted."""
    for device in sequence(template.get("blockDeviceMappings")):
        volume = mapping(device).get("ebs")
        if isinstance(volume, Mapping) and volume.get("encrypted", "false") in (False, "false"):
            name = text(mapping(device).get("deviceName"))
            yield f"Volume {name} of {template.name} is not encrypted: set ebs.encrypted to true."


@NODES.rule(
    "node-no-public-address",
    LAUNCH_TEMPLATE,
    INSTANCE,
    severity="critical",
    why="A node with a public address is one security group's mistake away from the internet.",
    references=("CIS 5.4.3", DATA_PLANE_GUIDE),
)
def node_no_public_address(template: Resource, _: Parameters) -> Violations:
    """Machines have no public addresses."""
    interfaces = sequence(template.get("networkInterfaces"))
    settings = [
        template.get("associatePublicIpAddress"),
        *(mapping(i).get("associatePublicIpAddress") for i in interfaces),
    ]
    if any(setting in (True, "true") for setting in settings):
        yield f"{template.name} gives machines public addresses: remove associatePublicIpAddress."


@NODES.rule(
    "node-no-ssh",
    LAUNCH_TEMPLATE,
    NODE_GROUP,
    INSTANCE,
    severity="medium",
    why="Keys are shared and stay; sessions of Systems Manager are a person's, and logged.",
    references=(DATA_PLANE_GUIDE,),
)
def node_no_ssh(resource: Resource, _: Parameters) -> Violations:
    """Nobody logs in to machines by SSH."""
    if resource.get("keyName", "") != "":
        yield f"{resource.name} lets the holder of key {resource.get('keyName')} in: remove keyName."
    if isinstance(resource.get("remoteAccess"), Mapping):
        yield f"Node group {resource.name} takes SSH: remove remoteAccess."


@NODES.rule(
    "node-image-supported",
    NODE_GROUP,
    severity="high",
    why="EKS has published no Amazon Linux 2 image since 26 November 2025, so no fix reaches such nodes.",
    references=("https://docs.aws.amazon.com/eks/latest/userguide/eks-ami-deprecation-faqs.html",),
    families=["AL2023_", "BOTTLEROCKET_"],
)
def node_image_supported(group: Resource, parameters: Parameters) -> Violations:
    """Nodes run images that are still mended."""
    image = text(group.get("amiType"))
    if image and image != "CUSTOM" and not image.startswith(tuple(parameters["families"])):
        yield f"Node group {group.name} runs {image}: choose one of {', '.join(parameters['families'])}."


@NODES.rule(
    "spot-for-executors-only",
    NODE_GROUP,
    severity="critical",
    why="A driver that loses its machine takes its job along, a shuffle worker the data of many.",
    references=(
        "https://docs.aws.amazon.com/eks/latest/best-practices/cost-opt-compute.html",
        "docs/settings.md",
    ),
)
def spot_for_executors_only(group: Resource, _: Parameters) -> Violations:
    """Drivers, shuffle data and the platform are never on spot machines."""
    if group.get("capacityType", "ON_DEMAND") == "SPOT" and (role := role_of(group)) in KEPT_ROLES:
        yield f"Node group {group.name} is for {role} and on spot machines: take on-demand ones."


@NODES.rule(
    "node-role-known",
    NODE_GROUP,
    severity="medium",
    why="What is placed by role finds no way to such nodes, and what is not placed lands there.",
    references=("docs/decisions/0006-node-group-generations.md",),
)
def node_role_known(group: Resource, _: Parameters) -> Violations:
    """Node groups say what their nodes are for."""
    labels = group.get("labels", {})
    if labels is not UNKNOWN and mapping(labels).get(ROLE_LABEL, "") == "":
        yield f"Node group {group.name} has no label {ROLE_LABEL}: say what its nodes are for."


@NODES.rule(
    "node-taint",
    NODE_GROUP,
    severity="medium",
    why="Without a taint, other pods take the room, and keep machines that would be scaled in.",
    references=("docs/decisions/0006-node-group-generations.md",),
    roles=["driver", "executor", "shuffle"],
)
def node_taint(group: Resource, parameters: Parameters) -> Violations:
    """Nodes for jobs and shuffle data are kept for those."""
    taints = group.get("taints", [])
    if role_of(group) not in parameters["roles"] or not fully_known(taints):
        return
    if not any(at(taint, "key") == ROLE_LABEL for taint in taints):
        yield (
            f"Node group {group.name} takes any pod: taint it with {ROLE_LABEL}={role_of(group)}:NO_SCHEDULE."
        )


@NODES.rule(
    "node-update-bounded",
    NODE_GROUP,
    severity="medium",
    why="An update drains that many nodes at once, with the jobs on them.",
    references=("https://docs.aws.amazon.com/eks/latest/userguide/managed-node-update-behavior.html",),
    at_most_percent=34,
)
def node_update_bounded(group: Resource, parameters: Parameters) -> Violations:
    """An update takes few nodes of a group at a time."""
    percent = group.get("updateConfig.maxUnavailablePercentage", 0)
    if isinstance(percent, int | float) and percent > parameters["at_most_percent"]:
        most = parameters["at_most_percent"]
        yield f"An update of node group {group.name} takes {percent}% of it at once: {most}% at the most."


@NODES.rule(
    "node-group-size",
    NODE_GROUP,
    severity="low",
    why="EKS has 450 nodes a group by default; a group that reaches its bound leaves pods pending.",
    references=("https://docs.aws.amazon.com/eks/latest/userguide/service-quotas.html",),
    at_most=450,
)
def node_group_size(group: Resource, parameters: Parameters) -> Violations:
    """A node group fits EKS's quota."""
    size = group.get("scalingConfig.maxSize", 0)
    if isinstance(size, int | float) and size > parameters["at_most"]:
        yield (
            f"Node group {group.name} may have {size} nodes, and EKS has {parameters['at_most']}: divide it."
        )


@NODES.rule(
    "node-repair",
    NODE_GROUP,
    severity="low",
    why="A node that ails keeps its pods until somebody looks.",
    references=("https://docs.aws.amazon.com/eks/latest/userguide/node-health.html",),
    correction=lambda inputs, _: {**inputs, "nodeRepairConfig": {"enabled": True}},
)
def node_repair(group: Resource, _: Parameters) -> Violations:
    """EKS replaces nodes that ail."""
    if group.get("nodeRepairConfig.enabled", False) is False:
        yield f"Nobody replaces ailing nodes of group {group.name}: set nodeRepairConfig.enabled to true."


@NODES.stack_rule(
    "nodes-in-private-subnets",
    NODE_GROUP,
    SUBNET,
    severity="critical",
    why="Machines in a public subnet can be reached as soon as they have an address.",
    references=("CIS 5.4.3", DATA_PLANE_GUIDE),
)
def nodes_in_private_subnets(resources: Sequence[Resource], _: Parameters) -> StackViolations:
    """Nodes stand in private subnets."""
    public = {subnet.urn: subnet.name for subnet in resources if subnet.type == SUBNET and _is_public(subnet)}
    for group in resources:
        read = group.reads.get("subnetIds", ()) if group.type == NODE_GROUP else ()
        for name in sorted(public[urn] for urn in read if urn in public):
            yield group, f"Node group {group.name} stands in public subnet {name}: take a private one."


def _is_public(subnet: Resource) -> bool:
    return ELB_TAG in mapping(subnet.get("tags")) or subnet.get("mapPublicIpOnLaunch") is True


@NODES.stack_rule(
    "drivers-zone-spread",
    NODE_GROUP,
    severity="high",
    why="One zone that fails would take every driver, and a group over zones loses drivers to rebalancing.",
    references=("https://docs.aws.amazon.com/eks/latest/best-practices/data-plane.html", "docs/settings.md"),
    at_least_zones=2,
)
def drivers_zone_spread(resources: Sequence[Resource], parameters: Parameters) -> StackViolations:
    """Driver groups are one a zone, in several zones."""
    groups: dict[str, list[Resource]] = defaultdict(list)
    for group in resources:
        if role_of(group) == "driver":
            groups[_cluster(group)].append(group)
    for drivers in groups.values():
        for group in drivers:
            if len(sequence(group.get("subnetIds"))) > 1:
                yield group, f"Driver group {group.name} is over several zones: make one for each zone."
        if len(drivers) < parameters["at_least_zones"]:
            zones = parameters["at_least_zones"]
            yield (
                drivers[0],
                f"Drivers of {_cluster(drivers[0])} are in {len(drivers)} zone: give them {zones}.",
            )


def role_of(group: Resource) -> str:
    """What the nodes of a group are for; empty where that is not known."""
    return text(mapping(group.get("labels")).get(ROLE_LABEL))


def _cluster(group: Resource) -> str:
    return text(group.get("clusterName")) or ", ".join(_names(group.reads.get("clusterName", ())))


def _names(urns: Sequence[str]) -> Iterator[str]:
    return (urn.rpartition("::")[2] for urn in urns)
