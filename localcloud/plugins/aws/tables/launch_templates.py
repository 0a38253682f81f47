"""Launch templates."""

from dataclasses import replace
from typing import Any

from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import ID, REST, Call, Change, Kind, Look, Name, P, words
from localcloud.plugins.aws.tables._ec2 import arn, tagged

DATA = (
    "blockDeviceMappings imageId instanceType keyName userData ebsOptimized metadataOptions "
    "tagSpecifications vpcSecurityGroupIds monitoring iamInstanceProfile networkInterfaces placement "
    "cpuOptions creditSpecification instanceMarketOptions disableApiTermination disableApiStop "
    "instanceInitiatedShutdownBehavior capacityReservationSpecification enclaveOptions hibernationOptions "
    "instanceRequirements maintenanceOptions networkPerformanceOptions privateDnsNameOptions"
)


def new_version(subject: Subject) -> None:
    """Make a version of what the program says now; the default one where it asks for that."""
    made = subject.call(
        Call(
            "create_launch_template_version",
            {"LaunchTemplateId": ID, "VersionDescription": P("description"), "LaunchTemplateData": REST},
        )
    )
    if subject.properties.get("updateDefaultVersion"):
        version = made["LaunchTemplateVersion"]["VersionNumber"]
        subject.ask("modify_launch_template", LaunchTemplateId=subject.id, DefaultVersion=str(version))


def shown_version(subject: Subject) -> dict[str, Any]:
    """The latest version of a template."""
    operation = "describe_launch_template_versions"
    answer = subject.ask(operation, LaunchTemplateId=subject.id, Versions=["$Latest"])
    latest = answer["LaunchTemplateVersions"][0]
    shown = subject.shown(operation, answer, "LaunchTemplateVersions[0].LaunchTemplateData")
    # moto shows the template's own tags as if they were those of what it launches.
    tags = [each for each in shown.get("tagSpecifications", ()) if each["resourceType"] != "launch-template"]
    return {**shown, "tagSpecifications": tags, "description": latest.get("VersionDescription")}


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
    name=Name(longest=125),
    arguments=words("namePrefix updateDefaultVersion"),
    chosen=words("defaultVersion metadataOptions.httpEndpoint"),
    volatile=words("latestVersion defaultVersion"),
    unordered=words("vpcSecurityGroupIds"),
    looks=(
        Look(Call("describe_launch_templates", {"LaunchTemplateIds": [ID]}), at="LaunchTemplates[0]"),
        Look(shown_version),
    ),
    changes=(
        Change(("description", *DATA.split()), new_version),
        Change(
            ("defaultVersion",),
            Call("modify_launch_template", {"LaunchTemplateId": ID, "DefaultVersion": P("defaultVersion")}),
        ),
    ),
    delete=(Call("delete_launch_template", {"LaunchTemplateId": ID}),),
    # moto shows with a template the tags that it was made with.
    tags=replace(
        tagged("launch-template"),
        look=Call("describe_tags", {"Filters": [{"Name": "resource-id", "Values": [ID]}]}),
    ),
    derived=arn("launch-template"),
    schema_names={"name": "LaunchTemplateName", "description": "VersionDescription"}
    | {name: f"LaunchTemplateData/{name}" for name in DATA.split()},
)

TYPES = {"aws:ec2/launchTemplate:LaunchTemplate": LAUNCH_TEMPLATE}
