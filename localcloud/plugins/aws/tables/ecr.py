"""ECR repositories."""

from localcloud.plugins.aws.table import ID, Call, Change, Kind, Look, Name, P, Tagging, words

REPOSITORY = Kind(
    service="ecr",
    schema="AWS::ECR::Repository",
    inputs="name imageTagMutability imageScanningConfiguration encryptionConfigurations forceDelete",
    outputs="arn registryId repositoryUrl",
    create=Call("create_repository", {"repositoryName": P("name")}, rest=True),
    id="{name}",
    names={
        "name": "repositoryName",
        "repositoryUrl": "repositoryUri",
        "arn": "repositoryArn",
        "encryptionConfigurations": "encryptionConfiguration",
        "encryptionConfigurations.kmsKey": "kmsKey",
    },
    many=words("encryptionConfigurations"),
    name=Name(prefix=None, longest=256, lower=True),
    defaults={"imageTagMutability": "MUTABLE"},
    arguments=words("forceDelete"),
    chosen=words("encryptionConfigurations imageScanningConfiguration"),
    looks=(Look(Call("describe_repositories", {"repositoryNames": [ID]}), at="repositories[0]"),),
    changes=(
        Change(
            ("imageTagMutability",),
            Call(
                "put_image_tag_mutability",
                {"repositoryName": ID, "imageTagMutability": P("imageTagMutability")},
            ),
        ),
        Change(
            ("imageScanningConfiguration",),
            Call(
                "put_image_scanning_configuration",
                {"repositoryName": ID, "imageScanningConfiguration": P("imageScanningConfiguration")},
            ),
        ),
    ),
    delete=(Call("delete_repository", {"repositoryName": ID, "force": P("forceDelete")}),),
    tags=Tagging(
        create="tags",
        put=Call("tag_resource", {"resourceArn": P("arn"), "tags": P("=tags")}),
        remove=Call("untag_resource", {"resourceArn": P("arn"), "tagKeys": P("=keys")}),
        look=Call("list_tags_for_resource", {"resourceArn": P("arn")}),
        at="tags",
    ),
    schema_names={
        "name": "RepositoryName",
        "encryptionConfigurations": "EncryptionConfiguration",
        "forceDelete": "EmptyOnDelete",
    },
)

TYPES = {"aws:ecr/repository:Repository": REPOSITORY}
