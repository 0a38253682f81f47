"""SSM: an example of every type, and how it is changed by hand."""

from localcloud.engine import Resource
from tests.local.aws.examples.example import OTHER_TAGS, TAGS, Changes, Console, Example

EXAMPLES = [
    Example(
        "aws:ssm/parameter:Parameter",
        lambda w: {"name": "/moka/version", "type": "String", "value": "1", "tags": TAGS},
        lambda w: {"value": "2", "tags": OTHER_TAGS},
        lambda w: {"name": "/moka/other"},
    ),
]


def change_parameter(console: Console, resource: Resource) -> None:
    console.client("ssm").put_parameter(
        Name=resource.id, Value="by hand", Type=resource.inputs["type"], Overwrite=True
    )


CHANGES_BY_HAND: Changes = {
    "aws:ssm/parameter:Parameter": change_parameter,
}
