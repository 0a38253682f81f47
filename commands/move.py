"""`python -m commands.move`: brings what is deployed into the stacks that the settings give it to now.

    python -m commands.move prod          says which units go from which stack to which
    python -m commands.move prod --yes    moves them, in the state alone; no resource is touched

It may be interrupted and run again at any point. A stack that gains comes before those that lose, so that
every resource is in one state at least.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stacks.settings import Environment, InvalidDocument, load
from stacks.slices import RESOURCES, Unit, providers, slices, units

State = dict[str, Any]
"""A stack as `pulumi stack export` gives it, secrets in plain; it is held in memory only."""

Resource = dict[str, Any]

ROOT = "pulumi:pulumi:Stack"
REFERENCE = "pulumi:pulumi:StackReference"
PROVIDER = "pulumi:providers:"


class Refused(Exception):
    """Why nothing more is moved."""


@dataclass(frozen=True)
class Move:
    """A unit that is in the stack `source`, and that the settings give to `target`."""

    unit: Unit
    source: str
    target: str


def moves(settings: Environment, states: Mapping[str, State]) -> list[Move]:
    """What is elsewhere than the settings say; what they do not name, or what is nowhere yet, stays."""
    holders = {unit: piece.stack for piece in slices(settings).values() for unit in piece.units}
    return [
        Move(unit, stack, holders[unit])
        for unit in units(settings)
        for stack, state in states.items()
        if str(unit) in _outputs(state) and stack != holders[unit]
    ]


def gained(
    settings: Environment, stack: str, state: State, states: Mapping[str, State], coming: Sequence[Move]
) -> State:
    """The state of a stack with what comes into it; what is there already stays as it is.

    Its providers come along where it has none of their name. What it depends on in another stack is
    forgotten: the program reads that through a StackReference.
    """
    resources = list(_resources(state))
    there = {each["urn"]: each for each in resources}
    for source in dict.fromkeys(move.source for move in coming):
        origin = states[source]
        mine = [move.unit for move in coming if move.source == source]
        root = _root(origin)
        if not resources:
            resources.append(_renamed({**root, "outputs": {}}, root, stack))
            there[resources[0]["urn"]] = resources[0]
        going = _belonging(origin, mine)
        serving = {each.get("provider", "").rpartition("::")[0] for each in going.values()}
        serving |= _at_the_top(origin, (name for unit in mine for name in providers(settings, unit)))
        instead: dict[str, str] = {}
        for each in _resources(origin):
            if each["urn"] not in going and each["urn"] not in serving:
                continue
            new = _renamed(each, root, stack)
            if has := there.get(new["urn"]):
                instead[_reference(new)] = _reference(has)
                continue
            if "provider" in new:
                new["provider"] = instead.get(new["provider"], new["provider"])
            there[new["urn"]] = new
            resources.append(_without_missing(new, there))
        ours = resources[0]
        outputs = {str(unit): _outputs(origin)[str(unit)] for unit in mine}
        resources[0] = {**ours, "outputs": {**outputs, **ours.get("outputs", {})}}
    return _with(_able_to_keep_secrets(stack, state, states[coming[0].source]), resources)


def lost(settings: Environment, state: State, going: Sequence[Move]) -> State:
    """The state of a stack without what goes, and without what only that needed; empty if nothing is left."""
    gone = _belonging(state, [move.unit for move in going])
    names = {str(move.unit) for move in going}
    left = {name: value for name, value in _outputs(state).items() if name not in names}
    staying = [unit for unit in units(settings) if str(unit) in left]
    had = _at_the_top(state, (name for unit in staying for name in providers(settings, unit)))
    rest = {each["urn"]: each for each in _resources(state) if each["urn"] not in gone}
    rest = {urn: _without_missing(each, rest) for urn, each in rest.items()}
    for unneeded in (PROVIDER, REFERENCE, PROVIDER):
        needed = had | {urn for each in rest.values() for urn in _needs(each)}
        rest = {
            urn: each for urn, each in rest.items() if urn in needed or not each["type"].startswith(unneeded)
        }
    if all(each["type"] == ROOT for each in rest.values()):
        return _with(state, [])
    return _with(
        state, [{**each, "outputs": left} if each["type"] == ROOT else each for each in rest.values()]
    )


def unfinished(state: State) -> Iterator[str]:
    """URNs of what an update left half done."""
    deployment = state.get("deployment") or {}
    yield from (operation["resource"]["urn"] for operation in deployment.get("pending_operations") or [])
    yield from (each["urn"] for each in _resources(state) if each.get("delete"))


def main(arguments: Sequence[str]) -> int:
    """Do what the command line says; exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m commands.move", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("environment")
    parser.add_argument("--yes", action="store_true", help="move; otherwise it is only said what would move")
    asked = parser.parse_args(arguments)
    try:
        _move(load(asked.environment), go=asked.yes)
    except (InvalidDocument, Refused) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _move(settings: Environment, *, go: bool) -> None:
    there = _stacks(settings.environment)
    states = {stack: _export(stack) for stack in there}
    planned = moves(settings, states)
    for move in planned:
        print(f"{move.unit}: from {move.source} to {move.target}")
    if not planned:
        print(f"All that is deployed of {settings.environment} is in the stacks that its settings name.")
        return
    targets = list(dict.fromkeys(move.target for move in planned))
    sources = list(dict.fromkeys(move.source for move in planned))
    for stack in {*targets, *sources} & states.keys():
        if left := next(unfinished(states[stack]), None):
            raise Refused(
                f"An update of {stack} was cut off at {left}: with the settings as they were, "
                f"bring {stack} up first; nothing was moved."
            )
    if not go:
        print("Nothing was moved; --yes does it.")
        return
    for stack in targets:
        if stack not in states:
            _pulumi("stack", "init", "--no-select", "--stack", stack)
            states[stack] = _export(stack)
        coming = [move for move in planned if move.target == stack]
        states[stack] = gained(settings, stack, states[stack], states, coming)
        _import(stack, states[stack])
        print(f"{stack} has {', '.join(str(move.unit) for move in coming)}.")
    for stack in sources:
        left_over = lost(settings, states[stack], [move for move in planned if move.source == stack])
        _import(stack, left_over)
        if not _resources(left_over):
            print(f"{stack} is empty: `pulumi stack rm {stack}` forgets it.")
    print(f"Moved. `make preview STACK={settings.environment}` shows no change.")


