"""The Spark History Server: the UI of jobs that have ended, from their event logs in S3."""

from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as k8s

from moka.components.kubernetes.checksum import CHECKSUM, checksum
from moka.components.kubernetes.history_configuration import spark_defaults
from moka.components.kubernetes.placement import PLATFORM_PRIORITY, node_selector, tolerations
from moka.components.kubernetes.rollouts import with_time_for
from moka.components.kubernetes.security_context import container_security_context, pod_security_context
from moka.components.ordering import after, known_after
from moka.names import HISTORY_GATE, HISTORY_PORT, HISTORY_SERVER, ZONE_LABEL
from moka.sizes.history import HistorySize

UID = 185
"""The user of Spark's images."""

CONF_FOLDER = "/opt/spark/conf"
STORE_FOLDER = "/var/lib/history"
LABELS = {"app.kubernetes.io/name": HISTORY_SERVER}

GRACE_SECONDS = 60
"""To close its store: otherwise the list is read anew."""

STARTUP_SECONDS, STARTUP_TRIES = 5, 24

LOST_NODE_SECONDS = 30
"""After them, pods of a node that no longer answers are started elsewhere; Kubernetes' own are 300."""


@dataclass(frozen=True, kw_only=True)
class HistoryServerArgs:
    """What differs between environments.

    image: reference of its image, with S3A, for every architecture of the system nodes.
    bucket, region: where the event logs are, under the prefixes of `moka.event_logs`.
    storage_class: of the replicas' volumes.
    size: what each replica gets.
    replicas: each reads everything and has a list of its own.
    interval_seconds: from the end of a scan to the next.
    namespace: in which it is; it exists.
    """

    image: str
    namespace: pulumi.Input[str]
    bucket: pulumi.Input[str]
    region: str
    storage_class: pulumi.Input[str]
    size: HistorySize
    replicas: int = 1
    interval_seconds: int = 300


