"""A stack's state as `pulumi stack export` gives it: what is pending in it, and what nobody may build on."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from moka.pulumi_cli import State

Resource = dict[str, Any]

LATEST_VERSION = 4
"""Of the format of states: `DeploymentSchemaVersionLatest` in pulumi's sdk/go/common/apitype/core.go."""

NEWER_PULUMI = (
    "use the pulumi that wrote it, or a newer one, and the version of this project that goes with it; "
    "nothing was changed"
)
"""The way out of a state that is newer than what reads it."""

CREATING = "creating"


class BrokenState(Exception):
    """A state that nothing can be done with: one sentence on what is wrong and what to do."""


@dataclass(frozen=True)
class Operation:
    """Something that was under way when an update was cut off.

    type: `creating`, `updating`, `deleting`, `reading`, `importing`. resource: with its inputs.
    """

    type: str
    resource: Resource

    @property
    def urn(self) -> str:
        """URN of the resource."""
        return str(self.resource["urn"])

    @property
    def name(self) -> str:
        """Logical name."""
        return name_of(self.urn)

    @property
    def inputs(self) -> dict[str, Any]:
        """Inputs of the resource."""
        return dict(self.resource.get("inputs") or {})


def resources_of(state: State) -> list[Resource]:
    """All resources in a state, in its order; none in that of an empty stack."""
    return list((state.get("deployment") or {}).get("resources") or [])


def pending(state: State) -> list[Operation]:
    """What was under way; the same operation once."""
    operations: list[Operation] = []
    for entry in (state.get("deployment") or {}).get("pending_operations") or []:
        operation = Operation(entry["type"], entry["resource"])
        if operation not in operations:
            operations.append(operation)
    return operations


def with_resources(state: State, resources: list[Resource]) -> State:
    """The state with other resources, and nothing pending."""
    deployment = {**(state.get("deployment") or {}), "resources": resources, "pending_operations": None}
    return {**state, "deployment": deployment}


def refuse_broken(state: State, stack: str, project: str) -> None:
    """Raise BrokenState for a state of a newer pulumi, of another stack, or that does not hold together.

    stack, project: whose it has to be.
    """
    version = state.get("version")
    if not isinstance(version, int) or version > LATEST_VERSION:
        raise BrokenState(
            f"The state of {stack} has version {version}, and {LATEST_VERSION} is the newest known here: "
            f"{NEWER_PULUMI}."
        )
    for problem in _problems(resources_of(state), stack, project):
        raise BrokenState(f"The state of {stack} {problem}; nothing was changed.")


def _problems(resources: list[Resource], stack: str, project: str) -> Iterator[str]:
    """What pulumi refuses (pkg/resource/deploy/snapshot.go, `VerifyIntegrity`), and what it would replace."""
    urns: set[str] = set()
    in_use: set[str] = set()
    for resource in resources:
        urn = str(resource.get("urn"))
        if urn.split("::")[:2] != [f"urn:pulumi:{stack}", project]:
            yield (
                f"is that of another stack, as {urn} is in it: bring back that of {stack} of project "
                f"{project}"
            )
        if not resource.get("delete"):
            if urn in in_use:
                yield f"has {urn} twice: export it, leave out the one that is not in use, and import it again"
            in_use.add(urn)
        for need in needs(resource):
            if need not in urns:
                yield (
                    f"has {urn}, which needs {need}, and that is not there: `pulumi state repair --stack "
                    f"{stack}` mends it"
                )
        urns.add(urn)


def needs(resource: Resource) -> Iterator[str]:
    """URNs of what a resource needs in the state: parent, provider, dependencies, what it goes with."""
    for key in ("parent", "deletedWith"):
        if urn := resource.get(key):
            yield str(urn)
    if provider := resource.get("provider"):
        yield str(provider).rpartition("::")[0]
    yield from resource.get("dependencies") or []
    for urns in (resource.get("propertyDependencies") or {}).values():
        yield from urns or []


def name_of(urn: str) -> str:
    """Logical name in a URN."""
    return urn.split("::", 3)[-1]


def type_of(urn: str) -> str:
    """Type in a URN, without those of its parents."""
    return urn.split("::")[2].rpartition("$")[2]


def label(urn: str) -> str:
    """A resource as people name it: `Subnet main-private-a`."""
    return f"{type_of(urn).rpartition(':')[2]} {name_of(urn)}"
