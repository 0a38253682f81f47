"""Launch templates of node groups, as EC2 describes them."""

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
