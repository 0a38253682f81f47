"""Security groups, and their rules in the three forms of Pulumi's AWS package."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any
from zlib import crc32

from localcloud.errors import Refusal
from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import ID, Call, Change, Kind, Name, P, Read, words
from localcloud.plugins.aws.tables._ec2 import arn, tags_of

PERMISSIONS = {"ingress": "IpPermissions", "egress": "IpPermissionsEgress"}
ALL_PROTOCOLS = "-1"

# Property of a rule -> list in a permission, and the member of it that holds the source.
SOURCES = {
    "cidrBlocks": ("IpRanges", "CidrIp"),
    "ipv6CidrBlocks": ("Ipv6Ranges", "CidrIpv6"),
    "prefixListIds": ("PrefixListIds", "PrefixListId"),
    "securityGroups": ("UserIdGroupPairs", "GroupId"),
}

RULE_PROPERTIES = {"protocol", "fromPort", "toPort", "description", "self", *SOURCES}


# --- rules, as a group's own list has them, and as AWS has them ---


def permission(rule: Mapping[str, Any], group: str) -> dict[str, Any]:
    """A rule as AWS takes it. `self` means the group itself."""
    unknown = sorted(rule.keys() - RULE_PROPERTIES)
    if unknown:
        raise Refusal(f"There is no {', '.join(unknown)} in a rule of a security group: leave it out.")
    members: dict[str, Any] = {"IpProtocol": str(rule["protocol"])}
    if members["IpProtocol"] != ALL_PROTOCOLS:
        members |= {"FromPort": int(rule["fromPort"]), "ToPort": int(rule["toPort"])}
    description = {"Description": rule["description"]} if rule.get("description") else {}
    for name, (member, key) in SOURCES.items():
        sources = list(rule.get(name) or ())
        if name == "securityGroups" and rule.get("self"):
            sources.append(group)
        if sources:
            members[member] = [{key: source, **description} for source in sources]
    return members


def rules(permissions: list[dict[str, Any]], group: str) -> list[dict[str, Any]]:
    """Rules as a group's own list has them: one for a protocol, ports and description."""
    rules: dict[tuple[Any, ...], dict[str, Any]] = {}
    for members in permissions:
        for name, source, description in _sources(members):
            ports = (members.get("FromPort") or 0, members.get("ToPort") or 0)
            rule = rules.setdefault(
                (members["IpProtocol"], *ports, description),
                {"protocol": members["IpProtocol"], "fromPort": ports[0], "toPort": ports[1]}
                | ({"description": description} if description else {}),
            )
            if source == group:
                rule["self"] = True
            else:
                rule.setdefault(name, []).append(source)
    return list(rules.values())


