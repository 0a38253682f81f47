"""What an update that was cut off left: asked of AWS, operation by operation."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import jmespath

from moka.pulumi_cli import State
from recovery.account import Account
from recovery.plan import TAKING, Finding, findings, makes_something, several, unfinished
from recovery.pulumi_cli import Stopped
from recovery.searches import (
    AUTONAMED,
    MAKES_NOTHING,
    SEARCHES,
    Search,
    autonamed,
    belongs,
    id_of,
    ids,
    named_after,
    object_id,
    question,
    tag_values,
    tags_of,
)
from recovery.state import CREATING, Operation, resources_of, type_of


@dataclass(frozen=True)
class OutcomeSearch:
    """What an update of a stack that was cut off left."""

    stack: str
    state: State

    def findings(self) -> list[Finding]:
        """A finding, or more, for each operation that was cut off."""
        return [finding for operation in unfinished(self.state) for finding in self._of(operation)]

    def unrecorded_creations(self, planned: Iterable[Operation]) -> list[Finding]:
        """A finding for each of what an `up` would create that may exist already."""
        pending = {operation.urn for operation in unfinished(self.state)}
        return [
            finding
            for operation in planned
            if operation.urn not in pending
            for finding in self._of_creation(operation)
            if finding.verdict in (*TAKING, "several")
        ]

    def _of_creation(self, operation: Operation) -> list[Finding]:
        """A finding for each that a create may have made before; a name by Pulumi was another one then."""
        search = AUTONAMED.get(type_of(operation.urn))
        if search is None or not autonamed(operation.inputs):
            return self._of(operation)
        variables = self._variables(operation)
        try:
            names = [
                name
                for name in ids(
                    replace(search, id="{found}"), variables, self._answer(operation, search, variables)
                )
                if named_after(name, operation.name)
                and self._has_its_tags(operation, search, variables, name)
            ]
        except (KeyError, Stopped) as reason:
            return [Finding(operation, "unknown", reason=str(reason))]
        if len(names) > 1:
            return [several(operation, sorted(names))]
        return [finding for name in names for finding in self._of(_with_name(operation, name))]

    def _of(self, operation: Operation) -> list[Finding]:
        type = type_of(operation.urn)
        if operation.type != CREATING:
            recorded = any(r["urn"] == operation.urn and r.get("custom") for r in resources_of(self.state))
            return [Finding(operation, "look again" if recorded else "forget")]
        if not makes_something(operation) or type in MAKES_NOTHING:
            return [Finding(operation, "forget")]
        try:
            if type.startswith("kubernetes:"):
                id = object_id(operation.inputs)
                return findings(self.state, operation, [id], lambda r: object_id(r["inputs"]))
            if type not in SEARCHES:
                raise Stopped(f"{type} is not in the table of what can be found (recovery/searches.py)")
            return self._search_findings(operation, SEARCHES[type])
        except KeyError as missing:
            return [Finding(operation, "unknown", reason=f"its inputs do not say {missing}")]
        except Stopped as reason:
            return [Finding(operation, "unknown", reason=str(reason))]

    def _search_findings(self, operation: Operation, search: Search) -> list[Finding]:
        variables = self._variables(operation)
        return findings(
            self.state,
            operation,
            ids(search, variables, self._answer(operation, search, variables)),
            lambda resource: id_of(search, resource.get("inputs") or {}, resource.get("id", "")),
        )

    def _variables(self, operation: Operation) -> dict[str, Any]:
        return {**operation.inputs, **tag_values(operation.name, self.stack)}

    def _answer(self, operation: Operation, search: Search, variables: Mapping[str, Any]) -> Any:
        request = question(search, variables)
        if request is None:
            return None
        return self._account(operation).ask(request.service, request.operation, request.members)

    def _has_its_tags(
        self, operation: Operation, search: Search, variables: Mapping[str, Any], found_id: str
    ) -> bool:
        if search.tags is None:
            return True
        answer = self._answer(operation, search.tags, {**variables, "found": found_id})
        return belongs(tags_of(jmespath.search(search.tags.at, answer)), variables)

    def _account(self, operation: Operation) -> Account:
        reference = str(operation.resource.get("provider", "")).rpartition("::")[0]
        provider = next((r for r in resources_of(self.state) if r["urn"] == reference), {})
        return Account.of(provider, str(operation.inputs.get("region") or ""))


def _with_name(operation: Operation, name: str) -> Operation:
    return replace(operation, resource={**operation.resource, "inputs": {**operation.inputs, "name": name}})
