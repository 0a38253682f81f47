"""Launch templates."""

from dataclasses import replace
from typing import Any

from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import ID, REST, Call, Change, Kind, Name, P, Read, words
from localcloud.plugins.aws.tables._ec2 import arn, tags_of

DATA = (
    "blockDeviceMappings imageId instanceType keyName userData ebsOptimized metadataOptions "
    "tagSpecifications vpcSecurityGroupIds monitoring iamInstanceProfile networkInterfaces placement "
    "cpuOptions creditSpecification instanceMarketOptions disableApiTermination disableApiStop "
    "instanceInitiatedShutdownBehavior capacityReservationSpecification enclaveOptions hibernationOptions "
    "instanceRequirements maintenanceOptions networkPerformanceOptions privateDnsNameOptions"
)


def new_version(subject: Subject) -> None:
    """Make a version of the inputs; the default version with updateDefaultVersion."""
    answer = subject.call(
        Call(
            "create_launch_template_version",
            {"LaunchTemplateId": ID, "VersionDescription": P("description"), "LaunchTemplateData": REST},
        )
    )
    if subject.properties.get("updateDefaultVersion"):
        version = answer["LaunchTemplateVersion"]["VersionNumber"]
        subject.request("modify_launch_template", LaunchTemplateId=subject.id, DefaultVersion=str(version))


def read_version(subject: Subject) -> dict[str, Any]:
    """The latest version of a template."""
    operation = "describe_launch_template_versions"
    answer = subject.request(operation, LaunchTemplateId=subject.id, Versions=["$Latest"])
    latest = answer["LaunchTemplateVersions"][0]
    data = subject.extract(operation, answer, "LaunchTemplateVersions[0].LaunchTemplateData")
    # moto shows the template's own tags among those of the things that it launches.
    tags = [tag for tag in data.get("tagSpecifications", ()) if tag["resourceType"] != "launch-template"]
    return {**data, "tagSpecifications": tags, "description": latest.get("VersionDescription")}


LAUNCH_TEMPLATE = Kind(
    service="ec2",
    schema="AWS::EC2::LaunchTemplate",
    inputs=f"name namePrefix description defaultVersion updateDefaultVersion {DATA}",
    outputs="arn latestVersion",
    create=Call(
        "create_launch_template",
        {"LaunchTemplateName": P("name"), "VersionDescription": P("description"), "LaunchTemplateData": REST},
    ),
    id="LaunchTemplate.LaunchTemplateId",
    names={
        "name": "LaunchTemplateName",
        "description": "VersionDescription",
        "vpcSecurityGroupIds": "SecurityGroupIds",
        "latestVersion": "LatestVersionNumber",
        "defaultVersion": "DefaultVersionNumber",
    },
    name=Name(max_length=125),
    arguments=words("namePrefix updateDefaultVersion"),
    computed=words("defaultVersion metadataOptions.httpEndpoint"),
    volatile=words("latestVersion defaultVersion"),
    unordered=words("vpcSecurityGroupIds"),
    reads=(
        Read(Call("describe_launch_templates", {"LaunchTemplateIds": [ID]}), at="LaunchTemplates[0]"),
        Read(read_version),
    ),
    changes=(
        Change(("description", *DATA.split()), new_version),
        Change(
            ("defaultVersion",),
            Call("modify_launch_template", {"LaunchTemplateId": ID, "DefaultVersion": P("defaultVersion")}),
        ),
    ),
    delete=(Call("delete_launch_template", {"LaunchTemplateId": ID}),),
    # moto shows the tags at creation with a template.
    tags=replace(
        tags_of("launch-template"),
        read_call=Call("describe_tags", {"Filters": [{"Name": "resource-id", "Values": [ID]}]}),
    ),
    derived=arn("launch-template"),
    schema_names={"name": "LaunchTemplateName", "description": "VersionDescription"}
    | {name: f"LaunchTemplateData/{name}" for name in DATA.split()},
)

TYPES = {"aws:ec2/launchTemplate:LaunchTemplate": LAUNCH_TEMPLATE}
