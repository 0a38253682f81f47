"""The `aws` provider: the engine's requests, answered by the tables."""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from aws_rules.values.request import partition
from localcloud.cloud import ACCOUNT, REGION, REPOSITORY, Cloud
from localcloud.errors import Refusal
from localcloud.plugins.aws import resources
from localcloud.plugins.aws.api import Api, account_role, explain
from localcloud.plugins.aws.caller import role_at_hand, role_of_profile
from localcloud.plugins.aws.refusals import eks as eks_refusals
from localcloud.plugins.aws.refusals import policies
from localcloud.plugins.aws.subject import Subject
from localcloud.plugins.aws.table import Kind
from localcloud.plugins.aws.tables import kind_of
from localcloud.plugins.aws.timing import meet_timeout
from localcloud.plugins.differences import Diff
from localcloud.plugins.differences import Kind as ChangeKind
from localcloud.plugins.provider import Failure, InitializationFailed, Naming, Provider, ReadResult, Target
from localcloud.plugins.values import UNKNOWN, Properties, reveal, seal, secret_in, unknown_in, without_nulls
from localcloud.project import identity_at_hand


def _decode(value: Any) -> Any:
    """A value of the configuration; the SDK sends values other than text as JSON."""
    if isinstance(value, str) and value[:1] in ("{", "["):
        return json.loads(value)
    return value


def _guard(api: Api, service: str, operation: Any, members: Mapping[str, Any], region: str) -> None:
    """Refuse a call that AWS would refuse for its values."""
    from localcloud.plugins.aws.refusals.values import guard

    guard(api, service, operation, members, region)


def _label(target: Target) -> str:
    return f"{target.type} {target.name}"


