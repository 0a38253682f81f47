"""ECR: repositories, the registry, its pull-through caches and creation templates."""

from localcloud.plugins.aws.table import ID, Call, Change, Kind, Name, P, Read, Tagging, words

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
    pulumi_lists=words("encryptionConfigurations"),
    name=Name(prefix=None, max_length=256, lower=True),
    defaults={"imageTagMutability": "MUTABLE"},
    arguments=words("forceDelete"),
    computed=words("encryptionConfigurations imageScanningConfiguration"),
    reads=(Read(Call("describe_repositories", {"repositoryNames": [ID]}), at="repositories[0]"),),
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
        read_call=Call("list_tags_for_resource", {"resourceArn": P("arn")}),
        at="tags",
    ),
    schema_names={
        "name": "RepositoryName",
        "encryptionConfigurations": "EncryptionConfiguration",
        "forceDelete": "EmptyOnDelete",
    },
)


def policy_of_repository(member: str, noun: str, put: str, schema: str, changes: bool) -> Kind:
    """Row of a policy document of a repository."""
    key = {"repositoryName": P("repository")}
    step = Call(f"{put}_{noun}", {**key, member: P("policy")})
    return Kind(
        service="ecr",
        schema="AWS::ECR::Repository",
        inputs="repository! policy!",
        outputs="registryId",
        create=step,
        id="{repository}",
        identity=("repository",),
        reads=(Read(Call(f"get_{noun}", key), properties={"policy": member}),),
        changes=(Change(("policy",), step),) if changes else (),
        delete=(Call(f"delete_{noun}", key),),
        documents=words("policy"),
        schema_names={"repository": "RepositoryName", "policy": schema},
        exclusive=True,
    )


LIFECYCLE_POLICY = policy_of_repository(
    "lifecyclePolicyText", "lifecycle_policy", "put", "LifecyclePolicy", changes=False
)
REPOSITORY_POLICY = policy_of_repository(
    "policyText", "repository_policy", "set", "RepositoryPolicyText", changes=True
)

PUT_REGISTRY_POLICY = Call("put_registry_policy", {"policyText": P("policy")})

REGISTRY_POLICY = Kind(
    service="ecr",
    schema="AWS::ECR::RegistryPolicy",
    inputs="policy!",
    outputs="registryId",
    create=PUT_REGISTRY_POLICY,
    id="registryId",
    reads=(Read(Call("get_registry_policy"), properties={"policy": "policyText"}),),
    changes=(Change(("policy",), PUT_REGISTRY_POLICY),),
    delete=(Call("delete_registry_policy"),),
    documents=words("policy"),
    schema_names={"policy": "PolicyText"},
    exclusive=True,
)

RULE_KEY = {"ecrRepositoryPrefix": P("ecrRepositoryPrefix")}

PULL_THROUGH_CACHE_RULE = Kind(
    service="ecr",
    schema="AWS::ECR::PullThroughCacheRule",
    inputs="ecrRepositoryPrefix! upstreamRegistryUrl! credentialArn customRoleArn upstreamRepositoryPrefix",
    outputs="registryId",
    create=Call("create_pull_through_cache_rule", rest=True),
    id="{ecrRepositoryPrefix}",
    identity=("ecrRepositoryPrefix",),
    reads=(
        Read(
            Call("describe_pull_through_cache_rules", {"ecrRepositoryPrefixes": [P("ecrRepositoryPrefix")]}),
            at="pullThroughCacheRules[0]",
        ),
    ),
    changes=(
        Change(
            ("credentialArn", "customRoleArn"),
            Call(
                "update_pull_through_cache_rule",
                {**RULE_KEY, "credentialArn": P("credentialArn"), "customRoleArn": P("customRoleArn")},
            ),
        ),
    ),
    delete=(Call("delete_pull_through_cache_rule", RULE_KEY),),
    exclusive=True,
)

TEMPLATE_SETTINGS = (
    "appliedFors customRoleArn description encryptionConfigurations imageTagMutability lifecyclePolicy "
    "repositoryPolicy resourceTags"
)

REPOSITORY_CREATION_TEMPLATE = Kind(
    service="ecr",
    schema="AWS::ECR::RepositoryCreationTemplate",
    inputs="prefix! appliedFors! " + TEMPLATE_SETTINGS.removeprefix("appliedFors "),
    outputs="registryId",
    create=Call("create_repository_creation_template", rest=True),
    id="{prefix}",
    identity=("prefix",),
    names={
        "appliedFors": "appliedFor",
        "encryptionConfigurations": "encryptionConfiguration",
        "encryptionConfigurations.kmsKey": "kmsKey",
    },
    pulumi_lists=words("encryptionConfigurations"),
    defaults={"imageTagMutability": "MUTABLE"},
    computed=words("encryptionConfigurations"),
    documents=words("lifecyclePolicy repositoryPolicy"),
    unordered=words("appliedFors"),
    reads=(
        Read(
            Call("describe_repository_creation_templates", {"prefixes": [P("prefix")]}),
            at="repositoryCreationTemplates[0]",
        ),
    ),
    changes=(
        Change(tuple(TEMPLATE_SETTINGS.split()), Call("update_repository_creation_template", rest=True)),
    ),
    delete=(Call("delete_repository_creation_template", {"prefix": P("prefix")}),),
    derived={"registryId": "{account}"},
    schema_names={
        "appliedFors": "AppliedFor",
        "encryptionConfigurations": "EncryptionConfiguration",
    },
    exclusive=True,
)

TYPES = {
    "aws:ecr/repository:Repository": REPOSITORY,
    "aws:ecr/lifecyclePolicy:LifecyclePolicy": LIFECYCLE_POLICY,
    "aws:ecr/repositoryPolicy:RepositoryPolicy": REPOSITORY_POLICY,
    "aws:ecr/registryPolicy:RegistryPolicy": REGISTRY_POLICY,
    "aws:ecr/pullThroughCacheRule:PullThroughCacheRule": PULL_THROUGH_CACHE_RULE,
    "aws:ecr/repositoryCreationTemplate:RepositoryCreationTemplate": REPOSITORY_CREATION_TEMPLATE,
}
