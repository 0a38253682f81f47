"""ECR as boto3's client answers it: moto's repositories, and settings of the registry, kept in files.

moto has no pull-through caches and no creation templates, and takes few of the actions that a registry's
policy may allow.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from localcloud.plugins.aws.services.base import Members, Service, now


@dataclass(frozen=True, kw_only=True)
class PrefixResource:
    """A resource of a registry, of which there is at most one for a prefix of repositories.

    operation: methods of boto3's client are `create_<operation>` and so on.
    name: in AWS's names of operations. error: start of AWS's error codes.
    noun: in AWS's messages. member: of requests, with the prefix. folder: of its files.
    defaults: settings that AWS fills in.
    """

    operation: str
    name: str
    error: str
    noun: str
    member: str
    folder: str
    defaults: Mapping[str, Any] = field(default_factory=dict)


RULE = PrefixResource(
    operation="pull_through_cache_rule",
    name="PullThroughCacheRule",
    error="PullThroughCacheRule",
    noun="pull through cache rule with repository prefix",
    member="ecrRepositoryPrefix",
    folder="pull-through",
)
TEMPLATE = PrefixResource(
    operation="repository_creation_template",
    name="RepositoryCreationTemplate",
    error="Template",
    noun="template with prefix",
    member="prefix",
    folder="template",
    defaults={"encryptionConfiguration": {"encryptionType": "AES256"}, "imageTagMutability": "MUTABLE"},
)


class Ecr(Service):
    """A client of ECR in one region."""

    # --- the registry's policy ---

    def put_registry_policy(self, policyText: str) -> Members:
        """Put the policy of the registry."""
        self.store.put("registry-policy", thing={"policyText": policyText})
        return self.get_registry_policy()

    def get_registry_policy(self) -> Members:
        """The policy of the registry."""
        policy = self.store.get("registry-policy")
        if policy is None:
            self.refuse("RegistryPolicyNotFoundException", "There is no policy", "GetRegistryPolicy")
        return {"registryId": self.api.account, **policy}

    def delete_registry_policy(self) -> Members:
        """Delete the policy of the registry."""
        policy = self.get_registry_policy()
        self.store.remove("registry-policy")
        return policy

    # --- pull-through caches: images under a prefix come from another registry ---

    # Rules and templates are two sets of methods of one shape: these are the names of boto3's operations.

    def create_pull_through_cache_rule(self, **members: Any) -> Members:
        """Make a rule."""
        return self._rule_answer(self._create(RULE, members))

    def describe_pull_through_cache_rules(self, ecrRepositoryPrefixes: list[str]) -> Members:
        """Rules of some prefixes."""
        rules = self._all(RULE, ecrRepositoryPrefixes)
        return {"pullThroughCacheRules": [self._rule_answer(rule) for rule in rules]}

    def update_pull_through_cache_rule(self, **members: Any) -> Members:
        """Change how a rule signs in at the other registry."""
        return self._rule_answer(self._update(RULE, members))

    def delete_pull_through_cache_rule(self, ecrRepositoryPrefix: str) -> Members:
        """Delete a rule; images that it has pulled stay."""
        return self._rule_answer(self._delete(RULE, ecrRepositoryPrefix))

    def _rule_answer(self, rule: Members) -> Members:
        return {"registryId": self.api.account, **rule}

    # --- creation templates: settings of repositories under a prefix that ECR makes by itself ---

    def create_repository_creation_template(self, **members: Any) -> Members:
        """Make a template."""
        return self._template_answer(self._create(TEMPLATE, members))

    def describe_repository_creation_templates(self, prefixes: list[str]) -> Members:
        """Templates of some prefixes."""
        templates = self._all(TEMPLATE, prefixes)
        return {"registryId": self.api.account, "repositoryCreationTemplates": templates}

    def update_repository_creation_template(self, **members: Any) -> Members:
        """Change some settings of a template."""
        return self._template_answer(self._update(TEMPLATE, members))

    def delete_repository_creation_template(self, prefix: str) -> Members:
        """Delete a template; repositories that were made by it stay."""
        return self._template_answer(self._delete(TEMPLATE, prefix))

    def _template_answer(self, template: Members) -> Members:
        return {"registryId": self.api.account, "repositoryCreationTemplate": template}

    # --- both ---

    def _create(self, resource: PrefixResource, members: Members) -> Members:
        self.validate(f"create_{resource.operation}", members)
        prefix = members[resource.member]
        if self.store.get(resource.folder, prefix):
            self.refuse(
                f"{resource.error}AlreadyExistsException",
                f"A {resource.noun} {prefix} already exists",
                f"Create{resource.name}",
            )
        return self._put(resource, {**resource.defaults, **members, "createdAt": now()})

    def _all(self, resource: PrefixResource, prefixes: Sequence[str]) -> list[Members]:
        return [self._get(resource, prefix) for prefix in prefixes]

    def _update(self, resource: PrefixResource, members: Members) -> Members:
        self.validate(f"update_{resource.operation}", members)
        old = self._get(resource, members[resource.member])
        return self._put(resource, {**old, **members, "updatedAt": now()})

    def _delete(self, resource: PrefixResource, prefix: str) -> Members:
        thing = self._get(resource, prefix)
        self.store.remove(resource.folder, prefix)
        return thing

    def _get(self, resource: PrefixResource, prefix: str) -> Members:
        thing = self.store.get(resource.folder, prefix)
        if thing is None:
            self.refuse(
                f"{resource.error}NotFoundException",
                f"There is no {resource.noun} {prefix}",
                f"Describe{resource.name}s",
            )
        return thing

    def _put(self, resource: PrefixResource, thing: Members) -> Members:
        self.store.put(resource.folder, thing[resource.member], thing=thing)
        return thing