class HistoryServer(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:HistoryServer`.

    Makes: ServiceAccount, ConfigMap, headless Service, NetworkPolicy, PodDisruptionBudget and StatefulSet,
    all called `history-server`. Only the gate's pods, in the same namespace, may connect to it.
    Outputs: `namespace`, known only once it serves.
    """

    namespace: pulumi.Output[str]

    def __init__(
        self, name: str, args: HistoryServerArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("moka:kubernetes:HistoryServer", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)
        metadata = k8s.meta.v1.ObjectMetaArgs(name=HISTORY_SERVER, namespace=args.namespace, labels=LABELS)

        # Its token is of no use: it asks Kubernetes nothing.
        account = k8s.core.v1.ServiceAccount(
            name, metadata=metadata, automount_service_account_token=False, opts=child
        )
        files = pulumi.Output.from_input(args.bucket).apply(
            lambda bucket: {
                "spark-defaults.conf": spark_defaults(
                    bucket=bucket,
                    region=args.region,
                    store_folder=STORE_FOLDER,
                    size=args.size,
                    interval_seconds=args.interval_seconds,
                )
            }
        )
        configuration = k8s.core.v1.ConfigMap(name, metadata=metadata, data=files, opts=child)
        service = k8s.core.v1.Service(name, metadata=metadata, spec=_service(), opts=child)
        policy = k8s.networking.v1.NetworkPolicy(name, metadata=metadata, spec=_network_policy(), opts=child)
        k8s.policy.v1.PodDisruptionBudget(
            name,
            metadata=metadata,
            spec=k8s.policy.v1.PodDisruptionBudgetSpecArgs(
                max_unavailable=1,
                selector=k8s.meta.v1.LabelSelectorArgs(match_labels=LABELS),
                unhealthy_pod_eviction_policy="AlwaysAllow",
            ),
            opts=child,
        )
        # Its volumes are found by its name: never rename it.
        stateful_set = k8s.apps.v1.StatefulSet(
            name,
            metadata=metadata,
            spec=_stateful_set(args, files),
            opts=after(
                with_time_for(
                    child,
                    args.replicas,
                    grace_seconds=GRACE_SECONDS,
                    start_seconds=STARTUP_SECONDS * STARTUP_TRIES,
                ),
                account,
                configuration,
                service,
                policy,
            ),
        )

        self.namespace = known_after(args.namespace, stateful_set.id)
        self.register_outputs({"namespace": self.namespace})


def _service() -> k8s.core.v1.ServiceSpecArgs:
    """Headless: whoever asks chooses the pod, so that an application is read by one of them only."""
    return k8s.core.v1.ServiceSpecArgs(
        cluster_ip="None",
        selector=LABELS,
        ports=[k8s.core.v1.ServicePortArgs(name="http", port=HISTORY_PORT, target_port="http")],
    )


def _network_policy() -> k8s.networking.v1.NetworkPolicySpecArgs:
    """Event logs have data of jobs, and the server asks nobody who he is."""
    gate = k8s.networking.v1.NetworkPolicyPeerArgs(
        pod_selector=k8s.meta.v1.LabelSelectorArgs(match_labels={"app.kubernetes.io/name": HISTORY_GATE})
    )
    return k8s.networking.v1.NetworkPolicySpecArgs(
        pod_selector=k8s.meta.v1.LabelSelectorArgs(match_labels=LABELS),
        policy_types=["Ingress"],
        ingress=[
            k8s.networking.v1.NetworkPolicyIngressRuleArgs(
                from_=[gate],
                ports=[k8s.networking.v1.NetworkPolicyPortArgs(port=HISTORY_PORT, protocol="TCP")],
            )
        ],
    )


def _stateful_set(
    args: HistoryServerArgs, files: pulumi.Output[dict[str, str]]
) -> k8s.apps.v1.StatefulSetSpecArgs:
    return k8s.apps.v1.StatefulSetSpecArgs(
        service_name=HISTORY_SERVER,
        replicas=args.replicas,
        selector=k8s.meta.v1.LabelSelectorArgs(match_labels=LABELS),
        # They know nothing of each other.
        pod_management_policy="Parallel",
        # All on a volume can be read from S3 again.
        persistent_volume_claim_retention_policy=(
            k8s.apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicyArgs(
                when_deleted="Delete", when_scaled="Delete"
            )
        ),
        volume_claim_templates=[_claim(args)],
        template=k8s.core.v1.PodTemplateSpecArgs(
            metadata=k8s.meta.v1.ObjectMetaArgs(labels=LABELS, annotations={CHECKSUM: files.apply(checksum)}),
            spec=_pod(args),
        ),
    )


def _claim(args: HistoryServerArgs) -> k8s.core.v1.PersistentVolumeClaimArgs:
    return k8s.core.v1.PersistentVolumeClaimArgs(
        metadata=k8s.meta.v1.ObjectMetaArgs(name="store"),
        spec=k8s.core.v1.PersistentVolumeClaimSpecArgs(
            access_modes=["ReadWriteOnce"],
            storage_class_name=args.storage_class,
            resources=k8s.core.v1.VolumeResourceRequirementsArgs(
                requests={"storage": f"{args.size.store_gib}Gi"}
            ),
        ),
    )


def _pod(args: HistoryServerArgs) -> k8s.core.v1.PodSpecArgs:
    return k8s.core.v1.PodSpecArgs(
        service_account_name=HISTORY_SERVER,
        automount_service_account_token=False,
        enable_service_links=False,
        node_selector=node_selector("system"),
        tolerations=[
            *tolerations("system"),
            *(_until_moved(state) for state in ("not-ready", "unreachable")),
        ],
        priority_class_name=PLATFORM_PRIORITY,
        topology_spread_constraints=[
            k8s.core.v1.TopologySpreadConstraintArgs(
                max_skew=1,
                topology_key=ZONE_LABEL,
                # Two in one zone are better than one.
                when_unsatisfiable="ScheduleAnyway",
                label_selector=k8s.meta.v1.LabelSelectorArgs(match_labels=LABELS),
            )
        ],
        termination_grace_period_seconds=GRACE_SECONDS,
        security_context=pod_security_context(UID, fs_group=UID, fs_group_change_policy="OnRootMismatch"),
        containers=[_container(args)],
        volumes=[
            k8s.core.v1.VolumeArgs(
                name="conf", config_map=k8s.core.v1.ConfigMapVolumeSourceArgs(name=HISTORY_SERVER)
            ),
            # Libraries of RocksDB and zstd are unpacked there.
            k8s.core.v1.VolumeArgs(
                name="tmp", empty_dir=k8s.core.v1.EmptyDirVolumeSourceArgs(size_limit="2Gi")
            ),
        ],
    )


def _until_moved(state: str) -> k8s.core.v1.TolerationArgs:
    return k8s.core.v1.TolerationArgs(
        key=f"node.kubernetes.io/{state}",
        operator="Exists",
        effect="NoExecute",
        toleration_seconds=LOST_NODE_SECONDS,
    )


def _container(args: HistoryServerArgs) -> k8s.core.v1.ContainerArgs:
    memory = {"memory": f"{args.size.memory_gib}Gi"}
    # Not the page at /, which walks the list.
    health = k8s.core.v1.HTTPGetActionArgs(path="/api/v1/version", port="http")
    return k8s.core.v1.ContainerArgs(
        name=HISTORY_SERVER,
        image=args.image,
        env=[k8s.core.v1.EnvVarArgs(name=key, value=value) for key, value in args.size.environment.items()],
        ports=[k8s.core.v1.ContainerPortArgs(name="http", container_port=HISTORY_PORT)],
        startup_probe=k8s.core.v1.ProbeArgs(
            http_get=health, period_seconds=STARTUP_SECONDS, failure_threshold=STARTUP_TRIES
        ),
        readiness_probe=k8s.core.v1.ProbeArgs(http_get=health, period_seconds=10, timeout_seconds=5),
        liveness_probe=k8s.core.v1.ProbeArgs(
            http_get=health, period_seconds=30, timeout_seconds=10, failure_threshold=5
        ),
        resources=k8s.core.v1.ResourceRequirementsArgs(
            requests={"cpu": args.size.cpu, "ephemeral-storage": "2Gi", **memory},
            limits={"ephemeral-storage": "4Gi", **memory},
        ),
        security_context=container_security_context(read_only=True),
        volume_mounts=[
            k8s.core.v1.VolumeMountArgs(name="conf", mount_path=CONF_FOLDER),
            k8s.core.v1.VolumeMountArgs(name="store", mount_path=STORE_FOLDER),
            k8s.core.v1.VolumeMountArgs(name="tmp", mount_path="/tmp"),
        ],
    )
