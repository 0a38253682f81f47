"""Launch templates of EC2: an example of every type, and how it is changed by hand."""

from localcloud.engine import Resource
from tests.local.aws.examples.example import OTHER_TAGS, TAGS, Bases, Changes, Console, Example, add_tag

BASES: Bases = {
    "template": lambda w: (
        "aws:ec2/launchTemplate:LaunchTemplate",
        {"name": "base-template", "ebsOptimized": "true"},
    ),
}

EXAMPLES = [
    Example(
        "aws:ec2/launchTemplate:LaunchTemplate",
        lambda w: {
            "blockDeviceMappings": [
                {
                    "deviceName": "/dev/xvda",
                    "ebs": {
                        "volumeType": "gp3",
                        "volumeSize": 100,
                        "encrypted": "true",
                        "deleteOnTermination": "true",
                    },
                }
            ],
            "metadataOptions": {
                "httpEndpoint": "enabled",
                "httpTokens": "required",
                "httpPutResponseHopLimit": 1,
            },
            "tagSpecifications": [
                {"resourceType": "instance", "tags": TAGS},
                {"resourceType": "volume", "tags": TAGS},
            ],
            "updateDefaultVersion": True,
            "tags": TAGS,
        },
        lambda w: {
            "metadataOptions": {
                "httpEndpoint": "enabled",
                "httpTokens": "required",
                "httpPutResponseHopLimit": 2,
            },
            "tags": OTHER_TAGS,
        },
        lambda w: {"name": "another"},
    ),
    Example(
        "aws:ec2/launchTemplate:LaunchTemplate",
        lambda w: {
            "name": "reserved",
            "userData": "TUlNRS1WZXJzaW9uOiAxLjAK",
            "instanceType": "p5.48xlarge",
            "capacityReservationSpecification": {
                "capacityReservationTarget": {"capacityReservationId": "cr-0123456789abcdef0"}
            },
            "instanceMarketOptions": {"marketType": "capacity-block"},
            "updateDefaultVersion": True,
        },
        lambda w: {
            "userData": "TUlNRS1WZXJzaW9uOiAxLjAKCg==",
            "instanceMarketOptions": None,
            "capacityReservationSpecification": {"capacityReservationPreference": "open"},
        },
        label="-reserved",
    ),
]


def add_version(console: Console, resource: Resource) -> None:
    """Another version, unless its description is kept: that of ours, which a guard may keep as it is."""
    add_tag(console, resource)
    if "description" not in resource.inputs:
        console.client("ec2").create_launch_template_version(
            LaunchTemplateId=resource.id,
            LaunchTemplateData={"InstanceType": "m7g.metal", "MetadataOptions": {"HttpTokens": "optional"}},
        )


CHANGES_BY_HAND: Changes = {
    "aws:ec2/launchTemplate:LaunchTemplate": add_version,
}
