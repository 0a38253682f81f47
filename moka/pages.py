"""Host names of pages: UIs of drivers, the History Server's, and those of platform services.

It imports only the standard library, so that the image of any service can contain it.
"""

from collections.abc import Sequence

UI_PORT = 4040
"""Port of a driver's UI, which has its metrics, too."""

HISTORY = "history"
"""First label of the History Server's host, which an environment has once; no cluster can be called so."""


ARCHER = "archer"
"""First label of Archer's host, which an environment has once; no cluster can be called so."""

LOGIN, YUNIKORN, CELEBORN = "login", "yunikorn", "celeborn"
"""First labels of a cluster's own pages."""


def page_host(page: str, domain: str) -> str:
    """Host of one of a cluster's own pages, below its domain."""
    return f"{page}.{domain}"


def login_host(domain: str) -> str:
    """Host of a cluster's login, to which its issuer sends browsers back."""
    return page_host(LOGIN, domain)


def cluster_domain(cluster: str, domain: str) -> str:
    """What the hosts of a cluster's pages end with."""
    return f"{cluster}.{domain}"


def cluster_names(
    cluster: str, namespaces: Sequence[str], domain: str, home: Sequence[str] = ()
) -> list[str]:
    """Host names, with wildcards of one label each, that certificates of a cluster's pages are for.

    home: hosts that only the home cluster has.
    """
    below = cluster_domain(cluster, domain)
    return [
        f"*.{below}",
        *home,
        *(f"*.{namespace}.{below}" for namespace in namespaces),
    ]


def history_host(domain: str) -> str:
    """Host of the History Server."""
    return f"{HISTORY}.{domain}"


def archer_host(domain: str) -> str:
    """Host of Archer."""
    return f"{ARCHER}.{domain}"


def ui_host(application: str, namespace: str, domain: str) -> str:
    """Host of an application below its cluster's domain: of its live UI, and then of its history."""
    return f"{application}.{namespace}.{domain}"


def history_path(run: str) -> str:
    """Path of a run in the History Server; `run` is Spark's id of it."""
    return f"/history/{run}"
