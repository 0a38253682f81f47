"""The `aws` provider: what the engine asks of it, answered by the tables."""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from localcloud.cloud import ACCOUNT, REGION, Cloud
from localcloud.errors import Refusal
from localcloud.plugins.aws import resources
from localcloud.plugins.aws.api import Api, explained, somebody
from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import Kind
from localcloud.plugins.aws.tables import kind_of
from localcloud.plugins.differences import Diff
from localcloud.plugins.differences import Kind as What
from localcloud.plugins.provider import Failure, InitializationFailed, Naming, Provider, ReadResult, Target
from localcloud.plugins.values import UNKNOWN, Properties, reveal, seal, unknown_in, without_nulls


def _decoded(value: Any) -> Any:
    """A value of the configuration; the SDK sends all that is not text as JSON."""
    if isinstance(value, str) and value[:1] in ("{", "["):
        return json.loads(value)
    return value


def _named(target: Target) -> str:
    return f"{target.type} {target.name}"


class Aws(Provider):
    """One configuration of the provider: a region, an account, default tags."""

    name = "aws"

    def __init__(self, cloud: Cloud, endpoint: str, region: str = REGION) -> None:
        self.cloud, self.endpoint = cloud, endpoint
        self.api = Api(cloud, endpoint, region)
        self.default_tags: dict[str, Any] = {}

    # --- configuration ---

    def check_config(self, inputs: Properties) -> tuple[Properties, list[Failure]]:
        """Any configuration of the real provider; endpoints of its own are no concern of it here."""
        return inputs, []

    def configure(self, inputs: Properties) -> None:
        """Take region, account and default tags."""
        plain = {name: _decoded(value) for name, value in reveal(inputs).items()}
        region = plain.get("region") or os.environ.get("AWS_REGION") or self.api.region
        roles = plain.get("assumeRoles") or []
        arns = [role["roleArn"] for role in roles if isinstance(role, dict) and role.get("roleArn")]
        allowed = plain.get("allowedAccountIds") or []
        if unknown_in([region, arns, allowed]):
            region, arns, allowed = REGION, [], []
        if not arns and allowed and ACCOUNT not in allowed:
            # Any key pair will do, and on AWS it would have to be one of this account.
            arns = [somebody(allowed[0], region)]
        self.api = Api(self.cloud, self.endpoint, region, tuple(arns))
        if allowed and self.api.account not in allowed:
            raise Refusal(
                f"The AWS provider is not allowed account {self.api.account}, which it takes a role of: "
                f"correct assumeRoles or allowedAccountIds ({', '.join(allowed)})."
            )
        self.default_tags = (plain.get("defaultTags") or {}).get("tags") or {}

    # --- resources ---

    def check(
        self, target: Target, old: Properties, new: Properties, naming: Naming
    ) -> tuple[Properties, list[Failure]]:
        """Inputs with names and defaults, and what is wrong with them."""
        kind = kind_of(target.type)
        return resources.check(
            kind, target.type, target.name, self.api.region, old, without_nulls(new), naming
        )

    def diff(self, target: Target, old: Properties, state: Properties, new: Properties) -> Diff:
        """How the new inputs differ; whether they can be had without a new resource."""
        kind = kind_of(target.type)
        paths = dict(resources.changes(kind, old, new))
        if kind.tags and not any(path[0] == "tags" for path in paths):
            wanted, kept = self._all_tags(new), reveal(state.get("tagsAll") or {})
            if wanted is not UNKNOWN and wanted != kept:
                paths[("tagsAll",)] = What.UPDATE
        if not paths:
            return Diff()
        from localcloud.plugins.aws.replacements import replacing

        replaces = replacing(target.type, kind, paths, reveal(old), reveal(new))
        return Diff(
            kinds=paths,
            replaces=replaces,
            delete_before_replace=bool(replaces) and resources.deletes_before_replacing(kind, old, new),
        )

    def create(
        self, target: Target, inputs: Properties, preview: bool, timeout: float
    ) -> tuple[str, Properties]:
        """Make it."""
        kind = kind_of(target.type)
        tags = self._all_tags(inputs) if kind.tags else {}
        if preview:
            return "", seal(resources.planned(kind, inputs, None, tags), inputs)
        subject = self._subject(target, kind, inputs, {})
        subject.properties["tagsAll"] = tags
        try:
            with self._about(_named(target)):
                resources.create(subject, tags, target.interrupted)
                return subject.id, self._outputs(kind, inputs, resources.look(subject) or {})
        except Exception as error:
            if not subject.id:
                raise
            there = self._outputs(kind, inputs, subject.properties)
            raise InitializationFailed(subject.id, there, inputs, str(error)) from error

    def read(self, target: Target, inputs: Properties, state: Properties) -> ReadResult | None:
        """What it is now."""
        kind = kind_of(target.type)
        subject = self._subject(target, kind, inputs, state)
        with self._about(_named(target)):
            resources.identify(subject)
            seen = resources.look(subject)
        if seen is None:
            return None
        if kind.regional:
            seen["region"] = subject.region
        now = resources.refreshed(kind, reveal(inputs), reveal(state), seen, reveal(self.default_tags))
        return ReadResult(subject.id, seal(now, inputs), self._outputs(kind, now, seen, like=inputs))

    def update(
        self,
        target: Target,
        old: Properties,
        state: Properties,
        new: Properties,
        preview: bool,
        timeout: float,
    ) -> Properties:
        """Change it."""
        kind = kind_of(target.type)
        tags = self._all_tags(new) if kind.tags else {}
        if preview:
            return seal(resources.planned(kind, new, state, tags), new)
        subject = self._subject(target, kind, new, state, old)
        subject.properties["tagsAll"] = tags
        kept = reveal(state.get("tagsAll") or {})
        with self._about(_named(target)):
            resources.update(subject, resources.changes(kind, old, new), kept, tags)
            return self._outputs(kind, new, resources.look(subject) or {})

    def delete(self, target: Target, inputs: Properties, state: Properties, timeout: float) -> None:
        """Delete it."""
        with self._about(_named(target)):
            resources.delete(self._subject(target, kind_of(target.type), inputs, state))

    # --- functions ---

    def invoke(self, token: str, arguments: Properties) -> Properties:
        """Answer a function call."""
        if unknown_in(arguments):
            return {}
        from localcloud.plugins.aws.invokes import answer

        with self._about(token):
            return answer(self.api, token, reveal(without_nulls(arguments)))

    @contextmanager
    def _about(self, what: str) -> Iterator[None]:
        """Put what AWS answers into a sentence that names what it was about."""
        try:
            yield
        except Exception as error:
            sentence = explained(error, self.endpoint, what)
            if sentence is None:
                raise
            raise Refusal(sentence) from error

    # --- what they share ---

    def _subject(
        self,
        target: Target,
        kind: Kind,
        inputs: Properties,
        state: Properties,
        old: Properties | None = None,
    ) -> Subject:
        return resources.subject_of(self.api, target.type, kind, target.id, inputs, state, old)

    def _all_tags(self, inputs: Mapping[str, Any]) -> Any:
        tags = reveal(inputs.get("tags") or {})
        if UNKNOWN in (tags, self.default_tags):
            return UNKNOWN
        return {**reveal(self.default_tags), **tags}

    def _outputs(
        self, kind: Kind, inputs: Properties, seen: Mapping[str, Any], like: Properties | None = None
    ) -> Properties:
        made = resources.outputs(kind, reveal(inputs), seen)
        return seal(made, inputs if like is None else like)
