"""Do one thing for many things at once."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

AT_ONCE = 16


def side_by_side(do: Callable[[T], R], things: Iterable[T]) -> list[R]:
    """What came of each; all are done before the first failure, if any, is raised."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(do, things))
