"""How many collectors there are, and for how long what they cannot send waits."""

from math import ceil

NODES_A_SCRAPER = 1000
NODES_A_GATEWAY = 500

POINT_BYTES = 150
"""Of a point in a queue, as protobuf with its attributes; an estimate, on the high side, as points
of one resource share its attributes."""

AGENT_QUEUE_BYTES = 256 * 2**20
SCRAPER_QUEUE_BYTES = 8 * 2**30
SCRAPER_DISK_GIB = 20
"""A file of bbolt grows to more than what is in it (compaction needs a second one beside it)."""


NODE_SERIES = 120
"""What an agent reads of the machine itself, at most (moka/observability/series.py counts them)."""

CONTAINER_SERIES = 3


def scrapers(nodes: int) -> int:
    """Shards of the scrapers, for a cluster of so many nodes at most; two, so that one can be away."""
    return max(2, ceil(nodes / NODES_A_SCRAPER))


def gateways(nodes: int) -> int:
    """Replicas of the gateway."""
    return max(2, ceil(nodes / NODES_A_GATEWAY))


def agent_outage_hours(pods: int, containers_a_pod: int = 2) -> float:
    """Hours for which an agent keeps what it reads, once a minute, of a node with so many pods."""
    points_a_minute = NODE_SERIES + pods * containers_a_pod * CONTAINER_SERIES
    return AGENT_QUEUE_BYTES / (points_a_minute * POINT_BYTES) / 60


def scraper_outage_hours(series: int, seconds: int = 30) -> float:
    """Hours for which a scraper keeps what it reads of so many series, each read every so many seconds."""
    return SCRAPER_QUEUE_BYTES / (series / seconds * POINT_BYTES) / 3600
