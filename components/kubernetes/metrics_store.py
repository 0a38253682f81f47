"""A Prometheus that takes what the collectors send, for clusters whose metrics go nowhere else."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import pulumi
import pulumi_kubernetes as k8s
import yaml

from moka.catalog import Catalog
from moka.collectors.labels import PROMOTED
from moka.components.kubernetes.checksum import CHECKSUM, checksum
from moka.components.kubernetes.placement import PLATFORM_PRIORITY, node_selector, tolerations
from moka.components.kubernetes.rollouts import with_time_for
from moka.components.kubernetes.security_context import container_security_context, pod_security_context
from moka.components.ordering import known_after

NAME = "prometheus"
PORT = 9090
UID = 65534

GRACE_SECONDS = 300
"""To write down what it has in memory."""

STARTUP_SECONDS, STARTUP_TRIES = 10, 60
"""Reading the log of the last hours again takes minutes."""

DISK_SHARE = 0.85
"""Of the disk for blocks; the rest is for the log of what is not in one yet, and for compaction."""


@dataclass(frozen=True, kw_only=True)
class MetricsStoreArgs:
    """What differs between clusters.

    storage_class: of its volume.
    days, disk_gib: what is kept: so long, or so much, whichever is less.
    memory_gib: what it may take; some 8 KiB a series that is active.
    rules: files of Prometheus' rules, by name: it evaluates them.
    origin: the values of `moka.collectors.labels.ORIGIN`, on the series of its own.
    catalog: pins, values and mirror of charts and images.
    namespace: in which it is; it exists.
    """

    catalog: Catalog
    namespace: pulumi.Input[str]
    storage_class: pulumi.Input[str]
    days: int = 15
    disk_gib: int = 100
    memory_gib: int = 8
    rules: dict[str, str] | None = None
    origin: Mapping[str, str] = field(default_factory=dict)


class MetricsStore(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:MetricsStore`.

    Makes: ConfigMap, StatefulSet of one pod with a volume, Service and NetworkPolicy, all called
    `prometheus`.
    Outputs: `url`, within the cluster, known only once it takes metrics.
    """

    url: pulumi.Output[str]

    def __init__(self, name: str, args: MetricsStoreArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("moka:kubernetes:MetricsStore", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)
        labels = {"app.kubernetes.io/name": NAME}
        metadata = k8s.meta.v1.ObjectMetaArgs(name=NAME, namespace=args.namespace, labels=labels)

        files = {"prometheus.yml": configuration(args.origin), **(args.rules or {})}
        k8s.core.v1.ConfigMap(name, metadata=metadata, data=files, opts=child)
        service = k8s.core.v1.Service(
            name,
            metadata=metadata,
            spec=k8s.core.v1.ServiceSpecArgs(
                selector=labels,
                ports=[k8s.core.v1.ServicePortArgs(name="http", port=PORT, target_port="http")],
            ),
            opts=child,
        )
        k8s.networking.v1.NetworkPolicy(
            name,
            metadata=metadata,
            spec=k8s.networking.v1.NetworkPolicySpecArgs(
                pod_selector=k8s.meta.v1.LabelSelectorArgs(match_labels=labels),
                policy_types=["Ingress"],
                # The gateway and Grafana are beside it.
                ingress=[
                    k8s.networking.v1.NetworkPolicyIngressRuleArgs(
                        from_=[
                            k8s.networking.v1.NetworkPolicyPeerArgs(
                                pod_selector=k8s.meta.v1.LabelSelectorArgs()
                            )
                        ],
                        ports=[k8s.networking.v1.NetworkPolicyPortArgs(port=PORT, protocol="TCP")],
                    )
                ],
            ),
            opts=child,
        )
        # Its volumes are found by its name: never rename it.
        stateful_set = k8s.apps.v1.StatefulSet(
            name,
            metadata=metadata,
            spec=k8s.apps.v1.StatefulSetSpecArgs(
                replicas=1,
                service_name=NAME,
                selector=k8s.meta.v1.LabelSelectorArgs(match_labels=labels),
                template=k8s.core.v1.PodTemplateSpecArgs(
                    metadata=k8s.meta.v1.ObjectMetaArgs(
                        labels=labels, annotations={CHECKSUM: checksum(files)}
                    ),
                    spec=_pod(args),
                ),
                volume_claim_templates=[_claim(args)],
            ),
            opts=with_time_for(
                child, 1, grace_seconds=GRACE_SECONDS, start_seconds=STARTUP_SECONDS * STARTUP_TRIES
            ),
        )

        url = pulumi.Output.concat(f"http://{NAME}.", args.namespace, f":{PORT}")
        self.url = known_after(url, stateful_set.id, service.id)
        self.register_outputs({"url": self.url})


def configuration(origin: Mapping[str, str]) -> str:
    """The text of `prometheus.yml`: it scrapes itself only, as collectors bring the rest.

    origin: labels of what it scrapes.
    """
    target_group = {"targets": [f"localhost:{PORT}"], "labels": dict(origin)}
    return yaml.safe_dump(
        {
            "global": {"scrape_interval": "30s", "evaluation_interval": "30s"},
            "otlp": {
                "promote_resource_attributes": list(PROMOTED),
                # A metric that was scraped is called here as its program calls it.
                "translation_strategy": "UnderscoreEscapingWithoutSuffixes",
            },
            # What is sent again after a connection broke.
            "storage": {"tsdb": {"out_of_order_time_window": "10m"}},
            "rule_files": ["*.rules.yaml"],
            "scrape_configs": [{"job_name": NAME, "static_configs": [target_group]}],
        },
        sort_keys=False,
    )


def arguments(args: MetricsStoreArgs) -> list[str]:
    """Of the program."""
    return [
        "--config.file=/etc/prometheus/prometheus.yml",
        "--storage.tsdb.path=/data",
        f"--storage.tsdb.retention.time={args.days}d",
        f"--storage.tsdb.retention.size={int(args.disk_gib * DISK_SHARE)}GB",
        "--web.enable-otlp-receiver",
    ]


def _claim(args: MetricsStoreArgs) -> k8s.core.v1.PersistentVolumeClaimArgs:
    return k8s.core.v1.PersistentVolumeClaimArgs(
        metadata=k8s.meta.v1.ObjectMetaArgs(name="data"),
        spec=k8s.core.v1.PersistentVolumeClaimSpecArgs(
            access_modes=["ReadWriteOnce"],
            storage_class_name=args.storage_class,
            resources=k8s.core.v1.VolumeResourceRequirementsArgs(requests={"storage": f"{args.disk_gib}Gi"}),
        ),
    )


def _pod(args: MetricsStoreArgs) -> k8s.core.v1.PodSpecArgs:
    ready = k8s.core.v1.HTTPGetActionArgs(path="/-/ready", port="http")
    healthy = k8s.core.v1.HTTPGetActionArgs(path="/-/healthy", port="http")
    return k8s.core.v1.PodSpecArgs(
        automount_service_account_token=False,
        node_selector=node_selector("system"),
        tolerations=tolerations("system"),
        priority_class_name=PLATFORM_PRIORITY,
        termination_grace_period_seconds=GRACE_SECONDS,
        security_context=pod_security_context(UID, fs_group=UID, fs_group_change_policy="OnRootMismatch"),
        containers=[
            k8s.core.v1.ContainerArgs(
                name=NAME,
                image=args.catalog.image("prometheus"),
                args=arguments(args),
                ports=[k8s.core.v1.ContainerPortArgs(name="http", container_port=PORT)],
                startup_probe=k8s.core.v1.ProbeArgs(
                    http_get=ready, period_seconds=STARTUP_SECONDS, failure_threshold=STARTUP_TRIES
                ),
                readiness_probe=k8s.core.v1.ProbeArgs(http_get=ready),
                liveness_probe=k8s.core.v1.ProbeArgs(http_get=healthy),
                resources=k8s.core.v1.ResourceRequirementsArgs(
                    requests={"cpu": "500m", "memory": f"{args.memory_gib}Gi"},
                    limits={"memory": f"{args.memory_gib}Gi"},
                ),
                security_context=container_security_context(read_only=True),
                volume_mounts=[
                    k8s.core.v1.VolumeMountArgs(name="configuration", mount_path="/etc/prometheus"),
                    k8s.core.v1.VolumeMountArgs(name="data", mount_path="/data"),
                ],
            )
        ],
        volumes=[
            k8s.core.v1.VolumeArgs(
                name="configuration", config_map=k8s.core.v1.ConfigMapVolumeSourceArgs(name=NAME)
            )
        ],
    )
