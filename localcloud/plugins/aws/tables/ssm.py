"""SSM parameters."""

from localcloud.plugins.aws.table import ID, Call, Change, Kind, Name, P, Read, Tagging, words

TAGGED = {"ResourceType": "Parameter", "ResourceId": ID}

PARAMETER = Kind(
    service="ssm",
    schema="AWS::SSM::Parameter",
    inputs="name type! value description tier keyId allowedPattern dataType",
    outputs="arn version",
    create=Call("put_parameter", other_inputs=True),
    id="{name}",
    name=Name(prefix=None, max_length=2048),
    computed=words("tier dataType keyId"),
    write_only=words("description tier keyId allowedPattern"),
    volatile=words("version"),
    reads=(Read(Call("get_parameter", {"Name": ID, "WithDecryption": True}), at="Parameter"),),
    names={"arn": "ARN"},
    changes=(
        Change(
            ("value", "type", "description", "tier", "keyId", "allowedPattern"),
            Call("put_parameter", {"Overwrite": True}, other_inputs=True),
        ),
    ),
    delete=(Call("delete_parameter", {"Name": ID}),),
    tags=Tagging(
        create="Tags",
        put=Call("add_tags_to_resource", {**TAGGED, "Tags": P("=tags")}),
        remove=Call("remove_tags_from_resource", {**TAGGED, "TagKeys": P("=keys")}),
        read_call=Call("list_tags_for_resource", TAGGED),
        at="TagList",
    ),
)

TYPES = {"aws:ssm/parameter:Parameter": PARAMETER}
