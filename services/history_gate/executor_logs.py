"""Where links of the History Server to logs of executors lead: to the place of these logs in S3."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from moka.log_keys import DRIVER, EXECUTOR, container_prefix

PART = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,252})")
"""A cluster, a namespace, an application id, a pod."""


@dataclass(frozen=True, kw_only=True)
class ClusterLogs:
    """Logs of a cluster's jobs. folder: its own in their bucket. url: of a page, with `{prefix}` of keys."""

    folder: str
    url: str


def cluster_logs(arguments: Sequence[str]) -> dict[str, ClusterLogs]:
    """By name of the cluster in the settings, of `<cluster>=<folder>=<URL with {prefix}>`.

    Raises ValueError for what is not of that form.
    """
    by_cluster = {}
    for argument in arguments:
        parts = argument.split("=", 2)
        if len(parts) != 3 or "{prefix}" not in parts[2]:
            raise ValueError(f"{argument!r} is no <cluster>=<folder>=<URL with {{prefix}}>: write all three")
        by_cluster[parts[0]] = ClusterLogs(folder=parts[1], url=parts[2])
    return by_cluster


def page_of(logs: Mapping[str, ClusterLogs], path: str) -> str | None:
    """The page of `<cluster>/<namespace>/<application id>/<role>[/<pod>]`; None where that leads nowhere."""
    cluster, *parts = path.strip("/").split("/")
    if cluster not in logs or len(parts) not in (3, 4) or not all(map(PART.fullmatch, parts)):
        return None
    namespace, application, role, *pod = parts
    if role not in (DRIVER, EXECUTOR):
        return None
    prefix = container_prefix(logs[cluster].folder, namespace, application, role, *pod)
    return logs[cluster].url.replace("{prefix}", quote(prefix, safe="/"))
