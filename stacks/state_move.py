"""What is deployed, moved between the states of stacks: which units move, and the states before and after.

Pure functions of states with their secrets in plain, which are held in memory only; `moka move` exports and
imports them.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from moka.pulumi_cli import State
from stacks.settings import Environment
from stacks.slices import RESOURCES, Unit, providers, recorded_units, slices, stack_of_units, units

Resource = dict[str, Any]

STACK_TYPE = "pulumi:pulumi:Stack"
REFERENCE_TYPE = "pulumi:pulumi:StackReference"
PROVIDER_PREFIX = "pulumi:providers:"


@dataclass(frozen=True)
class Move:
    """A unit that is in the stack `source`, and that the settings give to `target`.

    unit: as the settings have it.
    recorded: as the stack has it: of another place where another cluster has become home.
    """

    unit: Unit
    source: str
    target: str
    recorded: Unit

    def __str__(self) -> str:
        as_another = "" if self.unit == self.recorded else f", as {self.unit}"
        return f"{self.recorded}: from {self.source} to {self.target}{as_another}"


def plan_moves(settings: Environment, states: Mapping[str, State]) -> list[Move]:
    """What is elsewhere than the settings say; what they do not name, or what is nowhere yet, stays.

    states: stack -> its state.
    """
    targets = stack_of_units(slices(settings).values())
    return [
        Move(unit, stack, targets[unit], recorded)
        for unit in units(settings)
        for stack, state in states.items()
        for recorded in recorded_units(settings, unit)
        if str(recorded) in _outputs(state) and stack != targets[unit]
    ]


def add_units(
    settings: Environment, stack: str, state: State, states: Mapping[str, State], moves: Sequence[Move]
) -> State:
    """The state of a stack with the units that move into it; what it has already stays as it is.

    Their providers come along where the stack has none of that name. What they depend on in another stack is
    forgotten: the program reads that through a StackReference.
    """
    resources = list(resources_of(state))
    existing = {resource["urn"]: resource for resource in resources}
    for source in dict.fromkeys(move.source for move in moves):
        origin = states[source]
        incoming = [move for move in moves if move.source == source]
        root = _root(origin)
        if not resources:
            resources.append(_rename({**root, "outputs": {}}, root, stack))
            existing[resources[0]["urn"]] = resources[0]
        moving = _resources_of_units(origin, [move.recorded for move in incoming])
        serving = {resource.get("provider", "").rpartition("::")[0] for resource in moving.values()}
        serving |= _top_level_urns(
            origin, (name for move in incoming for name in providers(settings, move.unit))
        )
        replacements: dict[str, str] = {}
        for resource in resources_of(origin):
            if resource["urn"] not in moving and resource["urn"] not in serving:
                continue
            renamed = _rename(resource, root, stack)
            if duplicate := existing.get(renamed["urn"]):
                replacements[_provider_reference(renamed)] = _provider_reference(duplicate)
                continue
            if "provider" in renamed:
                renamed["provider"] = replacements.get(renamed["provider"], renamed["provider"])
            existing[renamed["urn"]] = renamed
            resources.append(_drop_missing_dependencies(renamed, existing))
        outputs = {str(move.unit): _outputs(origin)[str(move.recorded)] for move in incoming}
        resources[0] = {**resources[0], "outputs": {**outputs, **resources[0].get("outputs", {})}}
    return _with_resources(_with_secrets_provider(stack, state, states[moves[0].source]), resources)


def remove_units(settings: Environment, state: State, moves: Sequence[Move]) -> State:
    """The state of a stack without the units that move out of it, and without what only they needed.

    It is empty if no unit is left.
    """
    moving = _resources_of_units(state, [move.recorded for move in moves])
    names = {str(move.recorded) for move in moves}
    outputs = {name: value for name, value in _outputs(state).items() if name not in names}
    remaining_units = [unit for unit in units(settings) if str(unit) in outputs]
    own_providers = _top_level_urns(
        state, (name for unit in remaining_units for name in providers(settings, unit))
    )
    remaining = {r["urn"]: r for r in resources_of(state) if r["urn"] not in moving}
    remaining = {urn: _drop_missing_dependencies(r, remaining) for urn, r in remaining.items()}
    # A provider may be all that needs a reference, and a reference all that needs the provider `pulumi`.
    for unneeded in (PROVIDER_PREFIX, REFERENCE_TYPE, PROVIDER_PREFIX):
        needed_urns = own_providers | {urn for resource in remaining.values() for urn in _needs(resource)}
        remaining = {
            urn: resource
            for urn, resource in remaining.items()
            if urn in needed_urns or not resource["type"].startswith(unneeded)
        }
    if all(resource["type"] == STACK_TYPE for resource in remaining.values()):
        return _with_resources(state, [])
    return _with_resources(
        state,
        [{**r, "outputs": outputs} if r["type"] == STACK_TYPE else r for r in remaining.values()],
    )


def unfinished_urns(state: State) -> Iterator[str]:
    """URNs of what an update left half done."""
    deployment = state.get("deployment") or {}
    yield from (operation["resource"]["urn"] for operation in deployment.get("pending_operations") or [])
    yield from (resource["urn"] for resource in resources_of(state) if resource.get("delete"))


def resources_of(state: State) -> list[Resource]:
    """The resources of a state; none where the stack never had any."""
    return (state.get("deployment") or {}).get("resources") or []


def _top_level_urns(state: State, names: Iterable[str]) -> set[str]:
    """URNs of resources at the top of a stack, from `type::name`."""
    prefix = _root(state)["urn"].split(f"{STACK_TYPE}::")[0]
    return {prefix + name for name in names}


def _resources_of_units(state: State, moving_units: Sequence[Unit]) -> dict[str, Resource]:
    """The resources of these units, by URN: those that they list, and all below them."""
    outputs = _outputs(state)
    unit_urns = _top_level_urns(
        state, (name for unit in moving_units for name in outputs[str(unit)][RESOURCES])
    )
    belonging: dict[str, Resource] = {}
    for resource in resources_of(state):
        if resource["urn"] in unit_urns or resource.get("parent") in belonging:
            belonging[resource["urn"]] = resource
    return belonging


def _rename(resource: Resource, root: Resource, stack: str) -> Resource:
    """A resource under the names that it and all that it refers to have in another stack."""
    _, project, _ = root["urn"].split("::", 2)
    old_prefix = root["urn"].split("::")[0]
    text = json.dumps(resource).replace(
        json.dumps(root["urn"])[1:-1], f"urn:pulumi:{stack}::{project}::{STACK_TYPE}::{project}-{stack}"
    )
    renamed: Resource = json.loads(
        text.replace(f"{old_prefix}::{project}::", f"urn:pulumi:{stack}::{project}::")
    )
    return renamed


def _drop_missing_dependencies(resource: Resource, existing: Mapping[str, Any]) -> Resource:
    """A resource without its dependencies on what is not in the stack."""
    reduced = dict(resource)
    for name in ("dependencies", "replaceWith"):
        if name in reduced:
            reduced[name] = [urn for urn in reduced[name] or [] if urn in existing]
    if "propertyDependencies" in reduced:
        reduced["propertyDependencies"] = {
            name: [urn for urn in urns or [] if urn in existing]
            for name, urns in (reduced["propertyDependencies"] or {}).items()
        }
    if reduced.get("deletedWith") not in existing:
        reduced.pop("deletedWith", None)
    return reduced


def _needs(resource: Resource) -> Iterator[str]:
    yield from resource.get("dependencies") or []
    yield resource.get("parent", "")
    yield resource.get("provider", "").rpartition("::")[0]


def _provider_reference(provider: Resource) -> str:
    return f"{provider['urn']}::{provider.get('id', '')}"


def _root(state: State) -> Resource:
    return next(resource for resource in resources_of(state) if resource["type"] == STACK_TYPE)


def _outputs(state: State) -> dict[str, Any]:
    return next((r.get("outputs") or {} for r in resources_of(state) if r["type"] == STACK_TYPE), {})


def _with_resources(state: State, resources: list[Resource]) -> State:
    return {**state, "deployment": {**state["deployment"], "resources": resources}}


def _with_secrets_provider(stack: str, state: State, source: State) -> State:
    """The state of a stack; where it never had anything, with the secrets provider of its source."""
    deployment = {**source["deployment"], **(state.get("deployment") or {})}
    provider = deployment.get("secrets_providers") or {}
    if "stack" in (provider.get("state") or {}):
        provider = {**provider, "state": {**provider["state"], "stack": stack}}
    return {**state, "deployment": {**deployment, "secrets_providers": provider}}
