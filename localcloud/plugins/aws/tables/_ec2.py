"""What the rows of EC2 share: names of calls, tags, ARNs, filters."""

import re
from collections.abc import Mapping
from typing import Any

from localcloud.plugins.aws.table import ID, Call, Kind, P, Read, Tagging


def row(noun: str, resource: str, properties: Mapping[str, str] = {}, **others: Any) -> Kind:
    """Row of a type whose calls have its name in them: `create_vpc`, `describe_vpcs`, `delete_vpc`.

    noun: its name in requests and answers, such as `InternetGateway`. resource: its name in tags and ARNs.
    properties: of its first read; `reads`: further ones. others: columns that are particular to the type.
    """
    describe = Call(operation("describe", f"{noun}s"), {f"{noun}Ids": [ID]})
    columns: dict[str, Any] = {
        "service": "ec2",
        "schema": f"AWS::EC2::{noun}",
        "create": Call(operation("create", noun), other_inputs=True),
        "id": f"{noun}.{noun}Id",
        "delete": (Call(operation("delete", noun), {f"{noun}Id": ID}),),
        "tags": tags_of(resource),
        "derived": arn(resource),
    }
    reads = (Read(describe, at=f"{noun}s[0]", properties=properties), *others.pop("reads", ()))
    return Kind(**(columns | others), reads=reads)


def operation(verb: str, noun: str) -> str:
    """Name of a call, such as `delete_internet_gateway`."""
    return verb + re.sub(r"([A-Z])", r"_\1", noun).lower()


def tags_of(resource: str, id: P = ID) -> Tagging:
    """Tags of a kind of resource of EC2, whose id there is a property."""
    return Tagging(
        create="TagSpecifications",
        resource=resource,
        put=Call("create_tags", {"Resources": [id], "Tags": P("=tags")}),
        remove=Call("delete_tags", {"Resources": [id], "Tags": P("=keys")}),
    )


def arn(resource: str) -> dict[str, str]:
    """The ARN of a kind of resource, by its id."""
    return {"arn": "arn:{partition}:ec2:{region}:{account}:" + resource + "/{id}"}


def filters(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Filters of a describe call, from the value of each."""
    return [{"Name": name, "Values": [value]} for name, value in values.items()]
