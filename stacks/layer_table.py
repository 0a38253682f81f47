"""The layers of an environment, a row each: the program, slices, waves, settings and docs follow from it.

A layer is a module of its name in `stacks/layers/`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import AfterValidator, WithJsonSchema

Scope = Literal["foundation", "cluster", "environment"]
"""What there is one of a layer for; that of the environment stands on the home cluster."""

HOME = "home"
"""Among what a layer reads: the foundation below the home cluster."""


@dataclass(frozen=True, kw_only=True)
class Layer:
    """A layer.

    scope: there is one for each of these.
    reads: layers whose outputs it is given, those of its own cluster and the foundation below that; and HOME.
    when: section of a cluster's settings, or of the environment's where the layer is the environment's,
        without which there is no such layer.
    keeps: what it makes goes along to another home cluster of the foundation, and is not made anew there.
    makes: what docs/layers.md says of it.
    """

    name: str
    scope: Scope
    reads: tuple[str, ...] = ()
    when: str | None = None
    keeps: bool = False
    makes: str

    @property
    def on_cluster(self) -> bool:
        """Whether it is deployed with the cluster's Kubernetes provider."""
        return "cluster" in self.reads


# In an order in which each comes after those that it reads: it is the order of registration, too.
LAYERS: Mapping[str, Layer] = {
    layer.name: layer
    for layer in (
        Layer(
            name="foundation",
            scope="foundation",
            makes="VPC over three zones with subnets for nodes, pods and load balancers, endpoints, flow "
            "logs (or an existing VPC); KMS key; buckets for logs, staging, code, access logs and (at home) "
            "event logs and resource usage; ECR repositories",
        ),
        Layer(
            name="cluster",
            scope="cluster",
            reads=("foundation",),
            makes="EKS control plane with its logs, access entries, add-ons, node groups of both "
            "architectures",
        ),
        Layer(
            name="scheduling",
            scope="cluster",
            reads=("cluster", HOME),
            makes="YuniKorn, its queues and what keeps them, priority classes; the record of what was used; "
            "Cluster Autoscaler where groups may change their size; NVIDIA's device plugin where there are "
            "GPUs",
        ),
        Layer(
            name="shuffle",
            scope="cluster",
            reads=("cluster",),
            when="shuffle",
            makes="Celeborn masters and workers, in one zone or with a set of workers for each",
        ),
        Layer(
            name="ingress",
            scope="cluster",
            reads=("cluster", "foundation", HOME),
            makes="AWS Load Balancer Controller; the ingress controller behind an internal load balancer, "
            "with certificates and DNS records; the gateway to live UIs and the History Server; with CI, "
            "what previews may read",
        ),
        Layer(
            name="database",
            scope="environment",
            reads=("cluster", HOME),
            when="database",
            keeps=True,
            makes="PostgreSQL of the platform's services on Aurora: encrypted, reached by the home cluster's "
            "pods only, entered by IAM, with backups and instances in several zones",
        ),
        Layer(
            name="archer",
            scope="environment",
            reads=("cluster", HOME, "ingress", "database"),
            when="archer",
            makes="Archer: the service that takes jobs, with a host of its own; workers that submit them to "
            "all clusters; the keeper of its database; the service that makes plans of what was used",
        ),
        Layer(
            name="spark",
            scope="cluster",
            reads=("cluster", "foundation", "shuffle", "archer", HOME),
            makes="releases of the Spark Operator, job namespaces with their service account, identity, "
            "bounds and network policies, the controller that keeps drivers until they have been read",
        ),
        Layer(
            name="logs",
            scope="cluster",
            reads=("cluster", "foundation", HOME),
            makes="Fluent Bit to S3, logs of jobs by application, apart from all others; summaries of "
            "applications by YuniKorn at home",
        ),
        Layer(
            name="metrics",
            scope="cluster",
            reads=("cluster",),
            makes="kube-state-metrics; OpenTelemetry collectors on each node, in shards for the cluster, and "
            "before where metrics go; a Prometheus where they go nowhere else; dashboards, and a Grafana "
            "where it is asked for",
        ),
        Layer(
            name="history",
            scope="environment",
            reads=("cluster", HOME),
            makes="Spark History Server, with a list of jobs on volumes of its own",
        ),
    )
}


def check(rows: Iterable[Layer]) -> None:
    """Raise ValueError for a row that reads what does not come before it, or that has no cluster to be on."""
    before = {HOME}
    for row in rows:
        if unknown := [source for source in row.reads if source not in before]:
            raise ValueError(
                f"stacks/layer_table.py: {row.name} reads {', '.join(unknown)}, and no row before it is "
                "called so: correct the name, or move the row"
            )
        if row.scope != "foundation" and row.name != "cluster" and not row.on_cluster:
            raise ValueError(
                f"stacks/layer_table.py: {row.name} is on a cluster: add 'cluster' to what it reads, or its "
                "resources go to whichever cluster the kubeconfig at hand names"
            )
        before.add(row.name)


check(LAYERS.values())


FORMER_NAMES: Mapping[str, str] = {"access": "ingress"}
"""Name that a layer had once, and settings may still have -> its name."""


def _layer_name(name: str) -> str:
    if name in FORMER_NAMES:
        raise ValueError(f"layer {name} is called {FORMER_NAMES[name]} now: write {FORMER_NAMES[name]}")
    if name not in LAYERS:
        raise ValueError(f"layers are {', '.join(LAYERS)}")
    return name


LayerName = Annotated[
    str, AfterValidator(_layer_name), WithJsonSchema({"type": "string", "enum": list(LAYERS)})
]
"""The name of a layer, in settings."""
