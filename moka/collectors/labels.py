"""Labels that say whose a series is: a few, so that their number is bounded and queries can rely on them.

Statements are of the processor `transform`:
https://github.com/open-telemetry/opentelemetry-collector-contrib/tree/main/processor/transformprocessor
"""

from collections.abc import Mapping, Sequence
from typing import Any

ORIGIN = ("environment", "cluster", "region")
"""Of every series."""

OF_PODS: Mapping[str, str] = {
    "namespace": "k8s.namespace.name",
    "pod": "k8s.pod.name",
    "container": "k8s.container.name",
    "node": "k8s.node.name",
}
"""Label -> attribute that collectors know it by."""

OF_JOBS = ("application", "role", "organization", "project", "tier", "queue")
"""Of what belongs to an application; on pods of jobs only."""

OF_TARGETS = ("service.name", "service.instance.id")
"""Attributes that Prometheus has as `job` and `instance`."""

PROMOTED = (*ORIGIN, *OF_PODS, *OF_JOBS)
"""Attributes of resources that a store has as labels, besides `job` and `instance`."""

QUEUE = (
    'set(attributes["queue"], Concat(["root", attributes["organization"], attributes["project"], '
    'Concat(["tier", attributes["tier"]], "")], ".")) where attributes["tier"] != nil'
)
"""The path of a leaf queue, from the labels of its pods."""


def of_nodes() -> dict[str, Any]:
    """Processor for what is measured on a node; the pods' environment has what ORIGIN names, in capitals."""
    renamed = [
        f'set(attributes["{label}"], attributes["{source}"]) where attributes["{source}"] != nil'
        for label, source in OF_PODS.items()
    ]
    node = 'set(attributes["node"], "${env:K8S_NODE_NAME}") where attributes["node"] == nil'
    return _processor([*renamed, node, QUEUE], (*PROMOTED, *OF_TARGETS))


def of_targets() -> dict[str, Any]:
    """Processor for what is scraped: its series have labels already, some of them of other pods."""
    return _processor([], (*ORIGIN, *OF_TARGETS))


def _processor(statements: Sequence[str], labels: Sequence[str]) -> dict[str, Any]:
    origin = [f'set(attributes["{label}"], "${{env:{label.upper()}}}")' for label in ORIGIN]
    keep = ", ".join(f'"{label}"' for label in labels)
    return {
        "error_mode": "ignore",
        "metric_statements": [
            {"context": "resource", "statements": [*statements, *origin, f"keep_keys(attributes, [{keep}])"]}
        ],
    }
