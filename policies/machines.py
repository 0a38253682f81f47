"""Machines as such: their metadata, volumes, addresses, and who may log in."""

import re
from collections.abc import Iterator, Mapping

from policies.nodes import NODE_GUIDE, NODES
from policies.pack.corrections import setting
from policies.pack.objects import where
from policies.pack.resource import Resource, at, sequence, text
from policies.pack.rule import Parameters, Violations
from policies.pack.types import INSTANCE, LAUNCH_TEMPLATE, NODE_GROUP

IMDS_GUIDE = "https://docs.aws.amazon.com/eks/latest/best-practices/identity-and-access-management.html"


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
    correction=setting(metadataOptions={"httpTokens": "required"}),
)
def imdsv2_required(template: Resource, _: Parameters) -> Violations:
    """The instance metadata service asks for a token."""
    tokens = template.get("metadataOptions.httpTokens", "optional")
    if tokens != "required" and _has_metadata(template):
        yield f"{where(template)} answers IMDSv1: set metadataOptions.httpTokens to required."


def _has_metadata(template: Resource) -> bool:
    return bool(template.get("metadataOptions.httpEndpoint", "enabled") == "enabled")


@NODES.rule(
    "imds-hop-limit",
    LAUNCH_TEMPLATE,
    INSTANCE,
    severity="high",
    why="With two hops, pods get the node's credentials.",
    references=(
        IMDS_GUIDE,
        "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/configuring-IMDS-new-instances.html",
        "docs/decisions/0007-identity-and-isolation.md",
    ),
    correction=setting(metadataOptions={"httpPutResponseHopLimit": 1}),
)
def imds_hop_limit(template: Resource, _: Parameters) -> Violations:
    """The instance metadata service does not answer pods."""
    # Without a limit here, the account's or the image's holds, and an image made for IMDSv2 has 2.
    limit = template.get("metadataOptions.httpPutResponseHopLimit", 2)
    if isinstance(limit, int | float) and limit > 1 and _has_metadata(template):
        yield f"{where(template)} may answer pods: set metadataOptions.httpPutResponseHopLimit to 1."


@NODES.rule(
    "no-burstable-machines",
    NODE_GROUP,
    severity="medium",
    why="A burstable machine that has used up its credits runs at a fifth, or is paid for by the core.",
    references=("https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/burstable-performance-instances.html",),
)
def no_burstable_machines(group: Resource, _: Parameters) -> Violations:
    """Nodes have all of their processors all of the time."""
    for kind in map(text, sequence(group.get("instanceTypes"))):
        if re.match(r"t\d", kind):
            yield f"Node group {group.name} has {kind}, which is burstable: take a type of family m, c or r."


@NODES.rule(
    "node-volumes-encrypted",
    LAUNCH_TEMPLATE,
    INSTANCE,
    severity="high",
    why="Spills, shuffle data and logs of jobs are on these disks.",
    references=(
        "https://docs.aws.amazon.com/securityhub/latest/userguide/ec2-controls.html#ec2-3",
        "https://docs.aws.amazon.com/eks/latest/best-practices/data-encryption-and-secrets-management.html",
    ),
)
def node_volumes_encrypted(template: Resource, _: Parameters) -> Violations:
    """The volumes of machines are encrypted."""
    for name, volume in _volumes(template):
        if at(volume, "encrypted", False) in (False, "false"):
            yield f"Volume {name} of {where(template)} is not encrypted: set encrypted to true."


def _volumes(template: Resource) -> Iterator[tuple[str, Mapping[str, object]]]:
    """Names and settings of the volumes that a machine is started with, its root's among them."""
    if template.type == INSTANCE:
        root = template.get("rootBlockDevice", {})
        devices = [
            (text(at(device, "deviceName")), device) for device in sequence(template.get("ebsBlockDevices"))
        ]
        volumes = [("root", root), *devices]
    else:
        # Without mappings, the image's hold.
        mappings = sequence(template.get("blockDeviceMappings", [{"deviceName": "root", "ebs": {}}]))
        volumes = [(text(at(device, "deviceName")), at(device, "ebs")) for device in mappings]
    yield from ((name, volume) for name, volume in volumes if isinstance(volume, Mapping))


@NODES.rule(
    "node-no-public-address",
    LAUNCH_TEMPLATE,
    INSTANCE,
    severity="critical",
    why="A node with a public address is one security group's mistake away from the internet.",
    references=("CIS 5.4.3", NODE_GUIDE),
)
def node_no_public_address(template: Resource, _: Parameters) -> Violations:
    """Machines have no public addresses."""
    interfaces = sequence(template.get("networkInterfaces"))
    settings = [
        template.get("associatePublicIpAddress"),
        *(at(interface, "associatePublicIpAddress") for interface in interfaces),
    ]
    if any(setting in (True, "true") for setting in settings):
        yield f"{where(template)} gives machines public addresses: remove associatePublicIpAddress."


@NODES.rule(
    "node-no-ssh",
    LAUNCH_TEMPLATE,
    NODE_GROUP,
    INSTANCE,
    severity="medium",
    why="Keys are shared and stay; sessions of Systems Manager are a person's, and logged.",
    references=(NODE_GUIDE,),
)
def node_no_ssh(resource: Resource, _: Parameters) -> Violations:
    """Nobody logs in to machines by SSH."""
    if resource.get("keyName", "") != "":
        yield f"{where(resource)} lets the holder of key {resource.get('keyName')} in: remove keyName."
    if isinstance(resource.get("remoteAccess"), Mapping):
        yield f"{where(resource)} takes SSH: remove remoteAccess."
