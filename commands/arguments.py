"""Arguments that several subcommands take."""

from typing import Annotated

import typer

from stacks.settings.reading import environments

EnvironmentArgument = Annotated[
    str,
    typer.Argument(
        metavar="ENVIRONMENT",
        help="An environment: the name of a settings file in stacks/, such as prod.",
        autocompletion=environments,
    ),
]

StackArgument = Annotated[
    str,
    typer.Argument(
        metavar="STACK",
        help="An environment, for all of its stacks, or one of them: prod, prod.shared.",
        autocompletion=environments,
    ),
]
