"""What the rows of EC2 share: how it keeps tags, its ARNs, its filters."""

from typing import Any

from localcloud.plugins.aws.table import ID, Call, P, Tagging


def tagged(resource: str) -> Tagging:
    """How EC2 keeps the tags of a kind of resource."""
    return Tagging(
        create="TagSpecifications",
        resource=resource,
        put=Call("create_tags", {"Resources": [ID], "Tags": P("=tags")}),
        remove=Call("delete_tags", {"Resources": [ID], "Tags": P("=keys")}),
    )


def arn(resource: str) -> dict[str, str]:
    """The ARN of a kind of resource, made of its id."""
    return {"arn": "arn:{partition}:ec2:{region}:{account}:" + resource + "/{id}"}


def filtered(name: str, value: Any) -> list[dict[str, Any]]:
    """A filter of a describe call."""
    return [{"Name": name, "Values": [value]}]