class Aws(Provider):
    """One configuration of the provider: a region, an account, default tags."""

    name = "aws"

    def __init__(self, cloud: Cloud, endpoint: str, region: str = REGION, project: Path = REPOSITORY) -> None:
        """`project`: folder of the Pulumi project that it serves."""
        self.cloud, self.endpoint, self.project = cloud, endpoint, project
        self.api = Api(cloud, endpoint, region, guard=_guard)
        self.default_tags: dict[str, Any] = {}
        self.cluster_versions: dict[tuple[str, str], str] = {}

    # --- configuration ---

    def check_config(self, inputs: Properties) -> tuple[Properties, list[Failure]]:
        """Any configuration of the real provider; it has no effect on endpoints here."""
        return inputs, []

    def configure(self, inputs: Properties) -> None:
        """Take region, account and default tags."""
        plain = {name: _decode(value) for name, value in reveal(inputs).items()}
        region = plain.get("region") or os.environ.get("AWS_REGION") or self.api.region
        roles = plain.get("assumeRoles") or []
        arns = [role["roleArn"] for role in roles if isinstance(role, dict) and role.get("roleArn")]
        if role := role_of_profile(plain.get("profile") or ""):
            arns.insert(0, role)
        allowed = plain.get("allowedAccountIds") or []
        if unknown_in([region, arns, allowed]):
            region, arns, allowed = REGION, [], []
        caller_roles = tuple(arns)
        if arns:
            identity = arns[-1]
        else:
            account = allowed[0] if allowed and ACCOUNT not in allowed else ACCOUNT
            identity = role_at_hand(self.endpoint)
            if identity:
                account = identity.split(":")[4]
            else:
                identity = identity_at_hand(self.project, self.stack, account, partition(region)) or ""
            # Any key pair is valid here; on AWS it would have to be one of this account.
            arns = [] if account == ACCOUNT else [account_role(account, region)]
        self.api = Api(self.cloud, self.endpoint, region, tuple(arns), _guard, identity, caller_roles)
        if allowed and self.api.account not in allowed:
            raise Refusal(
                f"The AWS provider is in account {self.api.account}, which is not allowed: correct "
                f"assumeRoles or allowedAccountIds ({', '.join(allowed)}), or use other credentials."
            )
        self.default_tags = (plain.get("defaultTags") or {}).get("tags") or {}

    # --- resources ---

    def check(
        self, target: Target, old: Properties, new: Properties, naming: Naming
    ) -> tuple[Properties, list[Failure]]:
        """Inputs with names and defaults, and what is wrong with them."""
        kind = kind_of(target.type)
        inputs, failures = resources.check(
            kind, target.type, target.name, self.api.region, old, without_nulls(new), naming
        )
        # What has not changed was checked when it was made.
        if not failures and inputs != old:
            from localcloud.plugins.aws.refusals import values

            subject = self._subject(target, kind, inputs, {})
            tags = self._all_tags(inputs) if kind.tags else {}
            subject.properties["tagsAll"] = tags
            secret = {name for name, value in inputs.items() if secret_in(value)}
            try:
                failures = values.failures(subject, _label(target), tags, secret)
            except Refusal as refusal:
                # A value of another type: the engine names the resource.
                failures = [Failure("", str(refusal))]
            # Once for each input: what is too long or no JSON need not be read as a policy.
            properties = {failure.property for failure in failures}
            failures += [
                failure
                for failure in policies.failures(
                    self.cloud, target.type, target.name, self.api.region, old, without_nulls(new)
                )
                if failure.property not in properties
            ]
        return inputs, failures

    def diff(self, target: Target, old: Properties, state: Properties, new: Properties) -> Diff:
        """How the new inputs differ; whether they need a new resource."""
        kind = kind_of(target.type)
        paths = dict(resources.changes(kind, old, new))
        if kind.tags and not any(path[0] == "tags" for path in paths):
            tags = self._all_tags(new)
            if tags is not UNKNOWN and tags != reveal(state.get("tagsAll") or {}):
                paths[("tagsAll",)] = ChangeKind.UPDATE
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
        eks_refusals.refuse(self.api, self.cluster_versions, target, inputs)
        if preview:
            return "", seal(resources.plan(kind, inputs, None, tags), inputs)
        subject = self._subject(target, kind, inputs, {})
        subject.properties["tagsAll"] = tags
        try:
            with self._about(_label(target)):
                resources.create(subject, tags)
                meet_timeout(subject, "create", timeout)
                return subject.id, self._outputs(kind, inputs, resources.read(subject) or {})
        except Exception as error:
            if not subject.id:
                raise
            outputs = self._outputs(kind, inputs, subject.properties)
            raise InitializationFailed(subject.id, outputs, inputs, str(error)) from error

    def read(self, target: Target, inputs: Properties, state: Properties) -> ReadResult | None:
        """The resource as it is."""
        kind = kind_of(target.type)
        subject = self._subject(target, kind, inputs, state)
        with self._about(_label(target)):
            resources.identify(subject)
            live = resources.read(subject)
        if live is None:
            return None
        if kind.regional:
            live["region"] = subject.region
        actual = resources.actual_inputs(kind, reveal(inputs), reveal(state), live, reveal(self.default_tags))
        return ReadResult(subject.id, seal(actual, inputs), self._outputs(kind, actual, live, like=inputs))

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
        eks_refusals.refuse(self.api, self.cluster_versions, target, new, old)
        if preview:
            return seal(resources.plan(kind, new, state, tags), new)
        subject = self._subject(target, kind, new, state, old)
        subject.properties["tagsAll"] = tags
        old_tags = reveal(state.get("tagsAll") or {})
        with self._about(_label(target)):
            resources.update(subject, resources.changes(kind, old, new), old_tags, tags)
            meet_timeout(subject, "update", timeout)
            return self._outputs(kind, new, resources.read(subject) or {})

    def delete(self, target: Target, inputs: Properties, state: Properties, timeout: float) -> None:
        """Delete it."""
        with self._about(_label(target)):
            subject = self._subject(target, kind_of(target.type), inputs, state)
            resources.delete(subject)
            meet_timeout(subject, "delete", timeout)

    # --- functions ---

    def invoke(self, token: str, arguments: Properties) -> Properties:
        """Answer a function call."""
        if unknown_in(arguments):
            return {}
        from localcloud.plugins.aws.invokes import answer

        with self._about(token):
            return answer(self.api, token, reveal(without_nulls(arguments)))

    @contextmanager
    def _about(self, subject: str) -> Iterator[None]:
        """Turn errors of AWS into sentences about a resource or a function."""
        try:
            yield
        except Exception as error:
            from localcloud.plugins.aws.refusals.values import RefusedCall

            refusal = error.about(subject) if isinstance(error, RefusedCall) else None
            sentence = refusal or explain(error, self.endpoint, subject)
            if sentence is None:
                raise
            raise Refusal(sentence) from error

    # --- shared ---

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
        self, kind: Kind, inputs: Properties, live: Mapping[str, Any], like: Properties | None = None
    ) -> Properties:
        outputs = resources.outputs(kind, reveal(inputs), live)
        return seal(outputs, inputs if like is None else like)
