"""API servers: within reach of where `up` runs."""

import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

from doctor.account import Place
from doctor.checks.names import cluster
from doctor.finding import Finding, listed, not_checked, ok, problem, warning

PATIENCE = 5.0
"""Seconds to wait for a connection."""


def reachable(place: Place) -> Iterator[Finding]:
    """A cluster that is there is reached from here; of one that is not, what reaching it will take."""
    for name, chosen in place.clusters.items():
        where = f"{place.name}/{name}"
        networks = listed(chosen.public_access) if chosen.public_access else ""
        needed = f"from {networks}, or from inside the VPC" if networks else "from inside the VPC"
        found = cluster(place, place.cluster_name(name))
        if found is None or not found.get("endpoint"):
            yield not_checked(
                where,
                f"The API server is not there yet; it will be reached {needed}.",
                "Run `up` there."
                if networks
                else "Run `up` in the VPC, or where a VPN or peering leads to it.",
            )
            continue
        url = urlsplit(str(found["endpoint"]))
        try:
            with socket.create_connection((url.hostname or "", url.port or 443), timeout=PATIENCE):
                yield ok(where, f"The API server {url.netloc} is reached from here.")
        except socket.gaierror:
            yield warning(
                where,
                f"Nobody here knows the name of the API server {url.netloc}.",
                "Run `up` where DNS answers with addresses of the VPC.",
            )
        except OSError as error:
            yield problem(
                where,
                f"The API server {url.netloc} is not reached from here ({error.strerror or error}); "
                f"it is reached {needed}.",
                "Run `up` there.",
            )
