"""Instances, key pairs and their addresses: an example of every type, and how it is changed by hand."""

from localcloud.engine import Resource
from tests.local.aws.examples.example import OTHER_TAGS, TAGS, Bases, Changes, Console, Example, add_tag

# Made for this; nobody has the private key.
PUBLIC_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ3bvR1jP1UVr1Zl7tS2sIr5SNEz2mRUZ0uAoXvPyBqR"

# Amazon Linux 2 as moto's data have it, in every region.
IMAGE = "ami-04681a1dbd79675a5"

BASES: Bases = {
    "key_pair": lambda w: ("aws:ec2/keyPair:KeyPair", {"keyName": "base-key", "publicKey": PUBLIC_KEY}),
    "instance": lambda w: (
        "aws:ec2/instance:Instance",
        {"ami": IMAGE, "instanceType": "t3.micro", "subnetId": w.subnet},
    ),
    "other_instance": lambda w: (
        "aws:ec2/instance:Instance",
        {"ami": IMAGE, "instanceType": "t3.micro", "subnetId": w.subnet},
    ),
    "profile": lambda w: ("aws:iam/instanceProfile:InstanceProfile", {"name": "of-an-instance"}),
    "instance_address": lambda w: ("aws:ec2/eip:Eip", {"domain": "vpc"}),
}

EXAMPLES = [
    Example(
        "aws:ec2/keyPair:KeyPair",
        lambda w: {"keyName": "somebody", "publicKey": PUBLIC_KEY, "tags": TAGS},
        lambda w: {"tags": OTHER_TAGS},
        lambda w: {"keyName": "somebody-else"},
    ),
    Example(
        "aws:ec2/instance:Instance",
        lambda w: {
            "ami": IMAGE,
            "instanceType": "t3.micro",
            "subnetId": w.subnet,
            "vpcSecurityGroupIds": [w.group],
            "keyName": w.key_pair,
            "userData": "#!/bin/sh\necho hello\n",
            "iamInstanceProfile": w.profile,
            "monitoring": True,
            "rootBlockDevice": {"volumeSize": 20, "volumeType": "gp3"},
            "metadataOptions": {"httpTokens": "required"},
            "tags": TAGS,
        },
        lambda w: {
            "instanceType": "t3.small",
            "vpcSecurityGroupIds": [w.other_group],
            "userData": "#!/bin/sh\necho bye\n",
            "sourceDestCheck": False,
            "disableApiTermination": False,
            "tags": OTHER_TAGS,
        },
        lambda w: {"subnetId": w.other_subnet},
    ),
    Example(
        "aws:ec2/instance:Instance",
        lambda w: {
            "ami": IMAGE,
            "instanceType": "t3.micro",
            "subnetId": w.subnet,
            "associatePublicIpAddress": True,
            "userDataBase64": "ZWNobyBoZWxsbwo=",
            "userDataReplaceOnChange": True,
        },
        replace=lambda w: {"userDataBase64": "ZWNobyBieWUK"},
        label="-public",
    ),
    Example(
        "aws:ec2/eip:Eip",
        lambda w: {"instance": w.instance},
        lambda w: {"instance": w.other_instance},
        label="-of-an-instance",
    ),
    Example(
        "aws:ec2/eipAssociation:EipAssociation",
        lambda w: {"allocationId": w.instance_address, "instanceId": w.instance},
        replace=lambda w: {"instanceId": w.other_instance},
    ),
]


def tag_key(console: Console, resource: Resource) -> None:
    tags = [{"Key": "by-hand", "Value": "yes"}]
    console.client("ec2").create_tags(Resources=[resource.outputs["keyPairId"]], Tags=tags)


CHANGES_BY_HAND: Changes = {
    "aws:ec2/keyPair:KeyPair": tag_key,
    "aws:ec2/instance:Instance": add_tag,
    "aws:ec2/eipAssociation:EipAssociation": None,
}
