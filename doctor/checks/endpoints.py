"""API servers: reachable from where `up` runs."""

import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

from doctor.account import Place
from doctor.checks.names import cluster
from doctor.finding import Finding, not_checked, ok, problem, series, warning

TIMEOUT_SECONDS = 5.0
"""For a connection."""


def connections(place: Place) -> Iterator[Finding]:
    """Whether an existing API server is reachable from here, and from where a new one will be."""
    for name, settings in place.clusters.items():
        where = f"{place.name}/{name}"
        networks = series(settings.public_access) if settings.public_access else ""
        access = f"from {networks}, or from inside the VPC" if networks else "from inside the VPC"
        eks_cluster = cluster(place, place.cluster_name(name))
        if eks_cluster is None or not eks_cluster.get("endpoint"):
            yield not_checked(
                where,
                f"The API server does not exist yet; it will be reachable {access}.",
                "Run `up` there."
                if networks
                else "Run `up` in the VPC, or where a VPN or peering leads to it.",
            )
            continue
        url = urlsplit(str(eks_cluster["endpoint"]))
        try:
            with socket.create_connection((url.hostname or "", url.port or 443), timeout=TIMEOUT_SECONDS):
                yield ok(where, f"The API server {url.netloc} is reachable from here.")
        except socket.gaierror:
            yield warning(
                where,
                f"The name of the API server {url.netloc} cannot be resolved here.",
                "Run `up` where DNS answers with addresses of the VPC.",
            )
        except OSError as error:
            yield problem(
                where,
                f"The API server {url.netloc} is not reachable from here ({error.strerror or error}); "
                f"it is reachable {access}.",
                "Run `up` there.",
            )
