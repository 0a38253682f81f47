"""One function called for many things at once."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

THREADS = 16


def parallel_map(function: Callable[[T], R], things: Iterable[T]) -> list[R]:
    """Results in the order of the things; all calls end before the first failure, if any, is raised."""
    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(function, things))
