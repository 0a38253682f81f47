"""Fixtures for variables that the laptop's programs see in tests."""

import os
from collections.abc import Iterator

import pytest

AT_THE_END = {"PULUMI_EXPERIMENTAL": "true", "PULUMI_SKIP_CHECKPOINTS": "true"}


@pytest.fixture(scope="session", autouse=True)
def nothing_of_the_callers() -> None:
    """Charts and machines of the caller's own would change what there is to be seen."""
    for name in ("MOKA_CHARTS", "MOKA_MACHINES"):
        os.environ.pop(name, None)


@pytest.fixture(scope="session", autouse=True)
def state_at_the_end() -> None:
    """The engine writes a stack's state once and not for every resource, which is half of what it does."""
    os.environ.update(AT_THE_END)


@pytest.fixture(scope="module")
def checkpoints() -> Iterator[None]:
    """For updates that are cut off: the state is written for every resource, as it is by default."""
    with pytest.MonkeyPatch.context() as patch:
        for name in AT_THE_END:
            patch.delenv(name)
        yield


@pytest.fixture(scope="session", autouse=True)
def memory_for_time() -> None:
    """Programs in Go, as the engine and API servers are, let garbage grow to four times what they use.

    https://go.dev/doc/gc-guide#GOGC
    """
    os.environ.setdefault("GOGC", "400")
