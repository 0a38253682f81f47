"""Instances: whether an image, a type, a subnet, security groups and a key pair go together."""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from aws_rules.rule import Rule
from aws_rules.values.request import Request, ValueVerdict

RULE = Rule(
    name="instance-parts",
    authority="AWS",
    decides="whether an instance's image runs on its type, its groups are of its VPC, its key is there",
    source="https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html",
    further=("https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RunInstances.html",),
)

RULES = (RULE,)

IMAGE = re.compile(r"ami-([0-9a-f]{8}|[0-9a-f]{17})")
"""Ids are of 8 digits, or of 17: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/resource-ids.html"""


def image_id(request: Request) -> Iterator[ValueVerdict]:
    """How the image is written."""
    image = request.value_at("ImageId")
    if isinstance(image, str) and not IMAGE.fullmatch(image):
        message = f'Invalid id: "{image}" (expecting "ami-...")'
        remedy = "name an image by its id, as ec2.getAmi gives it"
        yield request.misfit(RULE, ("ImageId",), "InvalidAMIID.Malformed", message, remedy)


def image(
    request: Request, image: Mapping[str, Any] | None, architectures: Collection[str]
) -> Iterator[ValueVerdict]:
    """The image, as EC2 describes it, on a type with architectures; none where they are not known."""
    type = request.value_at("InstanceType")
    if image is None:
        yield request.gap(RULE, f"image {request.value_at('ImageId')}")
    elif architectures and image["Architecture"] not in architectures:
        message = (
            f"The architecture '{','.join(architectures)}' of the specified instance type does not match the "
            f"architecture '{image['Architecture']}' of the specified AMI"
        )
        remedy = f"search an image for {' or '.join(architectures)}, or choose another type than {type}"
        yield request.misfit(RULE, ("ImageId",), "InvalidParameterValue", message, remedy)


def groups(request: Request, subnet: Mapping[str, Any], vpcs: Mapping[str, str]) -> Iterator[ValueVerdict]:
    """Security groups of an instance in a subnet; vpcs: security group -> its VPC."""
    for index, group in enumerate(request.value_at("SecurityGroupIds") or ()):
        if vpcs.get(group) not in (None, subnet["VpcId"]):
            message = f"Security group {group} and subnet {subnet['SubnetId']} belong to different networks"
            remedy = f"name groups of {subnet['VpcId']}"
            yield request.misfit(RULE, ("SecurityGroupIds", index), "InvalidParameter", message, remedy)


def key_pair(request: Request, names: Collection[str]) -> Iterator[ValueVerdict]:
    """The key pair, by those that are there."""
    name = request.value_at("KeyName")
    if isinstance(name, str) and name not in names:
        message = f"The key pair '{name}' does not exist"
        remedy = "make it as an ec2.KeyPair, or name one that is there"
        yield request.misfit(RULE, ("KeyName",), "InvalidKeyPair.NotFound", message, remedy)
