"""`moka leftovers`: what stands in AWS of an environment, and no stack knows."""

import json
import os
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from commands.arguments import EnvironmentArgument
from commands.refusals import refuse
from moka.as_of import InvalidDay, as_of
from moka.pulumi_cli import PulumiFailed, export, meant, stacks
from stacks.settings import Environment, InvalidDocument, load

if TYPE_CHECKING:
    from doctor.leftovers import Tagged


def leftovers(
    environment: EnvironmentArgument,
    cluster: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Look for a cluster that the settings do not have any more, too."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print them as JSON.")] = False,
) -> None:
    """List what stands in AWS of an environment and no stack has.

    It is found by tags: what a teardown left, such as load balancers, volumes, interfaces, and what is kept
    on purpose (docs/operations/teardown.md). It reads the states of the environment's stacks with pulumi,
    asks AWS with the credentials at hand, and changes nothing.

    \b
    Examples:
      moka leftovers prod
      moka leftovers prod --cluster spark-b

    Exit status: 0 nothing is left but what `retain` keeps, 1 more is left, 2 it cannot be told. Volumes that
    may be of another environment's cluster are listed as `unsure` and change no exit status.
    """
    from doctor.account import NoAnswer, SessionClients
    from doctor.credentials import CredentialsError, enter, session
    from doctor.leftovers import known, left, standing

    try:
        settings = load(environment)
        recorded = known([export(stack) for stack in meant(environment, stacks())])
        places, _ = enter(settings, SessionClients(session()), as_of(os.environ))
        if absent := sorted(settings.foundations.keys() - {place.name for place in places}):
            raise CredentialsError(
                f"The credentials at hand are not of the accounts of {', '.join(absent)}, so what is left "
                f"there cannot be told: `moka doctor {environment} --only credentials` says more."
            )
        things = left(
            (thing for place in places for thing in standing(place, cluster or ())),
            recorded,
        )
    except (InvalidDay, InvalidDocument, PulumiFailed, CredentialsError) as error:
        refuse(error)
    except NoAnswer as error:
        refuse(f"What is left cannot be listed: {error.reason}; correct that, then run this again.")
    print(_as_json(settings, things) if as_json else _text(settings, things))
    raise typer.Exit(any(_status(settings, thing) == "left" for thing in things))


def _status(settings: Environment, thing: "Tagged") -> str:
    if thing.unsure:
        return "unsure"
    return "kept" if settings.retain and thing.is_retained else "left"


def _text(settings: Environment, things: Sequence["Tagged"]) -> str:
    if not things:
        return f"Nothing of {settings.environment} is left in AWS that no stack knows."
    statuses = [_status(settings, thing) for thing in things]
    status_width, width = max(map(len, statuses)), max(len(thing.foundation) for thing in things)
    lines = [
        f"{status:<{status_width}}  {thing.foundation:<{width}}  "
        f"{thing.service} {thing.what}{_remarks(thing)}"
        for status, thing in zip(statuses, things, strict=True)
    ]
    counts = Counter(statuses)
    phrases = [f"{counts[status]} {status}" for status in ("kept", "left")]
    phrases += [f"{counts['unsure']} unsure"] if counts["unsure"] else []
    return "\n".join(
        [
            *lines,
            "",
            f"Of {settings.environment} no stack knows {len(things)}: {', '.join(phrases)}.",
        ]
    )


def _remarks(thing: "Tagged") -> str:
    remarks = [thing.name, f"of cluster {thing.cluster}" if thing.cluster else ""]
    text = ", ".join(filter(None, remarks))
    return f" ({text})" if text else ""


def _as_json(settings: Environment, things: Sequence["Tagged"]) -> str:
    return json.dumps(
        [
            {
                "foundation": thing.foundation,
                "arn": thing.arn,
                "cluster": thing.cluster,
                "name": thing.name,
                "status": _status(settings, thing),
            }
            for thing in things
        ],
        indent=2,
    )
