"""The logs of a cluster's control plane, as EKS has them in requests and answers."""

from collections.abc import Mapping
from typing import Any

LOG_TYPES = ("api", "audit", "authenticator", "controllerManager", "scheduler")


def enabled_logs(cluster: Mapping[str, Any]) -> list[str]:
    """Types of the logs that are on."""
    setups = (cluster.get("logging") or {}).get("clusterLogging", ())
    return [type for setup in setups if setup.get("enabled") for type in setup.get("types", ())]


def cluster_logging(enabled: set[str]) -> dict[str, Any]:
    """The member `logging`, with the types that are on and those that are off.

    One that EKS does not have stays, for EKS to refuse.
    """
    types = (*LOG_TYPES, *sorted(enabled.difference(LOG_TYPES)))
    setups = [
        {"types": [type for type in types if (type in enabled) == on], "enabled": on} for on in (True, False)
    ]
    return {"clusterLogging": [setup for setup in setups if setup["types"]]}
