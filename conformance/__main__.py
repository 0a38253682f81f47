"""`make conformance`: put to AWS what the laptop refuses, and list where the answers differ."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from pulumi import automation

from conformance.caller import NotAllowed, require
from conformance.refusals import comparison
from conformance.refusals.catalog import PROBES
from conformance.refusals.exemptions import UNASKED_WITHOUT_A_CLUSTER
from conformance.refusals.probe import Probe
from conformance.refusals.trial import answers

FOLDER = Path(__file__).resolve().parent.parent / ".local" / "conformance"
"""For the engine's configuration of the stack of probes."""


def conformance(
    account: Annotated[str, typer.Option(help="Account that the probes are for, 12 digits.")],
    region: Annotated[str, typer.Option(help="Region that they are for.")] = "us-east-1",
    only: Annotated[str | None, typer.Option(metavar="RULE", help="Probes of one rule only.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the answers as JSON.")] = False,
) -> None:
    """Put to AWS what the laptop refuses, and list where the answers differ.

    \b
    It makes a VPC without a way out, two subnets, a role, a bucket and a repository, none of which costs
    anything, tries the probes on them, and deletes all of it. A probe that AWS takes is deleted too; a
    cluster costs while it comes up and goes. It needs `pulumi` on PATH, logged in to a backend, and
    credentials of the account.

    \b
    Exit status: 0 AWS answers as the laptop does, 1 it does not, 2 nothing was asked.
    """
    probes = [probe for probe in PROBES if only in (None, probe.rule)]
    _refuse_unless_asked_for(account, region, probes, only)
    account_name = (
        f"AWS at {os.environ.get('AWS_ENDPOINT_URL') or 'its own endpoints'}, account {account}, {region}"
    )
    FOLDER.mkdir(parents=True, exist_ok=True)
    try:
        messages = answers(probes, account, region, FOLDER, lambda line: typer.echo(line, err=True))
    except automation.CommandError as error:
        typer.echo(f"The probes could not be put to {account_name}: {_last_line(error)}", err=True)
        raise typer.Exit(2) from None
    comparisons = comparison.compare(probes, messages)
    show = comparison.as_json if as_json else comparison.text
    print(show(account_name, comparisons, UNASKED_WITHOUT_A_CLUSTER))
    raise typer.Exit(any(answer.outcome in comparison.DIFFERENT for answer in comparisons))


def _refuse_unless_asked_for(account: str, region: str, probes: Sequence[Probe], only: str | None) -> None:
    """Nothing is made in an account that is not the one that was named, nor without a probe."""
    if not probes:
        rules = sorted({probe.rule for probe in PROBES})
        _refuse(f"No probe is about rule {only}: name one of {', '.join(rules)}.")
    if shutil.which("pulumi") is None:
        _refuse("There is no pulumi on PATH: install it from pulumi.com.")
    try:
        require(account, region)
    except NotAllowed as reason:
        _refuse(str(reason))


def _refuse(sentence: str) -> None:
    typer.echo(sentence, err=True)
    raise typer.Exit(2)


def _last_line(error: automation.CommandError) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("error:")]
    return (errors or lines)[-1]


if __name__ == "__main__":
    app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)
    app.command()(conformance)
    app(prog_name="python -m conformance")
