"""The dashboards, a file each."""

from moka.observability.dashboards import (
    applications,
    archer,
    cluster,
    environment,
    logs,
    metrics,
    queues,
    services,
    shuffle,
    usage,
)

DASHBOARDS = (
    environment.DASHBOARD,
    cluster.DASHBOARD,
    queues.DASHBOARD,
    applications.DASHBOARD,
    shuffle.DASHBOARD,
    logs.DASHBOARD,
    metrics.DASHBOARD,
    services.DASHBOARD,
    archer.DASHBOARD,
    usage.DASHBOARD,
)
