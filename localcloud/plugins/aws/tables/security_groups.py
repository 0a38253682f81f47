"""Security groups, and their rules in the three ways in which Pulumi's AWS package has them."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any
from zlib import crc32

from localcloud.errors import Refusal
from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import ID, Call, Change, Kind, Look, Name, P, words
from localcloud.plugins.aws.tables._ec2 import arn, tagged

PERMISSIONS = {"ingress": "IpPermissions", "egress": "IpPermissionsEgress"}
ALL_PROTOCOLS = "-1"

# Property of a rule -> list in a permission, and the member of it that holds the source.
SOURCES = {
    "cidrBlocks": ("IpRanges", "CidrIp"),
    "ipv6CidrBlocks": ("Ipv6Ranges", "CidrIpv6"),
    "prefixListIds": ("PrefixListIds", "PrefixListId"),
    "securityGroups": ("UserIdGroupPairs", "GroupId"),
}


IN_A_RULE = {"protocol", "fromPort", "toPort", "description", "self", *SOURCES}


# --- rules, as a group's own list has them, and as AWS has them ---


def permission(rule: Mapping[str, Any], group: str) -> dict[str, Any]:
    """A rule as AWS takes it. `self` stands for the group itself."""
    unknown = sorted(rule.keys() - IN_A_RULE)
    if unknown:
        raise Refusal(f"There is no {', '.join(unknown)} in a rule of a security group: leave it out.")
    made: dict[str, Any] = {"IpProtocol": str(rule["protocol"])}
    if made["IpProtocol"] != ALL_PROTOCOLS:
        made |= {"FromPort": int(rule["fromPort"]), "ToPort": int(rule["toPort"])}
    said = {"Description": rule["description"]} if rule.get("description") else {}
    for name, (member, key) in SOURCES.items():
        sources = list(rule.get(name) or ())
        if name == "securityGroups" and rule.get("self"):
            sources.append(group)
        if sources:
            made[member] = [{key: source, **said} for source in sources]
    return made


def rules(permissions: list[dict[str, Any]], group: str) -> list[dict[str, Any]]:
    """Rules as a group's own list has them: one for each protocol, ports and description."""
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for each in permissions:
        for name, source, description in _sources(each):
            ports = (each.get("FromPort") or 0, each.get("ToPort") or 0)
            rule = found.setdefault(
                (each["IpProtocol"], *ports, description),
                {"protocol": each["IpProtocol"], "fromPort": ports[0], "toPort": ports[1]}
                | ({"description": description} if description else {}),
            )
            if source == group:
                rule["self"] = True
            else:
                rule.setdefault(name, []).append(source)
    return list(found.values())


