"""Archer, as the variables of its own command name it: docs/operations/archer.md."""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from moka.project import CODE

if TYPE_CHECKING:
    from archer import Archer

URL, TOKEN = "ARCHER_URL", "ARCHER_TOKEN"
ENVIRONMENT, REGIONS = "ARCHER_ENVIRONMENT", ("ARCHER_REGION", "AWS_REGION")


class ArcherProblem(Exception):
    """What Archer refused, or why it was not asked, in sentences."""


def is_configured(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether the variables name one."""
    return bool(environ.get(URL))


@contextmanager
def client(environ: Mapping[str, str] = os.environ) -> Iterator["Archer"]:
    """A client of it. What is done with it raises ArcherProblem."""
    if not is_configured(environ):
        raise ArcherProblem(f"{URL} is not set, so Archer's address is unknown: set it.")
    # It is a distribution of its own: installed, or beside this in a checkout.
    beside = CODE / "clients" / "archer"
    if beside.is_dir() and str(beside) not in sys.path:
        sys.path.append(str(beside))
    try:
        from archer import Archer, IamCredentials, Problem, TokenCredentials, Unreachable
    except ModuleNotFoundError:
        raise ArcherProblem("The client of Archer is not installed: install moka-archer.") from None
    token, environment = environ.get(TOKEN), environ.get(ENVIRONMENT)
    region = next((environ[name] for name in REGIONS if environ.get(name)), None)
    if not token and not (environment and region):
        raise ArcherProblem(
            f"There are no credentials for Archer: set {TOKEN}, or {ENVIRONMENT} and {REGIONS[0]} to use AWS "
            "credentials."
        )
    credentials = TokenCredentials(token) if token else IamCredentials(str(environment), str(region))
    try:
        with Archer(environ[URL], credentials) as archer:
            yield archer
    except Problem as problem:
        lines = [f"{at}: {sentence}" for at, sentence in problem.mistakes]
        raise ArcherProblem("\n".join(lines) or str(problem)) from None
    except (Unreachable, RuntimeError) as error:
        raise ArcherProblem(str(error)) from None
