"""Metrics of a service, for Prometheus."""

from collections.abc import Callable, Sequence

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics

disable_created_metrics()  # type: ignore[no-untyped-call]


class Metrics:
    """The metrics of a service, all named `moka_<service>_<name>`."""

    def __init__(self, service: str) -> None:
        self.registry = CollectorRegistry()
        self._prefix = f"moka_{service}"

    def counter(self, name: str, description: str, labels: Sequence[str] = ()) -> Counter:
        """A count since the start, exposed as `<name>_total`; one for all values of `labels`."""
        return Counter(name, description, labels, namespace=self._prefix, registry=self.registry)

    def gauge(self, name: str, description: str, value: Callable[[], float]) -> None:
        """A value that is computed whenever the metrics are read."""
        Gauge(name, description, namespace=self._prefix, registry=self.registry).set_function(value)

    def labelled_gauge(self, name: str, description: str, labels: Sequence[str]) -> Gauge:
        """A value for all values of `labels`, that is set when it is known."""
        return Gauge(name, description, labels, namespace=self._prefix, registry=self.registry)

    def histogram(self, name: str, description: str, buckets: Sequence[float]) -> Histogram:
        """How many values since the start were at most as large as each of `buckets`."""
        return Histogram(name, description, namespace=self._prefix, buckets=buckets, registry=self.registry)
