"""`moka github`: what GitHub's pull requests and issues are told."""

import json
import os
from pathlib import Path
from typing import Annotated

import typer

from commands.arguments import EnvironmentArgument
from delivery import comments, drift, issues
from delivery.github import GitHub, GitHubError

app = typer.Typer(no_args_is_help=True, help="Tell pull requests and issues on GitHub what was found.")


@app.command()
def comment(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="Reports of previews: a file STACK.md each.")
    ],
    pull: Annotated[int, typer.Option(metavar="NUMBER", help="Number of the pull request.")],
    stacks: Annotated[
        str,
        typer.Option(
            metavar="JSON", help="The stacks that it touches, as `moka changed --json` prints them."
        ),
    ],
) -> None:
    """Comment the previews of a pull request.

    There is one comment for each stack, updated in place. A stack without a report, and one that is no longer
    touched, is said to be so. GITHUB_API_URL, GITHUB_REPOSITORY and GITHUB_TOKEN are those of a workflow.

    \b
    Example:
      moka github comment previews --pull 7 --stacks "$STACKS"

    Exit status: 0 all is said, 1 GitHub refused it, or STACKS is no such list.
    """
    try:
        names = [str(touched["stack"]) for touched in json.loads(stacks)]
    except (ValueError, KeyError, TypeError):
        _fail(f"--stacks is {stacks!r}: give what `moka changed --json` prints.")
    reports = {path.stem: path.read_text() for path in folder.glob("*.md")}
    try:
        commented_stacks = comments.post(GitHub.from_environment(), pull, names, reports, _run())
    except GitHubError as error:
        _fail(str(error))
    print(*(f"{stack}: comment written" for stack in commented_stacks), sep="\n")


@app.command()
def issue(
    environment: EnvironmentArgument,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `moka drift --to` wrote.")],
) -> None:
    """Open, update or close the issue on drift.

    An environment has one issue, which names what drifted. It is closed once nothing has. Where FILE is
    missing or not readable, the issue says that nothing is known.

    \b
    Example:
      moka github issue prod drift/prod.json

    Exit status: 0 the issue is as it should be, 1 GitHub refused it.
    """
    try:
        name, stacks = drift.from_data(json.loads(file.read_text()))
    except (OSError, ValueError, KeyError, TypeError):
        name, stacks = environment, []
    if name != environment:
        _fail(f"{file} is about {name}, not {environment}.")
    try:
        print(issues.update(GitHub.from_environment(), environment, stacks, _run()))
    except GitHubError as error:
        _fail(str(error))


def _run() -> str:
    """URL of the run of a workflow; by the variables that runners set."""
    variables = (
        os.environ.get(name, "") for name in ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID")
    )
    server, repository, number = variables
    return f"{server}/{repository}/actions/runs/{number}" if number else "the run"


def _fail(sentence: str) -> None:
    typer.echo(sentence, err=True)
    raise typer.Exit(1)
