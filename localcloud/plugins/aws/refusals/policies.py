"""Policies in the inputs of resources, refused when the program is checked, before anything is made."""

from collections.abc import Iterator, Mapping
from typing import Any

from aws_rules.rule import Unknown
from aws_rules.values.request import partition
from localcloud.cloud import Cloud
from localcloud.plugins.aws.mapping import same_document
from localcloud.plugins.provider import Failure
from localcloud.plugins.values import Properties, reveal, unknown_in
from localcloud.unknowns import note

# Type -> input with a policy -> its kind in aws_rules.iam.policies, which is loaded when there is one.
DOCUMENTS: Mapping[str, Mapping[str, str]] = {
    "aws:ec2/vpcEndpoint:VpcEndpoint": {"policy": "ENDPOINT"},
    "aws:ecr/registryPolicy:RegistryPolicy": {"policy": "REGISTRY"},
    "aws:ecr/repositoryCreationTemplate:RepositoryCreationTemplate": {"repositoryPolicy": "REPOSITORY"},
    "aws:ecr/repositoryPolicy:RepositoryPolicy": {"policy": "REPOSITORY"},
    "aws:eks/podIdentityAssociation:PodIdentityAssociation": {"policy": "SESSION"},
    "aws:iam/policy:Policy": {"policy": "MANAGED"},
    "aws:iam/role:Role": {"assumeRolePolicy": "TRUST", "inlinePolicies": "IDENTITY"},
    "aws:iam/rolePolicy:RolePolicy": {"policy": "IDENTITY"},
    "aws:kms/key:Key": {"policy": "KEY"},
    "aws:s3/bucketPolicy:BucketPolicy": {"policy": "BUCKET"},
}


def failures(
    cloud: Cloud, type: str, name: str, region: str, old: Properties, new: Properties
) -> Iterator[Failure]:
    """What is wrong with the policies of a resource; those that are as they were are not read again."""
    for property, kind in DOCUMENTS.get(type, {}).items():
        value = new.get(property)
        if not value or unknown_in(value):
            continue
        before = {str(text) for text in _texts(reveal(old.get(property)))}
        for text in _texts(reveal(value)):
            if any(text == old_text or same_document(old_text, text) for old_text in before):
                continue
            from aws_rules.iam import policies

            kinds = {
                "BUCKET": policies.BUCKET,
                "ENDPOINT": policies.ENDPOINT,
                "IDENTITY": policies.IDENTITY,
                "KEY": policies.KEY,
                "MANAGED": policies.MANAGED,
                "REGISTRY": policies.REGISTRY,
                "REPOSITORY": policies.REPOSITORY,
                "SESSION": policies.SESSION,
                "TRUST": policies.TRUST,
            }
            about = f"{property} of {type} {name}"
            bucket = "" if unknown_in(new.get("bucket")) else str(new.get("bucket") or "")
            for verdict in policies.mistakes(text, kinds[kind], about, partition(region), bucket):
                if isinstance(verdict, Unknown):
                    note(cloud, verdict)
                else:
                    yield Failure(property, str(verdict))


def _texts(value: Any) -> list[Any]:
    """The documents of an input: one, or those of a list of policies with names."""
    if isinstance(value, list):
        return [
            policy.get("policy") for policy in value if isinstance(policy, Mapping) and policy.get("policy")
        ]
    return [value] if value else []
