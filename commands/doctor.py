"""`moka doctor`: whether the AWS accounts of an environment can take it; what its traffic and logs cost."""

import os
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal, get_args

import typer

from commands.arguments import EnvironmentArgument
from commands.refusals import exit_on, refuse
from moka.as_of import InvalidDay, as_of
from stacks.settings import InvalidDocument, load

if TYPE_CHECKING:
    from doctor.question import Question

CREDENTIALS = "credentials"
UPGRADE = "upgrade"

VERSION = re.compile(r"1\.[1-9]\d{0,2}")

# Written out, as `doctor.checks` loads boto3, which no other command needs; a test holds it to the checks.
Subject = Literal[
    "credentials",
    "zones",
    "network",
    "instance-types",
    "quotas",
    "sizes",
    "capacity",
    "versions",
    "disks",
    "database",
    "health",
    "shuffle",
    "control-planes",
    "names",
    "references",
    "pages",
    "permissions",
    "images",
    "endpoints",
]


def doctor(
    environment: EnvironmentArgument,
    only: Annotated[
        Subject | None,
        typer.Option(metavar="SUBJECT", help=f"Ask about one subject only: {', '.join(get_args(Subject))}."),
    ] = None,
    upgrade: Annotated[
        str | None,
        typer.Option(
            metavar="VERSION",
            help="Ask what stands in the way of a Kubernetes version, such as 1.36, instead.",
        ),
    ] = None,
    cost: Annotated[
        bool,
        typer.Option(
            "--cost", help="Estimate what traffic, logs and control planes cost instead; asks nobody."
        ),
    ] = False,
    assume: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="Assume this, with --cost; may be repeated."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """Check whether the AWS accounts of an environment can take it.

    It asks about quotas, zones, permissions, images and more (docs/operations/doctor.md), needs AWS
    credentials and no Pulumi, and reads only; with --cost it needs no credentials. MOKA_AS_OF names another
    day than today, for the ends of versions' support and of certificates.

    \b
    Examples:
      moka doctor prod
      moka doctor prod --only quotas --json
      moka doctor prod --upgrade 1.36
      moka doctor prod --cost --assume shuffle_gb_a_node_day=200

    Exit status: 0 no problem, 1 problems, 2 nothing could be asked (arguments, settings or credentials).
    """
    from doctor import report
    from doctor.account import SessionClients
    from doctor.checks import CHECKS
    from doctor.credentials import CredentialsError, enter, session
    from doctor.examination import examine
    from doctor.finding import not_checked
    from doctor.upgrade import questions

    if assume and not cost:
        refuse("--assume goes with --cost.")
    if cost:
        if only is not None or upgrade is not None:
            refuse("--cost asks nobody: leave out --only and --upgrade.")
        print(_cost(environment, assume or [], as_json))
        raise typer.Exit(0)
    if upgrade is not None:
        _refuse_version(upgrade, only)
    try:
        settings = load(environment)
        places, credentials = enter(settings, SessionClients(session()), as_of(os.environ))
    except (InvalidDay, InvalidDocument, CredentialsError) as error:
        if as_json:
            print(report.as_json(environment, [], str(error)))
        refuse(error)
    findings = [replace(finding, check=CREDENTIALS) for finding in credentials]
    if only != CREDENTIALS:
        checks: Mapping[str, Sequence[Question]] = CHECKS if only is None else {only: CHECKS[only]}
        if upgrade:
            checks = {UPGRADE: questions(upgrade)}
        findings += examine(places, checks, _show_progress)
        entered = {place.name for place in places}
        findings += [
            not_checked(name, "Everything else about it: see the credentials.")
            for name in settings.foundations
            if name not in entered
        ]
    aim = f"go to Kubernetes {upgrade}" if upgrade else report.DEPLOYED
    print(report.as_json(environment, findings) if as_json else report.text(environment, findings, aim))
    raise typer.Exit(any(finding.status == "problem" for finding in findings))


def _cost(environment: str, assume: Sequence[str], as_json: bool) -> str:
    """The estimate, as text or JSON; raises Exit where there is none."""
    from doctor import cost_report
    from doctor.cost import InvalidAssumption, assumptions, estimate
    from moka.prices import InvalidPrices, prices

    with exit_on(InvalidAssumption, InvalidDocument, InvalidPrices):
        assumed = assumptions(dict(_assumption(text) for text in assume))
        table = prices()
        lines = estimate(load(environment), table, assumed)
    write = cost_report.as_json if as_json else cost_report.text
    return write(environment, lines, assumed, table)


def _assumption(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    try:
        return name, float(value)
    except ValueError:
        refuse(f"--assume {text}: write NAME=VALUE, with a number.")


def _refuse_version(version: str, only: str | None) -> None:
    """Raises Exit where it is no version, or another subject is asked for as well."""
    if only is not None:
        refuse("--upgrade asks its own questions: leave out --only.")
    if not VERSION.fullmatch(version):
        refuse(f"{version!r} is no Kubernetes version: write one such as 1.36.")


def _show_progress(done: int, total: int) -> None:
    if sys.stderr.isatty():
        end = "\r" if done < total else "\r\033[K"
        print(f"Asked {done} of {total} questions", end=end, file=sys.stderr, flush=True)
    elif done == 1:
        print(f"Asking AWS {total} questions ...", file=sys.stderr)
