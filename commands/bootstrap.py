"""`moka bootstrap`: what the accounts of an environment need before its first `up`, and its way back."""

import json
import shutil
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from commands.arguments import EnvironmentArgument
from stacks.settings import InvalidDocument, load
from stacks.waves import stack_names

if TYPE_CHECKING:
    from accounts.bootstrap import Bootstrap

FAILED, NOTHING_DONE = 1, 2
"""Exit statuses."""

AGAIN = "Correct the problem above, then run this again: it keeps what exists and continues from there."
UNDO_AGAIN = "Correct the problem above, then run this again: it continues from there."


def bootstrap(
    environment: EnvironmentArgument,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before anything is changed.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be made.")] = False,
    undo: Annotated[
        bool,
        typer.Option("--undo", help="Take away the roles of CI; with --delete-state, all of it."),
    ] = False,
    delete_state: Annotated[
        bool,
        typer.Option("--delete-state", help="With --undo: delete the state of every stack, and its key."),
    ] = False,
    role: Annotated[
        str,
        typer.Option(metavar="NAME", help="Role to assume in the environment's other accounts."),
    ] = "OrganizationAccountAccessRole",
    as_json: Annotated[
        bool,
        typer.Option(
            "--json", help="Print the values to set in the settings and in CI, as JSON, and change nothing."
        ),
    ] = False,
) -> None:
    """Make what an environment needs before its first `up`.

    A bucket and a key for Pulumi's state and its secrets, and for the CI that the settings name: an identity
    provider, a role that previews and a role that deploys in every account, with boundaries. It takes an
    administrator's credentials of the account of the home cluster, and can be interrupted and repeated.

    \b
    Examples:
      moka bootstrap prod --dry-run
      moka bootstrap prod
      moka bootstrap prod --undo                     takes the roles away, keeps every state
      moka bootstrap prod --undo --delete-state      takes everything away

    Exit status: 0 done, 1 something failed on the way, 2 nothing was done (settings, credentials, refused).
    """
    from accounts import report
    from accounts.bootstrap import Bootstrap
    from accounts.questions import BootstrapRefused
    from moka.pulumi_cli import PulumiFailed

    try:
        settings = load(environment)
        stacks = stack_names(environment)
    except InvalidDocument as error:
        raise _exit(error, NOTHING_DONE) from None
    if delete_state and not undo:
        raise _exit("--delete-state goes with --undo: nothing was done.", NOTHING_DONE)
    if dry_run and undo:
        reason = "--dry-run shows what would be made, and goes without --undo, which asks before it deletes."
        raise _exit(reason, NOTHING_DONE)
    if as_json:
        print(json.dumps(report.as_json(settings, stacks), indent=2))
        return
    if shutil.which("pulumi") is None:
        raise _exit("There is no pulumi on PATH: install it from pulumi.com.", NOTHING_DONE)
    steps = Bootstrap(settings, role, lambda line: print(line, flush=True))
    arguments = ("--yes", "--skip-preview") if yes else ()
    again = UNDO_AGAIN if undo else AGAIN
    try:
        if dry_run:
            done = steps.preview()
        elif undo:
            done = _undo(steps, arguments, yes=yes, delete_state=delete_state)
        else:
            done = steps.up(*arguments)
            if done:
                print(f"\n{report.text(settings, stacks)}")
    except BootstrapRefused as error:
        raise _exit(error, NOTHING_DONE) from None
    except PulumiFailed as error:
        raise _exit(f"{error}\n{again}", FAILED) from None
    if not done:
        raise _exit(again, FAILED)


def _undo(steps: "Bootstrap", arguments: tuple[str, ...], *, yes: bool, delete_state: bool) -> bool:
    """Say what would be lost, and take it away unless somebody says no; whether it is away."""
    from accounts.questions import BootstrapRefused

    if not steps.stands():
        print(f"Nothing of {steps.stack} is made.")
        return True
    if in_the_way := steps.stacks_in_the_way():
        raise BootstrapRefused(
            f"These stacks in the bucket still have resources: {', '.join(in_the_way)}. Bring them down "
            f"first (`make down STACK={steps.stack}`); nothing was done."
        )
    take: Callable[..., bool]
    if delete_state:
        loss = "the state of every stack, former versions too, its key after 30 days, and the roles of CI"
        take = steps.take_everything
    else:
        loss = "the roles of CI, and with them every pipeline; state and key stay"
        take = steps.take_roles
    print(f"This deletes {loss}.", flush=True)
    if not yes and not typer.confirm("Delete it?"):
        raise BootstrapRefused("Nothing was done.")
    return take("--yes", "--skip-preview")


def _exit(reason: object, status: int) -> typer.Exit:
    typer.echo(reason, err=True)
    return typer.Exit(status)
