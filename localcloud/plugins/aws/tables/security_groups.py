"""Security groups, and their rules in the three forms that Pulumi's AWS package has."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any
from zlib import crc32

from localcloud.errors import Refusal
from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import ID, Call, Change, Kind, Name, Read, words
from localcloud.plugins.aws.tables._ec2 import arn, filters, tags_of
from localcloud.plugins.values import UNKNOWN

PERMISSIONS = {"ingress": "IpPermissions", "egress": "IpPermissionsEgress"}
ALL_PROTOCOLS = "-1"

# Property of a rule -> list in a permission, and the member of it that holds the source.
SOURCES = {
    "cidrBlocks": ("IpRanges", "CidrIp"),
    "ipv6CidrBlocks": ("Ipv6Ranges", "CidrIpv6"),
    "prefixListIds": ("PrefixListIds", "PrefixListId"),
    "securityGroups": ("UserIdGroupPairs", "GroupId"),
}

PORTS = {"fromPort": "FromPort", "toPort": "ToPort"}

RULE_PROPERTIES = {"protocol", "description", "self", *PORTS, *SOURCES}


# --- rules, as a group's own list has them, and as AWS has them ---


def permission(rule: Mapping[str, Any], group: str) -> dict[str, Any]:
    """A rule as AWS takes it. `self` means the group itself."""
    unknown = sorted(rule.keys() - RULE_PROPERTIES)
    if unknown:
        raise Refusal(f"There is no {', '.join(unknown)} in a rule of a security group: leave it out.")
    protocol = rule["protocol"]
    members: dict[str, Any] = {"IpProtocol": protocol if protocol is UNKNOWN else str(protocol)}
    if members["IpProtocol"] != ALL_PROTOCOLS:
        members |= {member: _port(rule[name]) for name, member in PORTS.items() if rule.get(name) is not None}
    description = {"Description": rule["description"]} if rule.get("description") else {}
    for name, (member, key) in SOURCES.items():
        if rule.get(name) is UNKNOWN:
            members[member] = UNKNOWN
            continue
        sources = list(rule.get(name) or ())
        if name == "securityGroups" and rule.get("self"):
            sources.append(group)
        if sources:
            members[member] = [{key: source, **description} for source in sources]
    return members


def _port(value: Any) -> Any:
    return value if value is UNKNOWN else int(value)


def rules(permissions: list[dict[str, Any]], group: str) -> list[dict[str, Any]]:
    """Rules as a group's own list has them: one for a protocol, ports and description."""
    by_key: dict[tuple[Any, ...], dict[str, Any]] = {}
    for permission in permissions:
        protocol = permission["IpProtocol"]
        start, end = permission.get("FromPort") or 0, permission.get("ToPort") or 0
        for name, source, description in _sources(permission):
            rule = by_key.setdefault(
                (protocol, start, end, description),
                {"protocol": protocol, "fromPort": start, "toPort": end}
                | ({"description": description} if description else {}),
            )
            if source == group:
                rule["self"] = True
            else:
                rule.setdefault(name, []).append(source)
    return list(by_key.values())


