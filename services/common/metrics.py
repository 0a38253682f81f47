"""Metrics of a service, for Prometheus."""

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, disable_created_metrics

disable_created_metrics()  # type: ignore[no-untyped-call]


class Metrics:
    """The metrics of a service, all named `moka_<service>_<name>`."""

    def __init__(self, service: str) -> None:
        self.registry = CollectorRegistry()
        self._prefix = f"moka_{service}"

    def counter(self, name: str, description: str) -> Counter:
        """A count since the start, exposed as `<name>_total`."""
        return Counter(name, description, namespace=self._prefix, registry=self.registry)

    def gauge(self, name: str, description: str, value: Callable[[], float]) -> None:
        """A value that is computed whenever the metrics are read."""
        Gauge(name, description, namespace=self._prefix, registry=self.registry).set_function(value)