def _at_the_top(state: State, names: Iterable[str]) -> set[str]:
    """URNs of resources at the top of a stack."""
    prefix = _root(state)["urn"].split(f"{ROOT}::")[0]
    return {prefix + name for name in names}


def _belonging(state: State, mine: Sequence[Unit]) -> dict[str, Resource]:
    """The resources of these units, by URN: those that they list, and all below them."""
    listed = _at_the_top(state, (name for unit in mine for name in _outputs(state)[str(unit)][RESOURCES]))
    found: dict[str, Resource] = {}
    for each in _resources(state):
        if each["urn"] in listed or each.get("parent") in found:
            found[each["urn"]] = each
    return found


def _renamed(resource: Resource, root: Resource, stack: str) -> Resource:
    """A resource under the names that it and all that it refers to have in another stack."""
    _, project, _ = root["urn"].split("::", 2)
    old = root["urn"].split("::")[0]
    text = json.dumps(resource).replace(
        json.dumps(root["urn"])[1:-1], f"urn:pulumi:{stack}::{project}::{ROOT}::{project}-{stack}"
    )
    renamed: Resource = json.loads(text.replace(f"{old}::{project}::", f"urn:pulumi:{stack}::{project}::"))
    return renamed


def _without_missing(resource: Resource, there: Mapping[str, Any]) -> Resource:
    """A resource without its dependencies on what is not there."""
    kept = dict(resource)
    for name in ("dependencies", "replaceWith"):
        if name in kept:
            kept[name] = [urn for urn in kept[name] or [] if urn in there]
    if "propertyDependencies" in kept:
        kept["propertyDependencies"] = {
            name: [urn for urn in urns or [] if urn in there]
            for name, urns in (kept["propertyDependencies"] or {}).items()
        }
    if kept.get("deletedWith") not in there:
        kept.pop("deletedWith", None)
    return kept


def _needs(resource: Resource) -> Iterator[str]:
    yield from resource.get("dependencies") or []
    yield resource.get("parent", "")
    yield resource.get("provider", "").rpartition("::")[0]


def _reference(provider: Resource) -> str:
    return f"{provider['urn']}::{provider.get('id', '')}"


def _resources(state: State) -> list[Resource]:
    return (state.get("deployment") or {}).get("resources") or []


def _root(state: State) -> Resource:
    return next(each for each in _resources(state) if each["type"] == ROOT)


def _outputs(state: State) -> dict[str, Any]:
    return next((each.get("outputs") or {} for each in _resources(state) if each["type"] == ROOT), {})


def _with(state: State, resources: list[Resource]) -> State:
    return {**state, "deployment": {**state["deployment"], "resources": resources}}


def _able_to_keep_secrets(stack: str, state: State, other: State) -> State:
    """The state of a stack; where it never had anything, with the way of keeping secrets of another."""
    deployment = {**other["deployment"], **(state.get("deployment") or {})}
    keeper = deployment.get("secrets_providers") or {}
    if "stack" in (keeper.get("state") or {}):
        keeper = {**keeper, "state": {**keeper["state"], "stack": stack}}
    return {**state, "deployment": {**deployment, "secrets_providers": keeper}}


def _stacks(environment: str) -> list[str]:
    names = [str(each["name"]).rpartition("/")[2] for each in json.loads(_pulumi("stack", "ls", "--json"))]
    return [name for name in names if name.partition(".")[0] == environment]


def _export(stack: str) -> State:
    state: State = json.loads(_pulumi("stack", "export", "--show-secrets", "--stack", stack))
    return state


def _import(stack: str, state: State) -> None:
    _pulumi("stack", "import", "--stack", stack, text=json.dumps(state))


def _pulumi(*arguments: str, text: str | None = None) -> str:
    done = subprocess.run(
        ["pulumi", *arguments, "--non-interactive"], input=text, capture_output=True, text=True
    )
    if done.returncode:
        raise Refused(f"pulumi {' '.join(arguments)} failed: {(done.stderr or done.stdout).strip()}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
