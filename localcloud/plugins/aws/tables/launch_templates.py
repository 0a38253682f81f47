"""Launch templates."""

from typing import Any

from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import ID, OTHER_INPUTS, Call, Change, Name, P, Read, words
from localcloud.plugins.aws.tables._ec2 import row, tags_of

DATA = (
    "blockDeviceMappings imageId instanceType keyName userData ebsOptimized metadataOptions "
    "tagSpecifications vpcSecurityGroupIds monitoring iamInstanceProfile networkInterfaces placement "
    "cpuOptions creditSpecification instanceMarketOptions disableApiTermination disableApiStop "
    "instanceInitiatedShutdownBehavior capacityReservationSpecification enclaveOptions hibernationOptions "
    "instanceRequirements maintenanceOptions networkPerformanceOptions privateDnsNameOptions"
)


def new_version(subject: Subject) -> None:
    """Make a version of the inputs; the default version with updateDefaultVersion."""
    members = {"LaunchTemplateId": ID, "LaunchTemplateData": OTHER_INPUTS}
    answer = subject.call(Call("create_launch_template_version", members, takes="description"))
    if subject.properties.get("updateDefaultVersion"):
        version = answer["LaunchTemplateVersion"]["VersionNumber"]
        subject.request("modify_launch_template", LaunchTemplateId=subject.id, DefaultVersion=str(version))


def read_version(subject: Subject) -> dict[str, Any]:
    """The latest version of a template."""
    describe = "describe_launch_template_versions"
    answer = subject.request(describe, LaunchTemplateId=subject.id, Versions=["$Latest"])
    latest = answer["LaunchTemplateVersions"][0]
    properties = subject.extract(describe, answer, "LaunchTemplateVersions[0].LaunchTemplateData")
    # moto shows the template's own tags as if they were those of what it launches.
    tags = [
        spec for spec in properties.get("tagSpecifications", ()) if spec["resourceType"] != "launch-template"
    ]
    return {**properties, "tagSpecifications": tags, "description": latest.get("VersionDescription")}


LAUNCH_TEMPLATE = row(
    "LaunchTemplate",
    "launch-template",
    inputs=f"name namePrefix description defaultVersion updateDefaultVersion {DATA}",
    outputs="arn latestVersion",
    create=Call("create_launch_template", {"LaunchTemplateData": OTHER_INPUTS}, takes="name description"),
    names={
        "name": "LaunchTemplateName",
        "description": "VersionDescription",
        "vpcSecurityGroupIds": "SecurityGroupIds",
        "latestVersion": "LatestVersionNumber",
        "defaultVersion": "DefaultVersionNumber",
        "networkInterfaces.securityGroups": "Groups",
    },
    name=Name(max_length=125),
    arguments=words("namePrefix updateDefaultVersion"),
    computed=words("defaultVersion metadataOptions.httpEndpoint"),
    volatile=words("latestVersion defaultVersion"),
    unordered=words("vpcSecurityGroupIds"),
    reads=(Read(read_version),),
    changes=(
        Change(("description", *DATA.split()), new_version),
        Change(
            ("defaultVersion",),
            Call("modify_launch_template", {"LaunchTemplateId": ID, "DefaultVersion": P("defaultVersion")}),
        ),
    ),
    tags=tags_of("launch-template"),
    schema_names={"name": "LaunchTemplateName", "description": "VersionDescription"}
    | {name: f"LaunchTemplateData/{name}" for name in DATA.split()},
)

TYPES = {"aws:ec2/launchTemplate:LaunchTemplate": LAUNCH_TEMPLATE}
