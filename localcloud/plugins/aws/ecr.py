"""ECR as boto3's client answers it: moto's repositories, and what a whole registry has, kept in files.

moto has no pull-through caches and no creation templates, and takes few of the actions that a registry's
policy may allow.
"""

from localcloud.plugins.aws.beside_moto import BesideMoto, Members, now


class Ecr(BesideMoto):
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

    # --- pull-through caches ---

    def create_pull_through_cache_rule(self, **members: str) -> Members:
        """Make a rule: what is pulled under a prefix comes from another registry."""
        self.validate("create_pull_through_cache_rule", members)
        prefix = members["ecrRepositoryPrefix"]
        if self.kept.get("pull-through", prefix):
            self.refuse(
                "PullThroughCacheRuleAlreadyExistsException",
                f"A pull through cache rule with repository prefix {prefix} already exists",
                "CreatePullThroughCacheRule",
            )
        rule = {**members, "registryId": self.api.account, "createdAt": now()}
        self.kept.put("pull-through", prefix, thing=rule)
        return rule

    def describe_pull_through_cache_rules(self, ecrRepositoryPrefixes: list[str]) -> Members:
        """Rules of some prefixes."""
        return {"pullThroughCacheRules": [self._rule(prefix) for prefix in ecrRepositoryPrefixes]}

    def update_pull_through_cache_rule(self, ecrRepositoryPrefix: str, **members: str) -> Members:
        """Change how a rule signs in at the other registry."""
        rule = {**self._rule(ecrRepositoryPrefix), **members, "updatedAt": now()}
        self.kept.put("pull-through", ecrRepositoryPrefix, thing=rule)
        return rule

    def delete_pull_through_cache_rule(self, ecrRepositoryPrefix: str) -> Members:
        """Delete a rule; what it has pulled stays."""
        rule = self._rule(ecrRepositoryPrefix)
        self.kept.remove("pull-through", ecrRepositoryPrefix)
        return rule

    def _rule(self, prefix: str) -> Members:
        rule = self.kept.get("pull-through", prefix)
        if rule is None:
            self.refuse(
                "PullThroughCacheRuleNotFoundException",
                f"There is no pull through cache rule with repository prefix {prefix}",
                "DescribePullThroughCacheRules",
            )
        return rule

    # --- creation templates ---

    def create_repository_creation_template(self, **members: str) -> Members:
        """Make a template: how repositories under a prefix are that ECR makes by itself."""
        self.validate("create_repository_creation_template", members)
        prefix = members["prefix"]
        if self.kept.get("template", prefix):
            self.refuse(
                "TemplateAlreadyExistsException",
                f"A template with prefix {prefix} already exists",
                "CreateRepositoryCreationTemplate",
            )
        template = {
            "encryptionConfiguration": {"encryptionType": "AES256"},
            "imageTagMutability": "MUTABLE",
            **members,
            "createdAt": now(),
        }
        self.kept.put("template", prefix, thing=template)
        return self._answer(template)

    def describe_repository_creation_templates(self, prefixes: list[str]) -> Members:
        """Templates of some prefixes."""
        templates = [self._template(prefix) for prefix in prefixes]
        return {"registryId": self.api.account, "repositoryCreationTemplates": templates}

    def update_repository_creation_template(self, prefix: str, **members: str) -> Members:
        """Change a template; what is not named stays."""
        self.validate("update_repository_creation_template", {"prefix": prefix, **members})
        template = {**self._template(prefix), **members, "updatedAt": now()}
        self.kept.put("template", prefix, thing=template)
        return self._answer(template)

    def delete_repository_creation_template(self, prefix: str) -> Members:
        """Delete a template; repositories that were made by it stay."""
        template = self._template(prefix)
        self.kept.remove("template", prefix)
        return self._answer(template)

    def _template(self, prefix: str) -> Members:
        template = self.kept.get("template", prefix)
        if template is None:
            self.refuse(
                "TemplateNotFoundException",
                f"There is no template with prefix {prefix}",
                "DescribeRepositoryCreationTemplates",
            )
        return template

    def _answer(self, template: Members) -> Members:
        return {"registryId": self.api.account, "repositoryCreationTemplate": template}
