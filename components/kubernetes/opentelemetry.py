"""OpenTelemetry collectors: agents on every node and scrapers in shards, which send to a gateway."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pulumi
import pulumi_kubernetes as k8s

from moka.catalog import Catalog, Values, merge_values
from moka.collectors import labels, scrapes
from moka.collectors.sending import (
    Destination,
    Otlp,
    OwnStore,
    edge_exporter,
    gateway_arguments,
    gateway_parts,
    items_for,
)
from moka.components.kubernetes.chart import Chart, ChartArgs
from moka.components.kubernetes.rbac import Right, grant
from moka.components.ordering import after
from moka.sizes.collectors import AGENT_QUEUE_BYTES, SCRAPER_DISK_GIB, SCRAPER_QUEUE_BYTES

AGENT_RELEASE = "opentelemetry-agent"
GATEWAY_RELEASE = "opentelemetry-gateway"
SCRAPER_RELEASE = "opentelemetry-scraper"
UID = 10001
"""User and group of the image."""


@dataclass(frozen=True, kw_only=True)
class OpenTelemetryArgs:
    """What differs between clusters.

    namespace: of scrapers and gateway.
    nodes_namespace: of agents; it must allow privileged pods, for the nodes' folders.
    origin: the values of `moka.collectors.labels.ORIGIN`, on every series.
    job_namespaces: where drivers are.
    storage_class: of the volumes on which scrapers queue.
    shards, gateways: how many scrapers and replicas of the gateway; `moka/sizes/collectors.py` knows for how
    many nodes.
    destination: where the gateway sends to.
    catalog: pins, values and mirror of charts and images.
    """

    catalog: Catalog
    namespace: pulumi.Input[str]
    nodes_namespace: pulumi.Input[str]
    origin: Mapping[str, pulumi.Input[str]]
    job_namespaces: Sequence[str]
    storage_class: pulumi.Input[str]
    shards: int = 2
    gateways: int = 2
    destination: Destination = field(default_factory=OwnStore)


class OpenTelemetry(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:OpenTelemetry`.

    Makes: three Charts, the gateway (a Deployment), the scrapers (a StatefulSet, with a Role for the lease by
    which one of them reads events) and the agents (a DaemonSet).
    Outputs: `namespace`, known only once metrics are read on every node; `endpoint` of the gateway (OTLP over
    gRPC), known once it takes them.
    """

    namespace: pulumi.Output[str]
    endpoint: pulumi.Output[str]

    def __init__(
        self, name: str, args: OpenTelemetryArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("moka:kubernetes:OpenTelemetry", name, {}, opts)
        self._name, self._args = name, args
        child = pulumi.ResourceOptions(parent=self)

        gateway = self._chart("gateway", GATEWAY_RELEASE, args.namespace, gateway_values(args), child)
        self.endpoint = gateway.namespace.apply(lambda namespace: f"{GATEWAY_RELEASE}.{namespace}:4317")
        lease = grant(
            f"{name}-scraper-lease",
            k8s.meta.v1.ObjectMetaArgs(name=SCRAPER_RELEASE, namespace=args.namespace),
            [
                Right("coordination.k8s.io", "leases", ["create"]),
                Right("coordination.k8s.io", "leases", ["get", "update", "patch"], [SCRAPER_RELEASE]),
            ],
            child,
            account=SCRAPER_RELEASE,
            account_namespace=args.namespace,
        )
        scraper = self._chart(
            "scraper",
            SCRAPER_RELEASE,
            args.namespace,
            scraper_values(args, self.endpoint),
            after(child, lease),
        )
        agent = self._chart(
            "agent", AGENT_RELEASE, args.nodes_namespace, agent_values(args, self.endpoint), child
        )

        self.namespace = pulumi.Output.all(scraper.namespace, agent.namespace).apply(
            lambda namespaces: str(namespaces[0])
        )
        self.register_outputs({"namespace": self.namespace, "endpoint": self.endpoint})

    def _chart(
        self,
        role: str,
        release: str,
        namespace: pulumi.Input[str],
        values: Values,
        opts: pulumi.ResourceOptions,
    ) -> Chart:
        args = ChartArgs(
            catalog=self._args.catalog,
            chart="opentelemetry-collector",
            release=release,
            namespace=namespace,
            values=values,
        )
        return Chart(f"{self._name}-{role}", args, opts)


def gateway_values(args: OpenTelemetryArgs) -> Values:
    """What the program adds: how many there are, and where they send to."""
    secret = args.destination.secret if isinstance(args.destination, Otlp) else None
    login = {"name": "AUTHORIZATION", "valueFrom": {"secretKeyRef": {"name": secret, "key": "authorization"}}}
    arguments = gateway_arguments(args.destination)
    return {
        "replicaCount": args.gateways,
        **({"command": {"extraArgs": arguments}} if arguments else {}),
        **({"extraEnvs": [login]} if secret else {}),
        "alternateConfig": gateway_parts(args.destination),
    }


def scraper_values(args: OpenTelemetryArgs, endpoint: pulumi.Input[str]) -> Values:
    """What the program adds: shards, what they read, and their queues."""
    config = scrapes.scrape_configs(args.shards, args.job_namespaces)
    claim = {
        "metadata": {"name": "queue"},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": args.storage_class,
            "resources": {"requests": {"storage": f"{SCRAPER_DISK_GIB}Gi"}},
        },
    }
    return {
        "replicaCount": args.shards,
        "extraEnvs": _env(args, SCRAPER_RELEASE),
        "statefulset": {"volumeClaimTemplates": [claim]},
        "alternateConfig": merge_values(
            {
                "receivers": {"prometheus": {"config": {"scrape_configs": config}}},
                "processors": {"transform/labels": labels.of_targets()},
            },
            _exporters(args, endpoint, SCRAPER_QUEUE_BYTES),
        ),
    }


def agent_values(args: OpenTelemetryArgs, endpoint: pulumi.Input[str]) -> Values:
    """What the program adds: labels, the queue, and who gives its folder on the node to the collector."""
    owner = {
        "name": "queue",
        "image": args.catalog.image("busybox"),
        "command": ["chown", f"{UID}:{UID}", "/queue"],
        "resources": {"requests": {"cpu": "10m", "memory": "16Mi"}, "limits": {"memory": "64Mi"}},
        # The folder is root's: kubelet makes it so, and nobody else may give it away.
        "securityContext": {
            "runAsUser": 0,
            "runAsNonRoot": False,
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"], "add": ["CHOWN"]},
        },
        "volumeMounts": [{"name": "queue", "mountPath": "/queue"}],
    }
    return {
        "initContainers": [owner],
        "extraEnvs": _env(args, AGENT_RELEASE),
        "alternateConfig": merge_values(
            {"processors": {"transform/labels": labels.of_nodes()}},
            _exporters(args, endpoint, AGENT_QUEUE_BYTES),
        ),
    }


def _exporters(args: OpenTelemetryArgs, endpoint: pulumi.Input[str], queue_bytes: int) -> Values:
    return {"exporters": {"otlp": edge_exporter(endpoint, queue_bytes, items_for(args.destination))}}


def _env(args: OpenTelemetryArgs, release: str) -> list[Values]:
    """Environment of the pods; Helm replaces a list whole, so what the file has comes first."""
    origin = [{"name": label.upper(), "value": args.origin[label]} for label in labels.ORIGIN]
    return [*args.catalog.values[release].get("extraEnvs", []), *origin]