def _sources(members: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    for name, (member, key) in SOURCES.items():
        for source in members.get(member) or ():
            yield name, source[key], source.get("Description") or ""


def group_of(subject: Subject, id: str) -> dict[str, Any]:
    """A group as AWS shows it."""
    group: dict[str, Any] = subject.request("describe_security_groups", GroupIds=[id])["SecurityGroups"][0]
    return group


def revoke(subject: Subject, group: str, direction: str, permissions: list[dict[str, Any]]) -> None:
    """Take permissions, if there are any, from a group."""
    if permissions:
        subject.request(f"revoke_security_group_{direction}", GroupId=group, IpPermissions=permissions)


def authorize(subject: Subject, group: str, direction: str, permissions: list[dict[str, Any]]) -> None:
    """Add permissions, if there are any, to a group."""
    if permissions:
        subject.request(f"authorize_security_group_{direction}", GroupId=group, IpPermissions=permissions)


# --- groups ---


def make_group(subject: Subject) -> str:
    """Make a group without egress: unlike AWS, the provider adds no default rule."""
    tags = [{"Key": key, "Value": value} for key, value in (subject.properties.get("tagsAll") or {}).items()]
    more = {"TagSpecifications": [{"ResourceType": "security-group", "Tags": tags}]} if tags else {}
    members = {"GroupName": P("name"), "Description": P("description"), "VpcId": P("vpcId")}
    id = str(subject.call(Call("create_security_group", members), more)["GroupId"])
    subject.id = id
    revoke(subject, id, "egress", group_of(subject, id)[PERMISSIONS["egress"]])
    return id


def adopt_default_group(subject: Subject) -> str:
    """Take over the default group of a VPC, and remove all its rules."""
    filters = [{"Name": "group-name", "Values": ["default"]}]
    if subject.properties.get("vpcId"):
        filters.append({"Name": "vpc-id", "Values": [subject.properties["vpcId"]]})
    groups = subject.request("describe_security_groups", Filters=filters)["SecurityGroups"]
    if not groups:
        raise Refusal(f"{subject.type}: there is no VPC {subject.properties.get('vpcId', 'by default')}.")
    subject.id = str(groups[0]["GroupId"])
    clear_rules(subject)
    if groups[0].get("Tags"):
        subject.request("delete_tags", Resources=[subject.id], Tags=groups[0]["Tags"])
    tags = [{"Key": key, "Value": value} for key, value in (subject.properties.get("tagsAll") or {}).items()]
    if tags:
        subject.request("create_tags", Resources=[subject.id], Tags=tags)
    return subject.id


def clear_rules(subject: Subject) -> None:
    """Remove all rules of a group, so that groups which refer to each other can be deleted."""
    group = group_of(subject, subject.id)
    for direction, member in PERMISSIONS.items():
        revoke(subject, subject.id, direction, group[member])


def set_rules(direction: str) -> Callable[[Subject], None]:
    """Set the rules of a group's own list, and remove all others."""

    def change(subject: Subject) -> None:
        rules = subject.inputs.get(direction) or ()
        revoke(subject, subject.id, direction, group_of(subject, subject.id)[PERMISSIONS[direction]])
        authorize(subject, subject.id, direction, [permission(rule, subject.id) for rule in rules])

    return change


def rules_of(subject: Subject) -> dict[str, Any]:
    """A group's rules, in both directions."""
    group = group_of(subject, subject.id)
    return {direction: rules(group[member], subject.id) for direction, member in PERMISSIONS.items()}


LISTS = words(
    "ingress ingress.cidrBlocks ingress.ipv6CidrBlocks ingress.prefixListIds ingress.securityGroups "
    "egress egress.cidrBlocks egress.ipv6CidrBlocks egress.prefixListIds egress.securityGroups"
)
GROUP_LOOKS = (
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
    reads=GROUP_LOOKS,
    changes=RULE_CHANGES,
    delete=(clear_rules, Call("delete_security_group", {"GroupId": ID})),
    tags=tags_of("security-group"),
    derived=arn("security-group"),
    schema_names=GROUP_NAMES,
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
    reads=GROUP_LOOKS,
    changes=RULE_CHANGES,
    # It cannot be deleted: it goes with its VPC.
    delete=(),
    tags=tags_of("security-group"),
    derived=arn("security-group"),
    schema_names=GROUP_NAMES,
)


# --- one resource, several sources: ec2.SecurityGroupRule ---


def _permission(properties: Mapping[str, Any]) -> dict[str, Any]:
    """A rule with several sources as AWS takes it."""
    group = properties.get("sourceSecurityGroupId")
    rule = {name: value for name, value in properties.items() if name in RULE_PROPERTIES}
    groups = {"securityGroups": [group]} if group else {}
    return permission({**rule, **groups}, properties["securityGroupId"])


def add_rule(subject: Subject) -> str:
    """Add a rule to its group; its id, which the provider makes."""
    properties = subject.properties
    authorize(subject, properties["securityGroupId"], properties["type"], [_permission(properties)])
    return _rule_id(subject)


def _rule_id(subject: Subject) -> str:
    properties = subject.properties
    words = [properties[name] for name in ("securityGroupId", "type", "protocol", "fromPort", "toPort")]
    sources = sorted(source for _, source, _ in _sources(_permission(properties)))
    return f"sgrule-{crc32('-'.join(map(str, [*words, *sources])).encode())}"


def remove_rule(subject: Subject) -> None:
    """Take a rule from its group."""
    properties = subject.properties
    revoke(subject, properties["securityGroupId"], properties["type"], [_permission(properties)])


def read_rule(subject: Subject) -> dict[str, Any] | None:
    """The part of a rule that its group has; None when it has nothing of it.

    Its id to import is `<group>_<type>_<protocol>_<from>_<to>_<source>`, with one source or more.
    """
    properties = subject.properties
    if not properties.get("securityGroupId"):
        _identify(subject)
    group = properties["securityGroupId"]
    expected = _permission(properties)
    live: dict[str, Any] = {}
    for members in group_of(subject, group)[PERMISSIONS[properties["type"]]]:
        if any(members.get(name) != expected.get(name) for name in ("IpProtocol", "FromPort", "ToPort")):
            continue
        for name, key in SOURCES.values():
            sources = {source[key] for source in expected.get(name, ())}
            live.setdefault(name, []).extend(s for s in members.get(name) or () if s[key] in sources)
    if not any(live.values()):
        return None
    [rule] = rules([{**expected, **live}], group)[:1]
    source_groups = rule.pop("securityGroups", None)
    return {
        "type": properties["type"],
        "securityGroupId": group,
        "self": False,
        **rule,
        "sourceSecurityGroupId": source_groups[0] if source_groups else None,
    }


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
        else:
            cidr_blocks = "ipv6CidrBlocks" if ":" in source else "cidrBlocks"
            name = "prefixListIds" if source.startswith("pl-") else cidr_blocks
            properties.setdefault(name, []).append(source)
    subject.id = _rule_id(subject)


def describe_rule(subject: Subject) -> None:
    """Change a rule's description."""
    properties = subject.properties
    subject.request(
        f"update_security_group_rule_descriptions_{properties['type']}",
        GroupId=properties["securityGroupId"],
        IpPermissions=[_permission(properties)],
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
)


# --- one resource, one source: vpc.SecurityGroupIngressRule and EgressRule ---

SINGLE_SOURCES = {
    "cidrIpv4": ("cidrBlocks", "CidrIpv4"),
    "cidrIpv6": ("ipv6CidrBlocks", "CidrIpv6"),
    "prefixListId": ("prefixListIds", "PrefixListId"),
    "referencedSecurityGroupId": ("securityGroups", "ReferencedGroupId"),
}


def add_single_rule(direction: str) -> Callable[[Subject], str]:
    """Add a rule with one source to its group; the id is AWS's."""

    def make(subject: Subject) -> str:
        properties = subject.properties
        group = properties["securityGroupId"]
        rule = {"protocol": properties["ipProtocol"]}
        rule |= {
            name: properties[name] for name in ("fromPort", "toPort", "description") if name in properties
        }
        rule |= {
            lists: [properties[name]] for name, (lists, _) in SINGLE_SOURCES.items() if properties.get(name)
        }
        members = permission(rule, group)
        answer = subject.request(
            f"authorize_security_group_{direction}", GroupId=group, IpPermissions=[members]
        )
        id = str(answer["SecurityGroupRules"][0]["SecurityGroupRuleId"])
        tags = [{"Key": key, "Value": value} for key, value in (properties.get("tagsAll") or {}).items()]
        if tags:
            subject.request("create_tags", Resources=[id], Tags=tags)
        return id

    return make


def change_single_rule(subject: Subject) -> None:
    """Change a rule's ports, source or description."""
    properties = subject.properties
    rule: dict[str, Any] = {"IpProtocol": properties["ipProtocol"]}
    rule |= {"FromPort": properties.get("fromPort", -1), "ToPort": properties.get("toPort", -1)}
    for name, (_, member) in SINGLE_SOURCES.items():
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
                Call(
                    "describe_security_group_rules",
                    {"Filters": [{"Name": "security-group-rule-id", "Values": [ID]}]},
                ),
                at="SecurityGroupRules[0]",
                properties={"referencedSecurityGroupId": "ReferencedGroupInfo.GroupId"},
            ),
        ),
        changes=(
            Change(("ipProtocol", "fromPort", "toPort", "description", *SINGLE_SOURCES), change_single_rule),
        ),
        delete=(
            Call(
                f"revoke_security_group_{direction}",
                {"GroupId": P("securityGroupId"), "SecurityGroupRuleIds": [ID]},
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
    )


TYPES = {
    "aws:ec2/securityGroup:SecurityGroup": SECURITY_GROUP,
    "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup": DEFAULT_SECURITY_GROUP,
    "aws:ec2/securityGroupRule:SecurityGroupRule": SECURITY_GROUP_RULE,
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": single_rule("ingress"),
    "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule": single_rule("egress"),
}
