"""ECR: repositories, their registry, its pull-through caches and creation templates."""

from localcloud.plugins.aws.refusals.permissions import services
from localcloud.plugins.aws.table import ID, Call, Change, Kind, Name, P, Read, change, tags_by_arn, words

ENCRYPTION = {
    "encryptionConfigurations": "encryptionConfiguration",
    "encryptionConfigurations.kmsKey": "kmsKey",
}

REPOSITORY = Kind(
    service="ecr",
    schema="AWS::ECR::Repository",
    inputs="name imageTagMutability imageScanningConfiguration encryptionConfigurations forceDelete",
    outputs="arn registryId repositoryUrl",
    create=Call("create_repository", other_inputs=True),
    id="{name}",
    names={
        "name": "repositoryName",
        "repositoryUrl": "repositoryUri",
        "arn": "repositoryArn",
        **ENCRYPTION,
    },
    pulumi_lists=words("encryptionConfigurations"),
    name=Name(prefix=None, max_length=256, lower=True),
    defaults={"imageTagMutability": "MUTABLE"},
    arguments=words("forceDelete"),
    computed=words("encryptionConfigurations imageScanningConfiguration"),
    refusals=(services.repository_key,),
    reads=(Read(Call("describe_repositories", {"repositoryNames": [ID]}), at="repositories[0]"),),
    changes=(
        change("imageTagMutability", "put_image_tag_mutability", {"repositoryName": ID}),
        change("imageScanningConfiguration", "put_image_scanning_configuration", {"repositoryName": ID}),
    ),
    delete=(Call("delete_repository", {"repositoryName": ID, "force": P("forceDelete")}),),
    tags=tags_by_arn("arn", is_map=False, in_reads=False),
    schema_names={
        "name": "RepositoryName",
        "encryptionConfigurations": "EncryptionConfiguration",
        "forceDelete": "EmptyOnDelete",
    },
)


def policy_of_repository(member: str, noun: str, put: str, schema: str, changes: bool) -> Kind:
    """Row of a policy document of a repository."""
    put_policy = Call(f"{put}_{noun}", takes="repository policy")
    return Kind(
        service="ecr",
        schema="AWS::ECR::Repository",
        inputs="repository! policy!",
        outputs="registryId",
        create=put_policy,
        id="{repository}",
        identity=("repository",),
        names={"repository": "repositoryName", "policy": member},
        reads=(Read(Call(f"get_{noun}", takes="repository")),),
        changes=(Change(("policy",), put_policy),) if changes else (),
        delete=(Call(f"delete_{noun}", takes="repository"),),
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

PUT_REGISTRY_POLICY = Call("put_registry_policy", takes="policy")

REGISTRY_POLICY = Kind(
    service="ecr",
    schema="AWS::ECR::RegistryPolicy",
    inputs="policy!",
    outputs="registryId",
    create=PUT_REGISTRY_POLICY,
    id="registryId",
    names={"policy": "policyText"},
    reads=(Read(Call("get_registry_policy")),),
    changes=(Change(("policy",), PUT_REGISTRY_POLICY),),
    delete=(Call("delete_registry_policy"),),
    documents=words("policy"),
    schema_names={"policy": "PolicyText"},
    exclusive=True,
)

PULL_THROUGH_CACHE_RULE = Kind(
    service="ecr",
    schema="AWS::ECR::PullThroughCacheRule",
    inputs="ecrRepositoryPrefix! upstreamRegistryUrl! credentialArn customRoleArn upstreamRepositoryPrefix",
    outputs="registryId",
    create=Call("create_pull_through_cache_rule", other_inputs=True),
    id="{ecrRepositoryPrefix}",
    identity=("ecrRepositoryPrefix",),
    reads=(
        Read(
            Call("describe_pull_through_cache_rules", {"ecrRepositoryPrefixes": [ID]}),
            at="pullThroughCacheRules[0]",
        ),
    ),
    changes=(
        change(
            "credentialArn customRoleArn",
            "update_pull_through_cache_rule",
            {"ecrRepositoryPrefix": ID},
        ),
    ),
    delete=(Call("delete_pull_through_cache_rule", {"ecrRepositoryPrefix": ID}),),
    exclusive=True,
)

TEMPLATE_SETTINGS = (
    "customRoleArn description encryptionConfigurations imageTagMutability lifecyclePolicy repositoryPolicy "
    "resourceTags"
)

REPOSITORY_CREATION_TEMPLATE = Kind(
    service="ecr",
    schema="AWS::ECR::RepositoryCreationTemplate",
    inputs=f"prefix! appliedFors! {TEMPLATE_SETTINGS}",
    outputs="registryId",
    create=Call("create_repository_creation_template", other_inputs=True),
    id="{prefix}",
    identity=("prefix",),
    names={"appliedFors": "appliedFor", **ENCRYPTION},
    pulumi_lists=words("encryptionConfigurations"),
    defaults={"imageTagMutability": "MUTABLE"},
    computed=words("encryptionConfigurations"),
    documents=words("lifecyclePolicy repositoryPolicy"),
    unordered=words("appliedFors"),
    refusals=(services.copies_role,),
    reads=(
        Read(
            Call("describe_repository_creation_templates", {"prefixes": [ID]}),
            at="repositoryCreationTemplates[0]",
        ),
    ),
    changes=(
        Change(
            ("appliedFors", *TEMPLATE_SETTINGS.split()),
            Call("update_repository_creation_template", other_inputs=True),
        ),
    ),
    delete=(Call("delete_repository_creation_template", {"prefix": ID}),),
    derived={"registryId": "{account}"},
    schema_names={"appliedFors": "AppliedFor", "encryptionConfigurations": "EncryptionConfiguration"},
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
