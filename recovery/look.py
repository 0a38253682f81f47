"""What an update that was cut off left: asked of AWS, operation by operation."""

from collections.abc import Iterable
from dataclasses import dataclass

from moka.names import resource_tag
from recovery.account import Account
from recovery.plan import TAKING, Finding, findings, makes_something, unfinished
from recovery.pulumi_cli import Stopped
from recovery.searches import MAKES_NOTHING, SEARCHES, Search, id_of, ids, object_id, question
from recovery.state import CREATING, Operation, State, resources_of, type_of


@dataclass(frozen=True)
class Look:
    """What an update of a stack that was cut off left."""

    stack: str
    state: State

    def findings(self) -> list[Finding]:
        """A finding, or more, for each operation that was cut off."""
        return [finding for operation in unfinished(self.state) for finding in self._of(operation)]

    def made_unrecorded(self, planned: Iterable[Operation]) -> list[Finding]:
        """A finding for each of what an `up` would create that may exist already."""
        pending = {operation.urn for operation in unfinished(self.state)}
        return [
            finding
            for operation in planned
            if operation.urn not in pending
            for finding in self._of(operation)
            if finding.verdict in TAKING
        ]

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
            return self._searched(operation, SEARCHES[type])
        except KeyError as missing:
            return [Finding(operation, "unknown", reason=f"its inputs do not say {missing}")]
        except Stopped as reason:
            return [Finding(operation, "unknown", reason=str(reason))]

    def _searched(self, operation: Operation, search: Search) -> list[Finding]:
        variables = {
            **operation.inputs, "stack": self.stack, "resource_tag": resource_tag(operation.name)
        }  # fmt: skip
        asked = question(search, variables)
        answer = None
        if asked:
            answer = self._account(operation).ask(asked.service, asked.operation, asked.members)
        return findings(
            self.state,
            operation,
            ids(search, variables, answer),
            lambda resource: id_of(search, resource.get("inputs") or {}, resource.get("id", "")),
        )

    def _account(self, operation: Operation) -> Account:
        reference = str(operation.resource.get("provider", "")).rpartition("::")[0]
        provider = next((r for r in resources_of(self.state) if r["urn"] == reference), {})
        return Account.of(provider, str(operation.inputs.get("region") or ""))
