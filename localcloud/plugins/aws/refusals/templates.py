"""What machines are started from: launch templates as EC2 describes them, or launch configurations."""

from collections.abc import Mapping
from typing import Any

from localcloud.plugins.aws.api import Api


def template_data(api: Api, region: str, template: Mapping[str, Any]) -> dict[str, Any]:
    """Data of a group's launch template, in the version that the group has; empty without one."""
    keys = {"id": "LaunchTemplateId", "name": "LaunchTemplateName"}
    name = next((name for name in keys if template.get(name)), None)
    if name is None:
        return {}
    request = {keys[name]: template[name], "Versions": [str(template.get("version") or "$Default")]}
    answer = api.call("ec2", "describe_launch_template_versions", request, region)
    data: dict[str, Any] = answer["LaunchTemplateVersions"][0]["LaunchTemplateData"]
    return data


def configuration_data(api: Api, region: str, name: str) -> dict[str, Any]:
    """A launch configuration in the words of a launch template; empty where it is gone."""
    names = {"LaunchConfigurationNames": [name]}
    answer = api.call("autoscaling", "describe_launch_configurations", names, region)
    if not answer["LaunchConfigurations"]:
        return {}
    [description] = answer["LaunchConfigurations"]
    interface = {
        "Groups": description.get("SecurityGroups") or [],
        "AssociatePublicIpAddress": bool(description.get("AssociatePublicIpAddress")),
    }
    return {
        **{
            key: description.get(key)
            for key in ("ImageId", "InstanceType", "UserData", "BlockDeviceMappings")
        },
        "IamInstanceProfile": {"Name": (description.get("IamInstanceProfile") or "").rpartition("/")[2]},
        "NetworkInterfaces": [interface],
    }
