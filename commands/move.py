"""`moka move`: what is deployed, moved into the stacks that the settings give it to now."""

import json
from typing import Annotated

import typer

from commands.arguments import EnvironmentArgument
from moka.pulumi_cli import PulumiFailed, State, export, meant, pulumi, stacks
from stacks.settings import Environment, InvalidDocument, load
from stacks.state_move import (
    add_units,
    plan_moves,
    remove_units,
    resources_of,
    unfinished_urns,
)


class MoveRefused(Exception):
    """Why nothing more is moved."""


def move(
    environment: EnvironmentArgument,
    yes: Annotated[bool, typer.Option("--yes", help="Move; otherwise only show what would move.")] = False,
) -> None:
    """Move what is deployed between stacks, as the settings say.

    To be used after a change of `slices`. Only Pulumi's state changes; no resource is touched. It may be
    interrupted and run again at any point: stacks that gain are written before those that lose, so that every
    resource is in one state at least.

    \b
    Examples:
      moka move prod          shows which units go from which stack to which
      moka move prod --yes    moves them
    """
    try:
        _move(load(environment), dry_run=not yes)
    except (InvalidDocument, MoveRefused, PulumiFailed) as error:
        typer.echo(error, err=True)
        raise typer.Exit(1) from None


def _move(settings: Environment, *, dry_run: bool) -> None:
    states = {stack: export(stack, "--show-secrets") for stack in meant(settings.environment, stacks())}
    moves = plan_moves(settings, states)
    if not moves:
        print(f"Everything deployed of {settings.environment} is in the stacks that its settings name.")
        return
    print(*moves, sep="\n")
    targets = list(dict.fromkeys(move.target for move in moves))
    sources = list(dict.fromkeys(move.source for move in moves))
    for stack in {*targets, *sources} & states.keys():
        if urn := next(unfinished_urns(states[stack]), None):
            raise MoveRefused(
                f"An update of {stack} was cut off at {urn}: bring {stack} up with the previous settings "
                "first; nothing was moved."
            )
    if dry_run:
        print("Nothing was moved; --yes moves it.")
        return
    for stack in targets:
        if stack not in states:
            pulumi("stack", "init", "--no-select", "--stack", stack)
            states[stack] = export(stack, "--show-secrets")
        incoming = [move for move in moves if move.target == stack]
        states[stack] = add_units(settings, stack, states[stack], states, incoming)
        _import(stack, states[stack])
        print(f"{stack} has {', '.join(str(move.unit) for move in incoming)}.")
    for stack in sources:
        remaining = remove_units(settings, states[stack], [move for move in moves if move.source == stack])
        _import(stack, remaining)
        if not resources_of(remaining):
            print(f"{stack} is empty: `pulumi stack rm {stack}` forgets it.")
    print(f"Moved. `make preview STACK={settings.environment}` shows no change.")


def _import(stack: str, state: State) -> None:
    pulumi("stack", "import", "--stack", stack, text=json.dumps(state))
