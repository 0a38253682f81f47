"""How many series there are at once: what a store has to bear, and what an application may add to it.

Which are kept is in `moka/collectors/scrapes.py` and charts-values/opentelemetry-agent.yaml. A driver with
its sidecar was counted with the real programs (tests/soak/metrics/test_series.py).
"""

DRIVER = 28
"""Of its own page."""

EXECUTORS = 13
"""Of the page with a row for each executor, added up."""

SIDECAR = 6
TARGETS = 3
"""`up` of those three pages."""

OBJECT = 4
"""What kube-state-metrics says of its SparkApplication."""

CONTAINER = 3
"""What the kubelet says of a container: processors, memory, disk."""

NODE = 120
"""What an agent and kube-state-metrics say of a machine."""


def of_application(executors: int) -> int:
    """Of a running application, whose driver's pod has two containers."""
    return DRIVER + EXECUTORS + SIDECAR + TARGETS + OBJECT + CONTAINER * (2 + executors)
