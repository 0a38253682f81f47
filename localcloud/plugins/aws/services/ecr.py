"""ECR as boto3's client answers it: moto's repositories, and what a whole registry has, kept in files.

moto has no pull-through caches and no creation templates, and takes few of the actions that a registry's
policy may allow.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from localcloud.plugins.aws.services.base import Members, Service, now


@dataclass(frozen=True, kw_only=True)
class ByPrefix:
    """What a registry may have one of for each prefix of repositories.

    operation: method of boto3's client that makes one is `create_<operation>`; the others likewise.
    name: the same in names of AWS's operations. error: opening of AWS's error codes.
    words: what it is, up to the prefix. member: of requests, with the prefix. kept: first word of its file.
    defaults: what AWS fills in.
    """

    operation: str
    name: str
    error: str
    words: str
    member: str
    kept: str
    defaults: Mapping[str, Any] = field(default_factory=dict)


RULE = ByPrefix(
    operation="pull_through_cache_rule",
    name="PullThroughCacheRule",
    error="PullThroughCacheRule",
    words="pull through cache rule with repository prefix",
    member="ecrRepositoryPrefix",
    kept="pull-through",
)
TEMPLATE = ByPrefix(
    operation="repository_creation_template",
    name="RepositoryCreationTemplate",
    error="Template",
    words="template with prefix",
    member="prefix",
    kept="template",
    defaults={"encryptionConfiguration": {"encryptionType": "AES256"}, "imageTagMutability": "MUTABLE"},
)


class Ecr(Service):
    """A client of ECR in one region."""

    # --- the registry's policy ---

    def put_registry_policy(self, policyText: str) -> Members:
        """Put the policy of the registry."""
        self.kept.put("registry-policy", thing={"policyText": policyText})
        return self.get_registry_policy()

    def get_registry_policy(self) -> Members:
        """The policy of the registry."""
        policy = self.kept.get("registry-policy")
        if policy is None:
            self.refuse("RegistryPolicyNotFoundException", "There is no policy", "GetRegistryPolicy")
        return {"registryId": self.api.account, **policy}

    def delete_registry_policy(self) -> Members:
        """Delete the policy of the registry."""
        policy = self.get_registry_policy()
        self.kept.remove("registry-policy")
        return policy

    # --- pull-through caches: what is pulled under a prefix comes from another registry ---

    def create_pull_through_cache_rule(self, **members: Any) -> Members:
        """Make a rule."""
        return self._of_rule(self._create(RULE, members))

    def describe_pull_through_cache_rules(self, ecrRepositoryPrefixes: list[str]) -> Members:
        """Rules of some prefixes."""
        rules = self._all(RULE, ecrRepositoryPrefixes)
        return {"pullThroughCacheRules": [self._of_rule(rule) for rule in rules]}

    def update_pull_through_cache_rule(self, **members: Any) -> Members:
        """Change how a rule signs in at the other registry."""
        return self._of_rule(self._update(RULE, members))

    def delete_pull_through_cache_rule(self, ecrRepositoryPrefix: str) -> Members:
        """Delete a rule; what it has pulled stays."""
        return self._of_rule(self._delete(RULE, ecrRepositoryPrefix))

    def _of_rule(self, rule: Members) -> Members:
        return {"registryId": self.api.account, **rule}

    # --- creation templates: how repositories under a prefix are that ECR makes by itself ---

    def create_repository_creation_template(self, **members: Any) -> Members:
        """Make a template."""
        return self._of_template(self._create(TEMPLATE, members))

    def describe_repository_creation_templates(self, prefixes: list[str]) -> Members:
        """Templates of some prefixes."""
        templates = self._all(TEMPLATE, prefixes)
        return {"registryId": self.api.account, "repositoryCreationTemplates": templates}

    def update_repository_creation_template(self, **members: Any) -> Members:
        """Change a template; what is not named stays."""
        return self._of_template(self._update(TEMPLATE, members))

    def delete_repository_creation_template(self, prefix: str) -> Members:
        """Delete a template; repositories that were made by it stay."""
        return self._of_template(self._delete(TEMPLATE, prefix))

    def _of_template(self, template: Members) -> Members:
        return {"registryId": self.api.account, "repositoryCreationTemplate": template}

    # --- both ---

    def _create(self, sort: ByPrefix, members: Members) -> Members:
        self.validate(f"create_{sort.operation}", members)
        prefix = members[sort.member]
        if self.kept.get(sort.kept, prefix):
            self.refuse(
                f"{sort.error}AlreadyExistsException",
                f"A {sort.words} {prefix} already exists",
                f"Create{sort.name}",
            )
        return self._keep(sort, {**sort.defaults, **members, "createdAt": now()})

    def _all(self, sort: ByPrefix, prefixes: Sequence[str]) -> list[Members]:
        return [self._one(sort, prefix) for prefix in prefixes]

    def _update(self, sort: ByPrefix, members: Members) -> Members:
        self.validate(f"update_{sort.operation}", members)
        there = self._one(sort, members[sort.member])
        return self._keep(sort, {**there, **members, "updatedAt": now()})

    def _delete(self, sort: ByPrefix, prefix: str) -> Members:
        there = self._one(sort, prefix)
        self.kept.remove(sort.kept, prefix)
        return there

    def _one(self, sort: ByPrefix, prefix: str) -> Members:
        there = self.kept.get(sort.kept, prefix)
        if there is None:
            self.refuse(
                f"{sort.error}NotFoundException",
                f"There is no {sort.words} {prefix}",
                f"Describe{sort.name}s",
            )
        return there

    def _keep(self, sort: ByPrefix, thing: Members) -> Members:
        self.kept.put(sort.kept, thing[sort.member], thing=thing)
        return thing
