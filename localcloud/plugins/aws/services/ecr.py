"""ECR as boto3's client answers it: moto's repositories, and the settings of a registry, kept in files.

moto has no pull-through caches and no creation templates, and takes few of the actions that a registry's
policy may allow.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from localcloud.plugins.aws.services.base import Members, Service, now


@dataclass(frozen=True, kw_only=True)
class Collection:
    """Objects of a registry, of which it may have one for each prefix of repositories.

    name: in AWS's operations. error: opening of AWS's error codes. prefix: member with the prefix.
    title: for messages, up to the prefix. noun: of their files. defaults: what AWS fills in.
    answer: member of answers that holds an object; None where the answer itself is the object.
    """

    name: str
    error: str
    prefix: str
    title: str
    noun: str
    answer: str | None = None
    defaults: Mapping[str, Any] = field(default_factory=dict)


COLLECTIONS = {
    # What is pulled under the prefix comes from another registry; it stays when the rule is deleted.
    "pull_through_cache_rule": Collection(
        name="PullThroughCacheRule",
        error="PullThroughCacheRule",
        prefix="ecrRepositoryPrefix",
        title="pull through cache rule with repository prefix",
        noun="pull-through",
    ),
    # Settings of repositories under the prefix that ECR makes by itself; they stay without the template.
    "repository_creation_template": Collection(
        name="RepositoryCreationTemplate",
        error="Template",
        prefix="prefix",
        title="template with prefix",
        noun="template",
        answer="repositoryCreationTemplate",
        defaults={"encryptionConfiguration": {"encryptionType": "AES256"}, "imageTagMutability": "MUTABLE"},
    ),
}
"""By what boto3's names of the operations have after the verb."""


class Ecr(Service):
    """A client of ECR in one region."""

    def __getattr__(self, operation: str) -> Any:
        verb, _, noun = operation.partition("_")
        collection = COLLECTIONS.get(noun.removesuffix("s"))
        if collection:
            return partial(getattr(self, f"_{verb}"), collection)
        return super().__getattr__(operation)

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

    # --- pull-through caches and creation templates ---

    def _create(self, collection: Collection, **members: Any) -> Members:
        operation, prefix = f"Create{collection.name}", members[collection.prefix]
        self.validate(operation, members)
        if self.store.get(collection.noun, prefix):
            code = f"{collection.error}AlreadyExistsException"
            self.refuse(code, f"A {collection.title} {prefix} already exists", operation)
        return self._put(collection, {**collection.defaults, **members, "createdAt": now()})

    def _describe(self, collection: Collection, **members: Any) -> Members:
        [prefixes] = members.values() or [self._prefixes(collection)]
        account, answer = {"registryId": self.api.account}, collection.name[0].lower() + collection.name[1:]
        return {f"{answer}s": [account | self._get(collection, prefix) for prefix in prefixes]}

    def _prefixes(self, collection: Collection) -> list[str]:
        return [thing[collection.prefix] for thing in self.store.all(collection.noun)]

    def _update(self, collection: Collection, **members: Any) -> Members:
        self.validate(f"Update{collection.name}", members)
        thing = self._get(collection, members[collection.prefix])
        return self._put(collection, {**thing, **members, "updatedAt": now()})

    def _delete(self, collection: Collection, **members: Any) -> Members:
        thing = self._get(collection, members[collection.prefix])
        self.store.remove(collection.noun, members[collection.prefix])
        return self._answer(collection, thing)

    def _get(self, collection: Collection, prefix: str) -> Members:
        thing = self.store.get(collection.noun, prefix)
        if thing is None:
            code, operation = f"{collection.error}NotFoundException", f"Describe{collection.name}s"
            self.refuse(code, f"There is no {collection.title} {prefix}", operation)
        return thing

    def _put(self, collection: Collection, thing: Members) -> Members:
        self.store.put(collection.noun, thing[collection.prefix], thing=thing)
        return self._answer(collection, thing)

    def _answer(self, collection: Collection, thing: Members) -> Members:
        members = {collection.answer: thing} if collection.answer else thing
        return {"registryId": self.api.account, **members}
