"""Plans of queues: from a file, or from Archer."""

from datetime import UTC, datetime
from pathlib import Path

from commands import archer_api
from commands.archer_api import ArcherProblem
from moka.allocation.plan import Plan, loads, read
from moka.allocation.platform import Platform, in_force, platform_of
from moka.mistakes import InvalidDocument


def plan_of(name: str) -> Plan:
    """The plan in a file, or the one of this id that Archer has.

    Raises InvalidDocument and ArcherProblem.
    """
    path = Path(name)
    if path.is_file():
        try:
            return loads(path.read_bytes(), name)
        except OSError as error:
            raise InvalidDocument(f"{name} cannot be read ({error.strerror}).") from None
    if not archer_api.is_configured():
        raise ArcherProblem(f"{name} is no file; for a plan that Archer has, set {archer_api.URL}.")
    with archer_api.client() as archer:
        return read(dict(archer.get_plan(name)["document"]), name)


def plan_in_force() -> tuple[int, Plan | None]:
    """Revision of what is in force, and its plan. Raises InvalidDocument and ArcherProblem."""
    with archer_api.client() as archer:
        return in_force(archer)


def archer_platform() -> Platform:
    """What Archer knows. Raises ArcherProblem."""
    with archer_api.client() as archer:
        return platform_of(archer, datetime.now(UTC))
