"""Launch configurations: an example of every type, and how it is changed by hand."""

from tests.local.aws.examples.example import Changes, Example

EXAMPLES = [
    Example(
        "aws:ec2/launchConfiguration:LaunchConfiguration",
        lambda w: {
            "name": "one",
            "imageId": "ami-12345678",
            "instanceType": "m5.large",
            "securityGroups": [w.group],
            "associatePublicIpAddress": True,
            "userData": "#!/bin/sh\n",
            "rootBlockDevice": {"volumeSize": 50, "volumeType": "gp3"},
        },
        replace=lambda w: {"instanceType": "m5.xlarge"},
    )
]

CHANGES_BY_HAND: Changes = {"aws:ec2/launchConfiguration:LaunchConfiguration": None}
