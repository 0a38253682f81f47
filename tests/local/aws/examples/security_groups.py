"""Security groups of EC2 and their rules: an example of every type, and how it is changed by hand."""

from localcloud.engine import Resource
from tests.local.aws.examples.example import (
    OTHER_TAGS,
    TAGS,
    Bases,
    Changes,
    Console,
    Example,
    add_tag,
)

BASES: Bases = {
    "group": lambda w: ("aws:ec2/securityGroup:SecurityGroup", {"vpcId": w.vpc}),
    "other_group": lambda w: ("aws:ec2/securityGroup:SecurityGroup", {"vpcId": w.vpc}),
}

EXAMPLES = [
    Example(
        "aws:ec2/securityGroup:SecurityGroup",
        lambda w: {
            "vpcId": w.vpc,
            "ingress": [
                {
                    "protocol": "tcp",
                    "fromPort": 443,
                    "toPort": 443,
                    "cidrBlocks": ["10.0.0.0/8"],
                    "self": True,
                }
            ],
            "egress": [{"protocol": "-1", "fromPort": 0, "toPort": 0, "cidrBlocks": ["0.0.0.0/0"]}],
            "tags": TAGS,
        },
        lambda w: {
            "ingress": [
                {
                    "protocol": "tcp",
                    "fromPort": 80,
                    "toPort": 80,
                    "securityGroups": [w.group],
                    "description": "plain",
                }
            ],
            "tags": OTHER_TAGS,
        },
        lambda w: {"description": "another"},
    ),
    Example(
        "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup",
        lambda w: {"vpcId": w.vpc, "tags": TAGS},
        lambda w: {
            "egress": [{"protocol": "tcp", "fromPort": 443, "toPort": 443, "cidrBlocks": ["0.0.0.0/0"]}],
            "tags": OTHER_TAGS,
        },
        lambda w: {"vpcId": w.other_vpc},
    ),
    Example(
        "aws:ec2/securityGroupRule:SecurityGroupRule",
        lambda w: {
            "type": "ingress",
            "securityGroupId": w.group,
            "protocol": "tcp",
            "fromPort": 443,
            "toPort": 443,
            "cidrBlocks": ["10.1.0.0/16", "10.0.0.0/16"],
        },
        lambda w: {"description": "TLS"},
        lambda w: {"toPort": 444},
        imported=lambda resource: (
            f"{resource.inputs['securityGroupId']}_ingress_tcp_443_443_10.1.0.0/16_10.0.0.0/16"
        ),
    ),
    Example(
        "aws:ec2/securityGroupRule:SecurityGroupRule",
        lambda w: {
            "type": "egress",
            "securityGroupId": w.group,
            "protocol": "-1",
            "fromPort": 0,
            "toPort": 0,
            "cidrBlocks": ["0.0.0.0/0"],
            "description": "Allow internet access.",
        },
        imported=lambda resource: f"{resource.inputs['securityGroupId']}_egress_-1_0_0_0.0.0.0/0",
        label="-egress",
    ),
    Example(
        "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule",
        lambda w: {
            "securityGroupId": w.group,
            "ipProtocol": "tcp",
            "fromPort": 443,
            "toPort": 443,
            "cidrIpv4": "10.0.0.0/16",
            "description": "TLS",
            "tags": TAGS,
        },
        lambda w: {"fromPort": 80, "toPort": 80, "tags": OTHER_TAGS},
    ),
    Example(
        "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule",
        lambda w: {"securityGroupId": w.group, "ipProtocol": "-1", "cidrIpv4": "0.0.0.0/0"},
        lambda w: {"cidrIpv4": "10.0.0.0/8", "description": "inside"},
    ),
]


def add_rule(console: Console, resource: Resource) -> None:
    """Add a rule that the program does not have."""
    if not {"ingress", "egress"} & resource.inputs.keys() and "defaultSecurityGroup" not in resource.type:
        add_tag(console, resource)
        return
    rule = {
        "IpProtocol": "tcp",
        "FromPort": 22,
        "ToPort": 22,
        "IpRanges": [{"CidrIp": "203.0.113.0/24", "Description": "by hand"}],
    }
    console.client("ec2").authorize_security_group_ingress(GroupId=resource.id, IpPermissions=[rule])


def change_rule(console: Console, resource: Resource) -> None:
    """Change the description of a rule."""
    ec2 = console.client("ec2")
    before = ec2.describe_security_group_rules(SecurityGroupRuleIds=[resource.id])["SecurityGroupRules"][0]
    fields = ("IpProtocol", "FromPort", "ToPort", "CidrIpv4")
    rule = {name: before[name] for name in fields if name in before}
    source = (before.get("ReferencedGroupInfo") or {}).get("GroupId")
    ec2.modify_security_group_rules(
        GroupId=resource.inputs["securityGroupId"],
        SecurityGroupRules=[
            {
                "SecurityGroupRuleId": resource.id,
                "SecurityGroupRule": {
                    **rule,
                    **({"ReferencedGroupId": source} if source else {}),
                    "Description": "by hand",
                },
            }
        ],
    )


CHANGES_BY_HAND: Changes = {
    "aws:ec2/defaultSecurityGroup:DefaultSecurityGroup": add_rule,
    "aws:ec2/securityGroup:SecurityGroup": add_rule,
    "aws:ec2/securityGroupRule:SecurityGroupRule": None,
    "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule": change_rule,
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": change_rule,
}
