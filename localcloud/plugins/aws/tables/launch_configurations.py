"""Launch configurations of Auto Scaling groups: what there was before launch templates."""

from typing import Any

from aws_rules.nodes.templates import ROOT_DEVICE
from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import ID, Call, Kind, Name, Read, words

PLAIN = (
    "name imageId instanceType keyName securityGroups associatePublicIpAddress spotPrice ebsOptimized "
    "iamInstanceProfile"
)
DISK = {
    "volumeType": "VolumeType",
    "volumeSize": "VolumeSize",
    "iops": "Iops",
    "throughput": "Throughput",
    "encrypted": "Encrypted",
    "deleteOnTermination": "DeleteOnTermination",
}
"""Of the root disk: property -> member."""


def calls(subject: Subject) -> list[tuple[str, dict[str, Any]]]:
    """The call that makes it."""
    import base64

    members = subject.members(Call("create_launch_configuration", takes=PLAIN))
    monitoring = subject.inputs.get("enableMonitoring", True)
    members["InstanceMonitoring"] = {"Enabled": monitoring}
    text = subject.inputs.get("userData")
    if isinstance(text, str):
        members["UserData"] = base64.b64encode(text.encode()).decode()
    elif user_data := subject.inputs.get("userDataBase64"):
        members["UserData"] = user_data
    disk = subject.inputs.get("rootBlockDevice") or {}
    ebs = {DISK[name]: value for name, value in disk.items() if name in DISK and value is not None}
    if ebs:
        members["BlockDeviceMappings"] = [{"DeviceName": ROOT_DEVICE, "Ebs": ebs}]
    return [("create_launch_configuration", members)]


def make(subject: Subject) -> str:
    """Make a launch configuration."""
    [(operation, members)] = calls(subject)
    subject.request(operation, **members)
    subject.sent |= subject.inputs.keys()
    return str(subject.properties["name"])


def read(subject: Subject) -> dict[str, Any] | None:
    """A launch configuration; its user data is what the program says."""
    describe = "describe_launch_configurations"
    answer = subject.request(describe, LaunchConfigurationNames=[subject.id])
    if not answer["LaunchConfigurations"]:
        return None
    properties = subject.extract(describe, answer, "LaunchConfigurations[0]")
    [description] = answer["LaunchConfigurations"]
    properties.pop("userData", None)
    return {**properties, "enableMonitoring": description["InstanceMonitoring"]["Enabled"]}


CONFIGURATION = Kind(
    service="autoscaling",
    schema="AWS::AutoScaling::LaunchConfiguration",
    inputs=f"{PLAIN.replace('imageId', 'imageId!').replace('instanceType', 'instanceType!')} namePrefix "
    "userData userDataBase64 enableMonitoring rootBlockDevice",
    outputs="arn",
    create=make,
    id="",
    name=Name(max_length=255),
    names={"name": "LaunchConfigurationName", "arn": "LaunchConfigurationARN"},
    defaults={"enableMonitoring": True},
    fixed={"placementTenancy": "default"},
    arguments=words("namePrefix"),
    write_only=words("userData userDataBase64 rootBlockDevice"),
    computed=words("rootBlockDevice keyName associatePublicIpAddress ebsOptimized securityGroups"),
    unordered=words("securityGroups"),
    reads=(Read(read),),
    delete=(Call("delete_launch_configuration", {"LaunchConfigurationName": ID}),),
    schema_names={
        "name": "LaunchConfigurationName",
        "enableMonitoring": "InstanceMonitoring",
        "userDataBase64": "UserData",
        # CloudFormation lists all devices.
        "rootBlockDevice": "RootBlockDevice",
    },
    calls=calls,
)

TYPES = {"aws:ec2/launchConfiguration:LaunchConfiguration": CONFIGURATION}
