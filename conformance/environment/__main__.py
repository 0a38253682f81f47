"""`make conformance STACK=`: an environment comes up, is looked at from outside, and goes."""

import sys
from pathlib import Path
from typing import Annotated

import typer
import yaml

from conformance.caller import NotAllowed, require
from conformance.environment import report
from conformance.environment.cost import NotKnown, hourly
from conformance.environment.versions import TrialSettings
from conformance.environment.walk import Walk
from moka.mistakes import InvalidDocument
from moka.project import project_folder
from recovery.pulumi_cli import Stopped, existing_stacks
from stacks.settings import load, path_of
from stacks.waves import stack_names

COMMAND = ("pulumi", "{verb}", "--stack", "{stack}")


def environment(
    name: Annotated[str, typer.Argument(metavar="ENVIRONMENT", help="One that is not up; it goes again.")],
    command: Annotated[
        list[str] | None,
        typer.Argument(metavar="-- COMMAND", help="What runs pulumi on a stack, as in `moka recover`."),
    ] = None,
    account: Annotated[
        str | None, typer.Option(help="The account that it is in: asked for, so that no other is.")
    ] = None,
    lacking: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="YAML: check -> why what it asks about is not there; - for stdin."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Begin without asking.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Bring an environment up, look at it from outside, upgrade it, look again, and take it down.

    \b
    It says what the environment costs an hour, and asks. At first stacks/ENVIRONMENT.yaml has the clusters
    one Kubernetes version earlier, which it puts back for the upgrade. A run that is interrupted takes all
    down; what one leaves that was killed, the next takes down before it begins.

    \b
    Exit status: 0 all that was asked passed, 1 something did not, 2 nothing was begun.
    """
    words = command or [*COMMAND]
    reasons = yaml.safe_load(sys.stdin if lacking == "-" else Path(lacking).read_text()) if lacking else {}
    try:
        settings = load(name)
        stacks = stack_names(name)
        trial = TrialSettings(path_of(name), project_folder() / ".local" / "conformance" / f"{name}.yaml")
        if settings.retain:
            _refuse(f"{name} retains what it is taken down from: take an environment with `retain: false`.")
        accounts = {foundation.account for foundation in settings.foundations.values()}
        if account and accounts != {account}:
            _refuse(f"{name} is in account {', '.join(sorted(accounts))}, not {account}: nothing was made.")
        for foundation in settings.foundations.values():
            require(foundation.account, foundation.region)
        stacks_up = [
            stack
            for stack, entry in existing_stacks().items()
            if stack in stacks and entry.get("resourceCount")
        ]
        if stacks_up and not trial.begun:
            _refuse(
                f"{' and '.join(stacks_up)} is up: take an environment that is not, as this takes it down."
            )
        typer.echo(f"Asking what {name} costs ...", err=True)
        price = hourly(words, stacks)
    except (InvalidDocument, NotAllowed, Stopped, NotKnown) as reason:
        _refuse(str(reason))
    estimate = f"about ${price:.2f} an hour, as it starts and without usage (`moka report` says of what)"
    typer.echo(f"{name} costs {estimate}. It is up for about an hour on AWS.", err=True)
    if not yes and not (sys.stdin.isatty() and typer.confirm("Bring it up?", err=True)):
        _refuse("Nothing was made; --yes begins without asking.")
    walk = Walk(name, words, reasons, lambda line: typer.echo(line, err=True))
    results = walk.run(trial, left=bool(stacks_up))
    hours = sum(result.seconds for result in results) / 3600
    cost = f"It cost about ${price * hours:.2f}: {hours:.1f} hours at {estimate}."
    show = report.as_json if as_json else report.text
    print(show(name, results, cost))
    raise typer.Exit(any(result.outcome == "failed" for result in results))


def _refuse(sentence: str) -> None:
    typer.echo(sentence, err=True)
    raise typer.Exit(2)


if __name__ == "__main__":
    app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)
    app.command()(environment)
    app(prog_name="python -m conformance.environment")
