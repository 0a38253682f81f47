"""Security groups: names, descriptions, protocols and ports."""

from collections.abc import Iterator, Mapping
from ipaddress import ip_network
from typing import Any

from aws_rules.rule import Rule
from aws_rules.values.patterns import pattern
from aws_rules.values.request import Path, Request, ValueVerdict

RULE = Rule(
    name="security-group-values",
    authority="AWS",
    decides="which name, description, protocols, ports and ranges a security group and its rules may have",
    source="https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_IpPermission.html",
)

RULES = (RULE,)

CODE = "InvalidParameterValue"

TEXT = r"[a-zA-Z0-9 ._\-:/()#,@\[\]+=&;{}!$*]{0,255}"
"""https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateSecurityGroup.html"""
RESERVED = "sg-"

PORTS = {"tcp": "TCP", "6": "TCP", "udp": "UDP", "17": "UDP"}
"""Protocols with ports -> their names."""
SOURCES = ("IpRanges", "Ipv6Ranges", "PrefixListIds", "UserIdGroupPairs")
NAMED = frozenset({"tcp", "udp", "icmp", "icmpv6", "-1", "all"})
HIGHEST_PROTOCOL = 255
HIGHEST_PORT = 65535


def group(request: Request) -> Iterator[ValueVerdict]:
    """Name and description of a group."""
    for member in ("GroupName", "Description"):
        yield from _text(request, (member,), request.value_at(member), member)
    name = request.value_at("GroupName")
    if isinstance(name, str) and name.lower().startswith(RESERVED):
        message = (
            f"Value ({name}) for parameter GroupName is invalid. Group names may not be in the format sg-*"
        )
        yield request.misfit(RULE, ("GroupName",), CODE, message, "name it otherwise")


def permissions(request: Request) -> Iterator[ValueVerdict]:
    """Rules of a group."""
    entries = request.value_at("IpPermissions")
    for index, permission in enumerate(entries if isinstance(entries, list) else ()):
        if isinstance(permission, Mapping):
            yield from _permission(request, ("IpPermissions", index), permission)


def _permission(request: Request, path: Path, permission: Mapping[str, Any]) -> Iterator[ValueVerdict]:
    protocol = permission.get("IpProtocol")
    if isinstance(protocol, str):
        number = int(protocol) if protocol.isdigit() else None
        known = protocol.lower() in NAMED or (number is not None and number <= HIGHEST_PROTOCOL)
        if not known:
            message = f"Invalid value '{protocol}' for IP protocol. Unknown protocol"
            remedy = "write tcp, udp, icmp, icmpv6, -1 for all, or a protocol's number"
            yield request.misfit(RULE, (*path, "IpProtocol"), CODE, message, remedy)
        elif protocol.lower() in PORTS:
            yield from _ports(request, path, permission, PORTS[protocol.lower()])
    if not any(permission.get(member) for member in SOURCES):
        message = "The request must contain the parameter ipRanges, or another source"
        remedy = "name a range, a prefix list or a security group"
        yield request.misfit(RULE, path, "MissingParameter", message, remedy)
    for member, key in (("IpRanges", "CidrIp"), ("Ipv6Ranges", "CidrIpv6")):
        ranges = permission.get(member)
        for index, range in enumerate(ranges if isinstance(ranges, list) else ()):
            if isinstance(range, Mapping):
                place = (*path, member, index)
                yield from _text(request, (*place, "Description"), range.get("Description"), "description")
                yield from _cidr(request, (*place, key), range.get(key), 4 if key == "CidrIp" else 6)


def _ports(
    request: Request, path: Path, permission: Mapping[str, Any], protocol: str
) -> Iterator[ValueVerdict]:
    start, end = permission.get("FromPort"), permission.get("ToPort")
    if start is None or end is None or start == -1 or end == -1:
        message = "Invalid value for portRange. Must specify both from and to ports with TCP/UDP"
        yield request.misfit(RULE, (*path, "FromPort"), CODE, message, "set both, 0 and 65535 for all")
        return
    for member, port in (("FromPort", start), ("ToPort", end)):
        if isinstance(port, int) and not 0 <= port <= HIGHEST_PORT:
            message = f"Invalid value '{port}' for portRange. Ports are 0 to {HIGHEST_PORT}"
            yield request.misfit(RULE, (*path, member), CODE, message, "correct it")
    if isinstance(start, int) and isinstance(end, int) and start > end:
        message = f"Invalid {protocol} port range {start} to {end}"
        yield request.misfit(RULE, (*path, "ToPort"), CODE, message, "give the lower port first")


def _cidr(request: Request, path: Path, text: Any, version: int) -> Iterator[ValueVerdict]:
    if not isinstance(text, str):
        return
    try:
        network = ip_network(text, strict=False)
    except ValueError:
        network = None
    if network is None or network.version != version or "/" not in text:
        message = f"CIDR block {text} is malformed"
        yield request.misfit(RULE, path, CODE, message, "write it as 10.0.0.0/16, one address as 10.0.0.1/32")
    elif str(network) != text and version == 4:
        # EC2 would take the network's address; the provider asks for it at the preview.
        # hashicorp/terraform-provider-aws: internal/verify/validate.go, ValidateCIDRBlock
        message = f'"{text}" is not a valid CIDR block; did you mean "{network}"?'
        yield request.misfit(RULE, path, CODE, message, f"write {network}")


def _text(request: Request, path: Path, value: Any, noun: str) -> Iterator[ValueVerdict]:
    compiled = pattern(TEXT)
    if isinstance(value, str) and compiled is not None and not compiled.fullmatch(value):
        message = (
            f"Invalid security group {noun.removeprefix('Group').lower()}. Valid descriptions and names are "
            "strings less than 256 characters from the following set: a-zA-Z0-9. _-:/()#,@[]+=&;{}!$*"
        )
        yield request.misfit(RULE, path, CODE, message, "write it with these")
