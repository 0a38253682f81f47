"""Machines: what they run, where they stand, who may be on them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from moka.names import ROLE_LABEL
from policies.pack.corrections import setting
from policies.pack.resource import UNKNOWN, Resource, at, fully_known, mapping, member, sequence, text
from policies.pack.rule import Parameters, StackViolations, Subject, Violations
from policies.pack.types import (
    INTERNET_GATEWAY,
    NODE_GROUP,
    ROUTE,
    ROUTE_TABLE,
    ROUTE_TABLE_ASSOCIATION,
    SUBNET,
)

NODES = Subject("nodes", "Machines: what they run, where they stand, who may be on them")

DATA_PLANE_GUIDE = "https://docs.aws.amazon.com/eks/latest/best-practices/data-plane.html"
NODE_GUIDE = "https://docs.aws.amazon.com/eks/latest/best-practices/protecting-the-infrastructure.html"
KEPT_ROLES = ("driver", "shuffle", "system")
"""Roles of nodes whose loss costs more than a task that runs again."""

ELB_TAG = "kubernetes.io/role/elb"


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
        families = " or ".join(parameters["families"])
        yield f"Node group {group.name} runs {image}: choose an amiType that begins with {families}."


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
    if member(group.get("labels"), ROLE_LABEL, "") == "":
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
    if not any(_keeps_others_off(taint) for taint in sequence(taints)):
        yield (
            f"Node group {group.name} takes any pod: taint it with {ROLE_LABEL}={role_of(group)}:NO_SCHEDULE."
        )


def _keeps_others_off(taint: object) -> bool:
    return at(taint, "key") == ROLE_LABEL and at(taint, "effect") in ("NO_SCHEDULE", "NO_EXECUTE")


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
    most, percent = parameters["at_most_percent"], group.get("updateConfig.maxUnavailablePercentage", 0)
    count, size = group.get("updateConfig.maxUnavailable", 1), group.get("scalingConfig.maxSize", 0)
    if isinstance(percent, int | float) and percent > most:
        yield f"An update of node group {group.name} takes {percent}% of it at once: allow {most}%."
    elif (
        isinstance(count, int | float) and isinstance(size, int | float) and count > max(1, size * most / 100)
    ):
        yield f"An update of node group {group.name} takes {count} of {size} nodes: allow {most}%."


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
    correction=setting(nodeRepairConfig={"enabled": True}),
)
def node_repair(group: Resource, _: Parameters) -> Violations:
    """EKS replaces nodes that ail."""
    if group.get("nodeRepairConfig.enabled", False) is False:
        yield f"Nobody replaces ailing nodes of group {group.name}: set nodeRepairConfig.enabled to true."


@NODES.rule(
    "node-launch-template",
    NODE_GROUP,
    severity="high",
    why="EKS's own template is made after all rules; a group that began with it is replaced to get another.",
    references=("https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html",),
)
def node_launch_template(group: Resource, _: Parameters) -> Violations:
    """Node groups are started by a launch template of ours."""
    if group.get("launchTemplate", {}) == {}:
        yield f"Node group {group.name} takes EKS's launch template: name one of ours in launchTemplate."


@NODES.stack_rule(
    "nodes-in-private-subnets",
    NODE_GROUP,
    SUBNET,
    ROUTE,
    ROUTE_TABLE,
    ROUTE_TABLE_ASSOCIATION,
    severity="critical",
    why="Machines in a public subnet can be reached as soon as they have an address.",
    references=("CIS 5.4.3", NODE_GUIDE),
)
def nodes_in_private_subnets(resources: Sequence[Resource], _: Parameters) -> StackViolations:
    """Nodes stand in private subnets."""
    routed_subnets = routed_to_the_internet(resources)
    subnets = [subnet for subnet in resources if subnet.type == SUBNET]
    public = {
        subnet.urn: subnet.name for subnet in subnets if subnet.urn in routed_subnets or _is_public(subnet)
    }
    for group in resources:
        read = group.reads.get("subnetIds", ()) if group.type == NODE_GROUP else ()
        for name in sorted(public[urn] for urn in read if urn in public):
            yield group, f"Node group {group.name} stands in public subnet {name}: take a private one."


def _is_public(subnet: Resource) -> bool:
    return ELB_TAG in mapping(subnet.get("tags")) or subnet.get("mapPublicIpOnLaunch") is True


def routed_to_the_internet(resources: Sequence[Resource]) -> set[str]:
    """URNs of the subnets whose route table leads to an internet gateway."""
    tables: set[str] = set()
    for resource in resources:
        targets = [urn for name in ("gatewayId", "routes") for urn in resource.reads.get(name, ())]
        if any(f"{INTERNET_GATEWAY}::" in urn for urn in targets):
            tables.update(
                [resource.urn] if resource.type == ROUTE_TABLE else resource.reads.get("routeTableId", ())
            )
    associations = [resource for resource in resources if resource.type == ROUTE_TABLE_ASSOCIATION]
    public_associations = [
        association for association in associations if tables & set(association.reads.get("routeTableId", ()))
    ]
    return {urn for association in public_associations for urn in association.reads.get("subnetId", ())}


@NODES.stack_rule(
    "drivers-zone-spread",
    NODE_GROUP,
    SUBNET,
    severity="high",
    why="One zone that fails would take every driver, and a group over zones loses drivers to rebalancing.",
    references=(DATA_PLANE_GUIDE, "docs/settings.md"),
    at_least_zones=2,
)
def drivers_zone_spread(resources: Sequence[Resource], parameters: Parameters) -> StackViolations:
    """Driver groups are one a zone, in several zones."""
    zone_of = {
        subnet.urn: text(subnet.get("availabilityZone")) for subnet in resources if subnet.type == SUBNET
    }
    groups = [group for group in resources if group.type == NODE_GROUP]
    # A group of which the cluster or the role is not known may be the one that another lacks.
    certain = are_certain(groups)
    clusters: dict[str, list[Resource]] = defaultdict(list)
    for group in groups:
        if role_of(group) == "driver":
            clusters[cluster_of(group)].append(group)
    least = parameters["at_least_zones"]
    for drivers in clusters.values():
        zones = [_zones(group, zone_of) for group in drivers]
        for group, group_zones in zip(drivers, zones, strict=True):
            if len(group_zones) > 1:
                yield group, f"Driver group {group.name} is over several zones: make one for each zone."
        if certain and len(set().union(*zones)) < least:
            names = ", ".join(group.name for group in drivers)
            yield drivers[0], f"Drivers are in one zone, that of {names}: add groups in {least} zones."


def _zones(group: Resource, zone_of: Mapping[str, str]) -> set[str]:
    """The zones of a group's subnets; a subnet of which the zone is not known has one of its own."""
    subnets, urns = sequence(group.get("subnetIds")), group.reads.get("subnetIds", ())
    # What a component gives out is read with all that the component has: more than the group's own. What
    # another stack has is read from the reference to it.
    if len(urns) == len(subnets) and zone_of.keys() >= set(urns):
        return {zone_of.get(urn) or urn for urn in urns} or {group.urn}
    return {text(subnet) or f"{group.urn}/{index}" for index, subnet in enumerate(subnets)} or {group.urn}


def are_certain(groups: Sequence[Resource]) -> bool:
    """Whether it is known of groups which are of one cluster, and what for."""
    by_name = {isinstance(group.get("clusterName"), str) for group in groups}
    return len(by_name) < 2 and all(cluster_of(group) and has_known_role(group) for group in groups)


def role_of(group: Resource) -> str:
    """What the nodes of a group are for; empty where that is not known."""
    return text(member(group.get("labels"), ROLE_LABEL))


def has_known_role(group: Resource) -> bool:
    """Whether it is known what the nodes of a group are for, or that nobody says so."""
    return member(group.get("labels"), ROLE_LABEL) is not UNKNOWN


def cluster_of(resource: Resource) -> str:
    """What tells the cluster of a resource from others; empty where that is not known."""
    return text(resource.get("clusterName")) or ", ".join(resource.reads.get("clusterName", ()))