def _sources(each: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    for name, (member, key) in SOURCES.items():
        for source in each.get(member) or ():
            yield name, source[key], source.get("Description") or ""


def group_of(subject: Subject, id: str) -> dict[str, Any]:
    """A group as AWS shows it."""
    shown: dict[str, Any] = subject.ask("describe_security_groups", GroupIds=[id])["SecurityGroups"][0]
    return shown


def revoke(subject: Subject, group: str, direction: str, permissions: list[dict[str, Any]]) -> None:
    """Take permissions from a group, if there are any to take."""
    if permissions:
        subject.ask(f"revoke_security_group_{direction}", GroupId=group, IpPermissions=permissions)


def authorize(subject: Subject, group: str, direction: str, permissions: list[dict[str, Any]]) -> None:
    """Give permissions to a group, if there are any to give."""
    if permissions:
        subject.ask(f"authorize_security_group_{direction}", GroupId=group, IpPermissions=permissions)


# --- groups ---


def make_group(subject: Subject) -> str:
    """Make a group that lets nothing out: unlike AWS, the provider adds no rule that nobody asked for."""
    tags = [{"Key": key, "Value": value} for key, value in (subject.properties.get("tagsAll") or {}).items()]
    more = {"TagSpecifications": [{"ResourceType": "security-group", "Tags": tags}]} if tags else {}
    members = {"GroupName": P("name"), "Description": P("description"), "VpcId": P("vpcId")}
    id = str(subject.call(Call("create_security_group", members), more)["GroupId"])
    subject.id = id
    revoke(subject, id, "egress", group_of(subject, id)[PERMISSIONS["egress"]])
    return id


def adopt_default_group(subject: Subject) -> str:
    """Take over the group that every VPC has, and take all its rules away."""
    filters = [{"Name": "group-name", "Values": ["default"]}]
    if subject.properties.get("vpcId"):
        filters.append({"Name": "vpc-id", "Values": [subject.properties["vpcId"]]})
    found = subject.ask("describe_security_groups", Filters=filters)["SecurityGroups"]
    if not found:
        raise Refusal(f"{subject.type}: there is no VPC {subject.properties.get('vpcId', 'by default')}.")
    subject.id = str(found[0]["GroupId"])
    clear_rules(subject)
    if found[0].get("Tags"):
        subject.ask("delete_tags", Resources=[subject.id], Tags=found[0]["Tags"])
    tags = [{"Key": key, "Value": value} for key, value in (subject.properties.get("tagsAll") or {}).items()]
    if tags:
        subject.ask("create_tags", Resources=[subject.id], Tags=tags)
    return subject.id


def clear_rules(subject: Subject) -> None:
    """Take all rules of a group away, so that groups which name each other can go."""
    shown = group_of(subject, subject.id)
    for direction, member in PERMISSIONS.items():
        revoke(subject, subject.id, direction, shown[member])


def set_rules(direction: str) -> Callable[[Subject], None]:
    """Bring a group's own list of rules to what it should be."""

    def change(subject: Subject) -> None:
        shown = group_of(subject, subject.id)[PERMISSIONS[direction]]
        wanted = subject.inputs.get(direction)
        revoke(subject, subject.id, direction, shown)
        authorize(subject, subject.id, direction, [permission(each, subject.id) for each in wanted or ()])

    return change


def rules_of(subject: Subject) -> dict[str, Any]:
    """A group's rules, in both directions."""
    shown = group_of(subject, subject.id)
    return {direction: rules(shown[member], subject.id) for direction, member in PERMISSIONS.items()}


LISTS = words(
    "ingress ingress.cidrBlocks ingress.ipv6CidrBlocks ingress.prefixListIds ingress.securityGroups "
    "egress egress.cidrBlocks egress.ipv6CidrBlocks egress.prefixListIds egress.securityGroups"
)
GROUP_LOOKS = (
    Look(Call("describe_security_groups", {"GroupIds": [ID]}), at="SecurityGroups[0]"),
    Look(rules_of),
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
    # Rules may also be resources of their own: a list that nobody gives is nobody's.
    chosen=words("vpcId ingress egress"),
    arguments=words("revokeRulesOnDelete namePrefix"),
    unordered=LISTS,
    looks=GROUP_LOOKS,
    changes=RULE_CHANGES,
    delete=(clear_rules, Call("delete_security_group", {"GroupId": ID})),
    tags=tagged("security-group"),
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
    chosen=words("vpcId"),
    arguments=words("revokeRulesOnDelete"),
    unordered=LISTS,
    looks=GROUP_LOOKS,
    changes=RULE_CHANGES,
    # It cannot be deleted: its VPC takes it along.
    delete=(),
    tags=tagged("security-group"),
    derived=arn("security-group"),
    schema_names=GROUP_NAMES,
)


# --- one resource, several sources: ec2.SecurityGroupRule ---


def _as_listed(properties: Mapping[str, Any]) -> dict[str, Any]:
    other = properties.get("sourceSecurityGroupId")
    rule = {name: value for name, value in properties.items() if name in IN_A_RULE}
    return {**rule, **({"securityGroups": [other]} if other else {})}


def add_rule(subject: Subject) -> str:
    """Give a rule to its group; its id, which the provider makes up."""
    known = subject.properties
    given = permission(_as_listed(known), known["securityGroupId"])
    authorize(subject, known["securityGroupId"], known["type"], [given])
    return _rule_id(subject)


def _rule_id(subject: Subject) -> str:
    known = subject.properties
    words = [known[name] for name in ("securityGroupId", "type", "protocol", "fromPort", "toPort")]
    given = permission(_as_listed(known), known["securityGroupId"])
    sources = sorted(source for _, source, _ in _sources(given))
    return f"sgrule-{crc32('-'.join(map(str, [*words, *sources])).encode())}"


def remove_rule(subject: Subject) -> None:
    """Take a rule from its group."""
    known = subject.properties
    given = permission(_as_listed(known), known["securityGroupId"])
    revoke(subject, known["securityGroupId"], known["type"], [given])


def shown_rule(subject: Subject) -> dict[str, Any] | None:
    """What of a rule its group has; None when it has nothing of it.

    To import it: `<group>_<type>_<protocol>_<from>_<to>_<source>`, with as many sources as there are.
    """
    known = subject.properties
    if not known.get("securityGroupId"):
        _identify(subject)
    group = known["securityGroupId"]
    wanted = permission(_as_listed(known), group)
    have: dict[str, Any] = {}
    for each in group_of(subject, group)[PERMISSIONS[known["type"]]]:
        if any(each.get(member) != wanted.get(member) for member in ("IpProtocol", "FromPort", "ToPort")):
            continue
        for member, key in SOURCES.values():
            sources = {source[key] for source in wanted.get(member, ())}
            have.setdefault(member, []).extend(s for s in each.get(member) or () if s[key] in sources)
    if not any(have.values()):
        return None
    [rule] = rules([{**wanted, **have}], group)[:1]
    others = rule.pop("securityGroups", None)
    return {
        "type": known["type"],
        "securityGroupId": group,
        "self": False,
        **rule,
        "sourceSecurityGroupId": others[0] if others else None,
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
    known = subject.properties
    known |= {"securityGroupId": group, "type": kind, "protocol": protocol}
    known |= {"fromPort": int(start), "toPort": int(end)}
    for source in sources:
        if source == "self":
            known["self"] = True
        elif source.startswith("sg-"):
            known["sourceSecurityGroupId"] = source
        else:
            lists = (
                "prefixListIds"
                if source.startswith("pl-")
                else "ipv6CidrBlocks"
                if ":" in source
                else "cidrBlocks"
            )
            known.setdefault(lists, []).append(source)
    subject.id = _rule_id(subject)


def describe_rule(subject: Subject) -> None:
    """Give a rule another description."""
    known = subject.properties
    subject.ask(
        f"update_security_group_rule_descriptions_{known['type']}",
        GroupId=known["securityGroupId"],
        IpPermissions=[permission(_as_listed(known), known["securityGroupId"])],
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
    looks=(Look(shown_rule),),
    changes=(Change(("description",), describe_rule),),
    delete=(remove_rule,),
    schema_names={
        "securityGroupId": "GroupId",
        "protocol": "IpProtocol",
        "cidrBlocks": "CidrIp",
        "ipv6CidrBlocks": "CidrIpv6",
        "prefixListIds": "SourcePrefixListId",
    },
    alone=True,
)


# --- one resource, one source: vpc.SecurityGroupIngressRule and EgressRule ---

ONE_SOURCE = {
    "cidrIpv4": ("cidrBlocks", "CidrIpv4"),
    "cidrIpv6": ("ipv6CidrBlocks", "CidrIpv6"),
    "prefixListId": ("prefixListIds", "PrefixListId"),
    "referencedSecurityGroupId": ("securityGroups", "ReferencedGroupId"),
}


def add_single_rule(direction: str) -> Callable[[Subject], str]:
    """Give a rule with one source to its group; the id is AWS's."""

    def make(subject: Subject) -> str:
        known = subject.properties
        listed = {lists: [known[name]] for name, (lists, _) in ONE_SOURCE.items() if known.get(name)}
        said: dict[str, Any] = {
            name: known[name] for name in ("fromPort", "toPort", "description") if name in known
        }
        given = permission({**said, **listed, "protocol": known["ipProtocol"]}, known["securityGroupId"])
        made = subject.ask(
            f"authorize_security_group_{direction}", GroupId=known["securityGroupId"], IpPermissions=[given]
        )
        id = str(made["SecurityGroupRules"][0]["SecurityGroupRuleId"])
        tags = [{"Key": key, "Value": value} for key, value in (known.get("tagsAll") or {}).items()]
        if tags:
            subject.ask("create_tags", Resources=[id], Tags=tags)
        return id

    return make


def change_single_rule(subject: Subject) -> None:
    """Give a rule other ports, another source or another description."""
    known = subject.properties
    rule: dict[str, Any] = {"IpProtocol": known["ipProtocol"]}
    rule |= {"FromPort": known.get("fromPort", -1), "ToPort": known.get("toPort", -1)}
    for name, (_, member) in ONE_SOURCE.items():
        if known.get(name):
            rule[member] = known[name]
    if known.get("description"):
        rule["Description"] = known["description"]
    subject.ask(
        "modify_security_group_rules",
        GroupId=known["securityGroupId"],
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
        looks=(
            Look(
                Call(
                    "describe_security_group_rules",
                    {"Filters": [{"Name": "security-group-rule-id", "Values": [ID]}]},
                ),
                at="SecurityGroupRules[0]",
                gives={"referencedSecurityGroupId": "ReferencedGroupInfo.GroupId"},
            ),
        ),
        changes=(
            Change(("ipProtocol", "fromPort", "toPort", "description", *ONE_SOURCE), change_single_rule),
        ),
        delete=(
            Call(
                f"revoke_security_group_{direction}",
                {"GroupId": P("securityGroupId"), "SecurityGroupRuleIds": [ID]},
            ),
        ),
        # A rule for every protocol has no ports.
        chosen=words("fromPort toPort"),
        tags=tagged("security-group-rule"),
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