def _sources(permission: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    for name, (member, key) in SOURCES.items():
        for source in permission.get(member) or ():
            yield name, source[key], source.get("Description") or ""


def group_of(subject: Subject, id: str) -> dict[str, Any]:
    """A group as AWS shows it."""
    description: dict[str, Any] = subject.request("describe_security_groups", GroupIds=[id])[
        "SecurityGroups"
    ][0]
    return description


def revoke(subject: Subject, group: str, direction: str, permissions: list[dict[str, Any]]) -> None:
    """Take permissions, if there are any, from a group."""
    if permissions:
        subject.request(f"revoke_security_group_{direction}", GroupId=group, IpPermissions=permissions)


def authorize(subject: Subject, group: str, direction: str, permissions: list[dict[str, Any]]) -> None:
    """Add permissions, if there are any, to a group."""
    if permissions:
        subject.request(f"authorize_security_group_{direction}", GroupId=group, IpPermissions=permissions)


# --- groups ---

Calls = Iterator[tuple[str, Mapping[str, Any]]]


def calls_of_group(subject: Subject) -> Calls:
    """The calls that make a group with its rules."""
    yield "create_security_group", subject.members(CREATE_GROUP)
    for direction in PERMISSIONS:
        rule_list = subject.inputs.get(direction)
        if isinstance(rule_list, list):
            yield _authorization(direction, [rule for rule in rule_list if rule is not UNKNOWN], subject.id)


def _authorization(direction: str, rules: list[Any], group: str) -> tuple[str, Mapping[str, Any]]:
    permissions = [permission(rule, group) for rule in rules]
    return f"authorize_security_group_{direction}", {"GroupId": group, "IpPermissions": permissions}


CREATE_GROUP = Call("create_security_group", takes="name description vpcId")


def make_group(subject: Subject) -> str:
    """Make a group without egress: unlike AWS, the provider adds no default rule."""
    answer = subject.create(CREATE_GROUP)
    subject.id = str(answer["GroupId"])
    revoke(subject, subject.id, "egress", group_of(subject, subject.id)[PERMISSIONS["egress"]])
    return subject.id


def put_tags(subject: Subject, id: str) -> None:
    """Give something that was made without tags those of the program."""
    tags = subject.properties.get("tagsAll")
    if subject.kind.tags and tags:
        subject.request("create_tags", Resources=[id], Tags=subject.kind.tags.write(tags))


def adopt_default_group(subject: Subject) -> str:
    """Take over the default group of a VPC, and remove all its rules."""
    vpc = subject.properties.get("vpcId")
    by_name = filters({"group-name": "default"} | ({"vpc-id": vpc} if vpc else {}))
    groups = subject.request("describe_security_groups", Filters=by_name)["SecurityGroups"]
    if not groups:
        raise Refusal(f"{subject.type}: there is no {f'VPC {vpc}' if vpc else 'default VPC'}.")
    subject.id = str(groups[0]["GroupId"])
    clear_rules(subject)
    if groups[0].get("Tags"):
        subject.request("delete_tags", Resources=[subject.id], Tags=groups[0]["Tags"])
    put_tags(subject, subject.id)
    return subject.id


def clear_rules(subject: Subject) -> None:
    """Remove all rules of a group, so that groups which refer to each other can be deleted."""
    description = group_of(subject, subject.id)
    for direction, member in PERMISSIONS.items():
        revoke(subject, subject.id, direction, description[member])


def set_rules(direction: str) -> Callable[[Subject], None]:
    """Set the rules of a group's own list, and remove all others."""

    def change(subject: Subject) -> None:
        permissions = [permission(rule, subject.id) for rule in subject.inputs.get(direction) or ()]
        revoke(subject, subject.id, direction, group_of(subject, subject.id)[PERMISSIONS[direction]])
        authorize(subject, subject.id, direction, permissions)

    return change


def rules_of(subject: Subject) -> dict[str, Any]:
    """A group's rules, in both directions."""
    description = group_of(subject, subject.id)
    return {direction: rules(description[member], subject.id) for direction, member in PERMISSIONS.items()}


LISTS = words(
    "ingress ingress.cidrBlocks ingress.ipv6CidrBlocks ingress.prefixListIds ingress.securityGroups "
    "egress egress.cidrBlocks egress.ipv6CidrBlocks egress.prefixListIds egress.securityGroups"
)
GROUP_READS = (
    Read(Call("describe_security_groups", {"GroupIds": [ID]}), at="SecurityGroups[0]"),
    Read(rules_of),
)
RULE_CHANGES = (Change(("ingress",), set_rules("ingress")), Change(("egress",), set_rules("egress")))
GROUP_NAMES = {
    "name": "GroupName",
    "description": "GroupDescription",
    "ingress": "SecurityGroupIngress",
    "egress": "SecurityGroupEgress",
}

SECURITY_GROUP = Kind(
    service="ec2",
    schema="AWS::EC2::SecurityGroup",
    inputs="name namePrefix description vpcId ingress egress revokeRulesOnDelete",
    outputs="arn ownerId",
    create=make_group,
    id="",
    names={"name": "GroupName"},
    name=Name(),
    defaults={"description": "Managed by Pulumi", "revokeRulesOnDelete": False},
    # Rules may also be resources of their own: without a list here none of them is changed.
    computed=words("vpcId ingress egress"),
    arguments=words("revokeRulesOnDelete namePrefix"),
    unordered=LISTS,
    reads=GROUP_READS,
    changes=RULE_CHANGES,
    delete=(clear_rules, Call("delete_security_group", {"GroupId": ID})),
    tags=tags_of("security-group"),
    derived=arn("security-group"),
    schema_names=GROUP_NAMES,
    calls=calls_of_group,
)

DEFAULT_SECURITY_GROUP = Kind(
    service="ec2",
    schema="AWS::EC2::SecurityGroup",
    inputs="vpcId ingress egress revokeRulesOnDelete",
    outputs="arn ownerId name description",
    create=adopt_default_group,
    id="",
    names={"name": "GroupName"},
    defaults={"revokeRulesOnDelete": False},
    computed=words("vpcId"),
    arguments=words("revokeRulesOnDelete"),
    unordered=LISTS,
    reads=GROUP_READS,
    changes=RULE_CHANGES,
    # There is no delete: AWS deletes it with its VPC.
    tags=tags_of("security-group"),
    derived=arn("security-group"),
    schema_names=GROUP_NAMES,
)


# --- one resource, several sources: ec2.SecurityGroupRule ---


def _permission(subject: Subject) -> dict[str, Any]:
    properties = subject.properties
    rule = {name: value for name, value in properties.items() if name in RULE_PROPERTIES}
    if properties.get("sourceSecurityGroupId"):
        rule["securityGroups"] = [properties["sourceSecurityGroupId"]]
    return permission(rule, properties["securityGroupId"])


def add_rule(subject: Subject) -> str:
    """Add a rule to its group; its id, which the provider makes."""
    properties = subject.properties
    authorize(subject, properties["securityGroupId"], properties["type"], [_permission(subject)])
    return _rule_id(subject)


def _rule_id(subject: Subject) -> str:
    names = ("securityGroupId", "type", "protocol", "fromPort", "toPort")
    sources = sorted(source for _, source, _ in _sources(_permission(subject)))
    parts = [*(subject.properties[name] for name in names), *sources]
    return f"sgrule-{crc32('-'.join(map(str, parts)).encode())}"


def calls_of_rule(subject: Subject) -> Calls:
    """The call that adds a rule."""
    properties = subject.properties
    if properties["type"] in PERMISSIONS:
        members = {"GroupId": properties["securityGroupId"], "IpPermissions": [_permission(subject)]}
        yield f"authorize_security_group_{properties['type']}", members


def remove_rule(subject: Subject) -> None:
    """Take a rule from its group."""
    properties = subject.properties
    revoke(subject, properties["securityGroupId"], properties["type"], [_permission(subject)])


def read_rule(subject: Subject) -> dict[str, Any] | None:
    """The part of a rule that its group has; None when it has none of it.

    To import it: `<group>_<type>_<protocol>_<from>_<to>_<source>`, with as many sources as there are.
    """
    properties = subject.properties
    if not properties.get("securityGroupId"):
        _identify(subject)
    group = properties["securityGroupId"]
    expected = _permission(subject)
    sources: dict[str, list[Any]] = {}
    for description in group_of(subject, group)[PERMISSIONS[properties["type"]]]:
        if all(
            description.get(member) == expected.get(member) for member in ("IpProtocol", "FromPort", "ToPort")
        ):
            for member, key in SOURCES.values():
                keys = {source[key] for source in expected.get(member, ())}
                match = [source for source in description.get(member) or () if source[key] in keys]
                sources.setdefault(member, []).extend(match)
    if not any(sources.values()):
        return None
    rule = rules([{**expected, **sources}], group)[0]
    groups = rule.pop("securityGroups", [None])
    place = {"type": properties["type"], "securityGroupId": group}
    return {**place, "self": False, **rule, "sourceSecurityGroupId": groups[0]}


def _identify(subject: Subject) -> None:
    group, _, rest = subject.id.partition("_")
    parts = rest.split("_")
    if len(parts) < 5:
        raise Refusal(
            f"The id of {subject.type} to import is "
            f"<group>_<type>_<protocol>_<from port>_<to port>_<source>, not {subject.id}."
        )
    kind, protocol, start, end, *sources = parts
    properties = subject.properties
    properties |= {"securityGroupId": group, "type": kind, "protocol": protocol}
    properties |= {"fromPort": int(start), "toPort": int(end)}
    for source in sources:
        if source == "self":
            properties["self"] = True
        elif source.startswith("sg-"):
            properties["sourceSecurityGroupId"] = source
        elif source.startswith("pl-"):
            properties.setdefault("prefixListIds", []).append(source)
        else:
            properties.setdefault("ipv6CidrBlocks" if ":" in source else "cidrBlocks", []).append(source)
    subject.id = _rule_id(subject)


def describe_rule(subject: Subject) -> None:
    """Change a rule's description."""
    properties = subject.properties
    subject.request(
        f"update_security_group_rule_descriptions_{properties['type']}",
        GroupId=properties["securityGroupId"],
        IpPermissions=[_permission(subject)],
    )


SECURITY_GROUP_RULE = Kind(
    service="ec2",
    schema="AWS::EC2::SecurityGroupIngress",
    inputs="type! securityGroupId! protocol! fromPort! toPort! cidrBlocks ipv6CidrBlocks prefixListIds "
    "sourceSecurityGroupId self description",
    create=add_rule,
    id="",
    defaults={"self": False},
    unordered=words("cidrBlocks ipv6CidrBlocks prefixListIds"),
    reads=(Read(read_rule),),
    changes=(Change(("description",), describe_rule),),
    delete=(remove_rule,),
    schema_names={
        "securityGroupId": "GroupId",
        "protocol": "IpProtocol",
        "cidrBlocks": "CidrIp",
        "ipv6CidrBlocks": "CidrIpv6",
        "prefixListIds": "SourcePrefixListId",
    },
    exclusive=True,
    calls=calls_of_rule,
)


# --- one resource, one source: vpc.SecurityGroupIngressRule and EgressRule ---

ONE_SOURCE = {
    "cidrIpv4": ("cidrBlocks", "CidrIpv4"),
    "cidrIpv6": ("ipv6CidrBlocks", "CidrIpv6"),
    "prefixListId": ("prefixListIds", "PrefixListId"),
    "referencedSecurityGroupId": ("securityGroups", "ReferencedGroupId"),
}


def calls_of_single_rule(direction: str) -> Callable[[Subject], Calls]:
    """The call that adds a rule with one source."""

    def calls(subject: Subject) -> Calls:
        properties = subject.properties
        peers = {lists: [properties[name]] for name, (lists, _) in ONE_SOURCE.items() if properties.get(name)}
        rule = {name: properties[name] for name in (*PORTS, "description") if name in properties}
        rule |= {**peers, "protocol": properties["ipProtocol"]}
        yield _authorization(direction, [rule], properties["securityGroupId"])

    return calls


def add_single_rule(direction: str) -> Callable[[Subject], str]:
    """Add a rule with one source to its group; the id is AWS's."""

    def make(subject: Subject) -> str:
        [(operation, members)] = calls_of_single_rule(direction)(subject)
        answer = subject.request(operation, **members)
        id = str(answer["SecurityGroupRules"][0]["SecurityGroupRuleId"])
        put_tags(subject, id)
        return id

    return make


def change_single_rule(subject: Subject) -> None:
    """Change a rule's ports, source or description."""
    properties = subject.properties
    rule: dict[str, Any] = {"IpProtocol": properties["ipProtocol"]}
    rule |= {"FromPort": properties.get("fromPort", -1), "ToPort": properties.get("toPort", -1)}
    for name, (_, member) in ONE_SOURCE.items():
        if properties.get(name):
            rule[member] = properties[name]
    if properties.get("description"):
        rule["Description"] = properties["description"]
    subject.request(
        "modify_security_group_rules",
        GroupId=properties["securityGroupId"],
        SecurityGroupRules=[{"SecurityGroupRuleId": subject.id, "SecurityGroupRule": rule}],
    )


def single_rule(direction: str) -> Kind:
    """Row of the rules of one direction."""
    source = "Source" if direction == "ingress" else "Destination"
    return Kind(
        service="ec2",
        schema=f"AWS::EC2::SecurityGroup{direction.capitalize()}",
        inputs="ipProtocol! securityGroupId! cidrIpv4 cidrIpv6 prefixListId referencedSecurityGroupId "
        "fromPort toPort description",
        outputs="arn securityGroupRuleId",
        create=add_single_rule(direction),
        id="",
        names={"securityGroupId": "GroupId"},
        reads=(
            Read(
                Call("describe_security_group_rules", {"Filters": filters({"security-group-rule-id": ID})}),
                at="SecurityGroupRules[0]",
                properties={"referencedSecurityGroupId": "ReferencedGroupInfo.GroupId"},
            ),
        ),
        changes=(
            Change(("ipProtocol", "fromPort", "toPort", "description", *ONE_SOURCE), change_single_rule),
        ),
        delete=(
            Call(
                f"revoke_security_group_{direction}",
                {"SecurityGroupRuleIds": [ID]},
                takes="securityGroupId",
            ),
        ),
        # A rule for every protocol has no ports.
        computed=words("fromPort toPort"),
        tags=tags_of("security-group-rule"),
        derived={**arn("security-group-rule"), "securityGroupRuleId": "{id}"},
        schema_names={
            "securityGroupId": "GroupId",
            "cidrIpv4": "CidrIp",
            "prefixListId": f"{source}PrefixListId",
            "referencedSecurityGroupId": f"{source}SecurityGroupId",
        },
        calls=calls_of_single_rule(direction),
    )


TYPES = {
    "aws:ec2/securityGroup:SecurityGroup": SECURITY_GROUP,
    "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup": DEFAULT_SECURITY_GROUP,
    "aws:ec2/securityGroupRule:SecurityGroupRule": SECURITY_GROUP_RULE,
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": single_rule("ingress"),
    "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule": single_rule("egress"),
}
