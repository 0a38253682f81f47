"""Where metrics go, against where they are asked for."""

from collections.abc import Iterator

from moka.mistakes import Mistake
from stacks.settings.environment import Environment


def managed_grafana(settings: Environment) -> Iterator[Mistake]:
    """A Grafana whose role is of another account than the metrics: it would be refused there."""
    workspace = settings.metrics.workspace
    home = settings.foundations.get(settings.home_foundation) if settings.home in settings.clusters else None
    if settings.metrics.managed_grafana is None or workspace is None or home is None:
        return
    owner = workspace.split(":")[4]
    if owner != home.account:
        yield Mistake(
            "metrics.managed_grafana",
            f"would be in account {home.account}, and metrics.destination.remote_write.workspace is of "
            f"{owner}: use a workspace of the home cluster's account, or make the Grafana there by hand",
        )
