"""Shared by the rows of EC2: tags, ARNs, filters."""

from typing import Any

from localcloud.plugins.aws.table import ID, Call, P, Tagging


def tags_of(resource: str) -> Tagging:
    """Tags of a kind of resource of EC2."""
    return Tagging(
        create="TagSpecifications",
        resource=resource,
        put=Call("create_tags", {"Resources": [ID], "Tags": P("=tags")}),
        remove=Call("delete_tags", {"Resources": [ID], "Tags": P("=keys")}),
    )


def arn(resource: str) -> dict[str, str]:
    """The ARN of a kind of resource, by its id."""
    return {"arn": "arn:{partition}:ec2:{region}:{account}:" + resource + "/{id}"}


def filter_by(name: str, value: Any) -> list[dict[str, Any]]:
    """A filter of a describe call."""
    return [{"Name": name, "Values": [value]}]
