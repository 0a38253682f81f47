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


def workspace_rules(settings: Environment) -> Iterator[Mistake]:
    """Rules of a workspace that the home cluster's stack cannot reach: it is elsewhere."""
    workspace = settings.metrics.workspace
    home = settings.foundations.get(settings.home_foundation) if settings.home in settings.clusters else None
    if workspace is None or not settings.metrics.workspace_rules or home is None:
        return
    region, owner = workspace.split(":")[3:5]
    if (owner, region) != (home.account, home.region):
        yield Mistake(
            "metrics.workspace_rules",
            f"is on, but the home cluster is in {home.region} of {home.account}, and "
            f"metrics.destination.remote_write.workspace in {region} of {owner}: turn it off, and put there "
            "what `moka dashboards --to` writes",
        )
