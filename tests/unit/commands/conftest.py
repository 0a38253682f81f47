from collections.abc import Callable
from dataclasses import dataclass

import pytest

from commands.app import main


@dataclass(frozen=True)
class Result:
    """How the command line ended."""

    status: int
    out: str
    err: str


@pytest.fixture
def moka(capfd) -> Callable[..., Result]:
    """Run the command line `moka` in this process; the result has what programs that it starts print, too."""

    def run(*arguments: str) -> Result:
        capfd.readouterr()
        with pytest.raises(SystemExit) as end:
            main(arguments)
        return Result(end.value.code or 0, *capfd.readouterr())

    return run
