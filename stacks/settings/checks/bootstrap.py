"""What nodes wait for: secrets in plain, and roles that are named twice."""

from collections.abc import Iterator

from moka.mistakes import Mistake
from moka.plain_secrets import is_called_secret
from stacks.settings.checks.names import repeated
from stacks.settings.environment import Environment


def daemon_sets(settings: Environment) -> Iterator[Mistake]:
    """Secrets in their environment, and roles twice."""
    for cluster_name, cluster in settings.clusters.items():
        for name, daemon in cluster.bootstrap.items():
            at = f"clusters.{cluster_name}.bootstrap.{name}"
            yield from repeated(f"{at}.roles", daemon.roles)
            for key, value in daemon.env.items():
                if is_called_secret(key, value):
                    yield Mistake(
                        f"{at}.env.{key}",
                        "is in plain what its name calls a secret; have the program fetch it, with an "
                        "identity of its service account",
                    )
