"""Celeborn: keeps the shuffle data of jobs that ask for it, apart from their executors."""

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as k8s

from components.kubernetes import celeborn_conf as conf
from components.kubernetes.catalog import Catalog
from components.kubernetes.checksum import CHECKSUM, checksum
from components.kubernetes.placement import (
    PLATFORM_PRIORITY,
    Role,
    node_selector,
    one_a_node,
    over_zones,
    tolerations,
)

UID = 10006
"""User and group of the image."""

START = (
    'for host in $MASTERS; do until getent hosts "$host" >/dev/null; do sleep 2; done; done; '
    "exec /opt/celeborn/sbin/start-$ROLE.sh"
)
"""A master looks its peers up once, as it starts: their names must be there."""


@dataclass(frozen=True, kw_only=True)
class Volumes:
    """EBS volumes of a worker's own, which follow it to another node.

    storage_class: of the volumes.
    count, gib: how many, and the size of each.
    """

    storage_class: pulumi.Input[str]
    count: int = 4
    gib: int = 1000


@dataclass(frozen=True, kw_only=True)
class NodeFolder:
    """A folder on a node's instance storage: faster, and lost with the node, so that clients must replicate.

    path: on the node. Its namespace must allow privileged pods.
    gib: how much of it a worker may take.
    """

    gib: int
    path: str = "/mnt/k8s-disks/0/celeborn"


@dataclass(frozen=True, kw_only=True)
class CelebornArgs:
    """What differs between clusters. The sizes are for workers on machines of 16 cores and 128 GiB.

    storage_class: of the masters' volumes, on which they keep what they agreed on.
    disks: where workers keep data; a change of kind or size replaces the workers.
    masters: an odd number, over zones; a change needs care, they vote.
    workers: one a node, on nodes with role shuffle.
    master_cpu, worker_cpu: cores, as Kubernetes quantities.
    master_heap_gib, worker_heap_gib, worker_off_heap_gib: memory of the JVMs.
    """

    catalog: Catalog
    namespace: pulumi.Input[str]
    storage_class: pulumi.Input[str]
    disks: Volumes | NodeFolder
    masters: int = conf.MASTERS
    master_cpu: str = "1"
    master_heap_gib: int = 3
    workers: int = 3
    worker_cpu: str = str(conf.WORKER_CPUS)
    worker_heap_gib: int = 24
    worker_off_heap_gib: int = 72


@dataclass(frozen=True, kw_only=True)
class _Disks:
    """How a pod mounts its disks, whatever they are made of."""

    mounts: list[k8s.core.v1.VolumeMountArgs]
    claims: list[k8s.core.v1.PersistentVolumeClaimArgs]
    volumes: list[k8s.core.v1.VolumeArgs]
    owned_by_root: bool = False


class Celeborn(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:Celeborn`.

    Makes: ConfigMap `celeborn`; for `celeborn-master` and `celeborn-worker` each a headless Service, a
    StatefulSet and a PodDisruptionBudget that lets one go at a time.
    Outputs: `namespace`, and `endpoints` of the masters as clients name them, known only once masters and
    workers are ready.
    """

    namespace: pulumi.Output[str]
    endpoints: pulumi.Output[str]

    def __init__(self, name: str, args: CelebornArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("moka:kubernetes:Celeborn", name, {}, opts)
        namespace = pulumi.Output.from_input(args.namespace)

        files = namespace.apply(
            lambda where: conf.files(where, args.masters, worker_folders(args.disks), args.disks.gib)
        )
        k8s.core.v1.ConfigMap(
            name,
            metadata=k8s.meta.v1.ObjectMetaArgs(name="celeborn", namespace=namespace),
            data=files,
            opts=pulumi.ResourceOptions(parent=self),
        )
        masters = self._members(
            f"{name}-master",
            role="master",
            placed_on="system",
            args=args,
            files=files,
            replicas=args.masters,
            cpu=args.master_cpu,
            memory_gib=args.master_heap_gib + 1,
            ports={"rpc": conf.MASTER_PORT, "http": conf.MASTER_HTTP_PORT, "ratis": conf.RATIS_PORT},
            memory={"CELEBORN_MASTER_MEMORY": f"{args.master_heap_gib}g"},
            disks=master_disks(args.storage_class),
            grace=60,
        )
        workers = self._members(
            f"{name}-worker",
            role="worker",
            placed_on="shuffle",
            args=args,
            files=files,
            replicas=args.workers,
            cpu=args.worker_cpu,
            # A tenth more for what a JVM takes beside its heap and buffers.
            memory_gib=(args.worker_heap_gib + args.worker_off_heap_gib) * 11 // 10,
            ports={**conf.WORKER_PORTS, "http": conf.WORKER_HTTP_PORT},
            memory={
                "CELEBORN_WORKER_MEMORY": f"{args.worker_heap_gib}g",
                "CELEBORN_WORKER_OFFHEAP_MEMORY": f"{args.worker_off_heap_gib}g",
            },
            disks=worker_disks(args.disks),
            grace=conf.GRACEFUL_SHUTDOWN + 60,
        )

        ready = pulumi.Output.all(namespace, masters.id, workers.id)
        self.namespace = ready.apply(lambda known: str(known[0]))
        self.endpoints = ready.apply(lambda known: conf.endpoints(known[0], args.masters))
        self.register_outputs({"namespace": self.namespace, "endpoints": self.endpoints})

    def _members(
        self,
        name: str,
        *,
        role: str,
        placed_on: Role,
        args: CelebornArgs,
        files: pulumi.Output[dict[str, str]],
        replicas: int,
        cpu: str,
        memory_gib: int,
        ports: Mapping[str, int],
        memory: Mapping[str, str],
        disks: _Disks,
        grace: int,
    ) -> k8s.apps.v1.StatefulSet:
        """Masters or workers: StatefulSet with its headless Service and PodDisruptionBudget."""
        child = pulumi.ResourceOptions(parent=self)
        labels = {"app.kubernetes.io/name": "celeborn", "app.kubernetes.io/role": role}
        selector = k8s.meta.v1.LabelSelectorArgs(match_labels=labels)
        metadata = k8s.meta.v1.ObjectMetaArgs(
            name=f"celeborn-{role}", namespace=args.namespace, labels=labels
        )
        resources = {"memory": f"{memory_gib}Gi"}
        image = args.catalog.image("celeborn")

        service = k8s.core.v1.Service(
            name,
            metadata=metadata,
            spec=k8s.core.v1.ServiceSpecArgs(
                cluster_ip="None",
                selector=labels,
                # Members look each other up before they are ready.
                publish_not_ready_addresses=True,
                ports=[
                    k8s.core.v1.ServicePortArgs(name=key, port=port, target_port=port)
                    for key, port in ports.items()
                ],
            ),
            opts=child,
        )
        k8s.policy.v1.PodDisruptionBudget(
            name,
            metadata=metadata,
            spec=k8s.policy.v1.PodDisruptionBudgetSpecArgs(max_unavailable=1, selector=selector),
            opts=child,
        )
        ping = k8s.core.v1.HTTPGetActionArgs(path="/ping", port="http")
        container = k8s.core.v1.ContainerArgs(
            name="celeborn",
            image=image,
            # As arguments: the image's entrypoint, tini, passes signals on.
            args=["/bin/bash", "-c", START],
            env=[
                k8s.core.v1.EnvVarArgs(name=key, value=value)
                for key, value in {"ROLE": role, "CELEBORN_NO_DAEMONIZE": "true", **memory}.items()
            ]
            + [
                k8s.core.v1.EnvVarArgs(
                    name="MASTERS",
                    value=pulumi.Output.from_input(args.namespace).apply(
                        lambda where: " ".join(conf.master_hosts(where, args.masters))
                    ),
                )
            ],
            ports=[
                k8s.core.v1.ContainerPortArgs(name=key, container_port=port) for key, port in ports.items()
            ],
            readiness_probe=k8s.core.v1.ProbeArgs(http_get=ping, period_seconds=10),
            liveness_probe=k8s.core.v1.ProbeArgs(
                http_get=ping, initial_delay_seconds=60, period_seconds=30, timeout_seconds=10
            ),
            resources=k8s.core.v1.ResourceRequirementsArgs(
                requests={"cpu": cpu, **resources}, limits=resources
            ),
            security_context=k8s.core.v1.SecurityContextArgs(
                allow_privilege_escalation=False,
                capabilities=k8s.core.v1.CapabilitiesArgs(drop=["ALL"]),
            ),
            volume_mounts=[
                k8s.core.v1.VolumeMountArgs(name="conf", mount_path="/opt/celeborn/conf"),
                *disks.mounts,
            ],
        )
        handed_over = k8s.core.v1.ContainerArgs(
            name="own",
            image=image,
            args=["chown", f"{UID}:{UID}", *[str(mount.mount_path) for mount in disks.mounts]],
            security_context=k8s.core.v1.SecurityContextArgs(run_as_user=0, run_as_non_root=False),
            volume_mounts=disks.mounts,
        )
        return k8s.apps.v1.StatefulSet(
            name,
            metadata=metadata,
            spec=k8s.apps.v1.StatefulSetSpecArgs(
                service_name=f"celeborn-{role}",
                replicas=replicas,
                selector=selector,
                # Masters are ready only together, so they must be started together.
                pod_management_policy="Parallel",
                persistent_volume_claim_retention_policy=(
                    k8s.apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicyArgs(
                        when_deleted="Delete", when_scaled="Delete"
                    )
                ),
                volume_claim_templates=disks.claims,
                template=k8s.core.v1.PodTemplateSpecArgs(
                    metadata=k8s.meta.v1.ObjectMetaArgs(
                        labels=labels,
                        annotations={
                            CHECKSUM: files.apply(checksum),
                            "prometheus.io/scrape": "true",
                            "prometheus.io/port": str(ports["http"]),
                            "prometheus.io/path": "/metrics/prometheus",
                        },
                    ),
                    spec=k8s.core.v1.PodSpecArgs(
                        node_selector=node_selector(placed_on),
                        tolerations=tolerations(placed_on),
                        affinity=one_a_node(labels),
                        topology_spread_constraints=over_zones(labels),
                        priority_class_name=PLATFORM_PRIORITY,
                        termination_grace_period_seconds=grace,
                        automount_service_account_token=False,
                        security_context=k8s.core.v1.PodSecurityContextArgs(
                            run_as_user=UID,
                            run_as_group=UID,
                            run_as_non_root=True,
                            fs_group=UID,
                            fs_group_change_policy="OnRootMismatch",
                            seccomp_profile=k8s.core.v1.SeccompProfileArgs(type="RuntimeDefault"),
                        ),
                        init_containers=[handed_over] if disks.owned_by_root else [],
                        containers=[container],
                        volumes=[
                            k8s.core.v1.VolumeArgs(
                                name="conf",
                                config_map=k8s.core.v1.ConfigMapVolumeSourceArgs(name="celeborn"),
                            ),
                            *disks.volumes,
                        ],
                    ),
                ),
            ),
            opts=pulumi.ResourceOptions.merge(child, pulumi.ResourceOptions(depends_on=[service])),
        )


def worker_folders(disks: Volumes | NodeFolder) -> list[str]:
    """Where a worker's disks are mounted."""
    count = disks.count if isinstance(disks, Volumes) else 1
    return [f"/mnt/disk-{n}" for n in range(1, count + 1)]


def worker_disks(disks: Volumes | NodeFolder) -> _Disks:
    """How a worker mounts its disks."""
    named = {path.rpartition("/")[2]: path for path in worker_folders(disks)}
    mounts = [k8s.core.v1.VolumeMountArgs(name=disk, mount_path=path) for disk, path in named.items()]
    if isinstance(disks, Volumes):
        claims = [_claim(disk, disks.storage_class, disks.gib) for disk in named]
        return _Disks(mounts=mounts, claims=claims, volumes=[])
    folder = k8s.core.v1.HostPathVolumeSourceArgs(path=disks.path, type="DirectoryOrCreate")
    volumes = [k8s.core.v1.VolumeArgs(name=disk, host_path=folder) for disk in named]
    return _Disks(mounts=mounts, claims=[], volumes=volumes, owned_by_root=True)


def master_disks(storage_class: pulumi.Input[str]) -> _Disks:
    """How a master mounts the volume with what the masters agreed on."""
    mount = k8s.core.v1.VolumeMountArgs(name="ratis", mount_path=conf.RATIS_FOLDER)
    return _Disks(mounts=[mount], claims=[_claim("ratis", storage_class, 20)], volumes=[])


def _claim(name: str, storage_class: pulumi.Input[str], gib: int) -> k8s.core.v1.PersistentVolumeClaimArgs:
    return k8s.core.v1.PersistentVolumeClaimArgs(
        metadata=k8s.meta.v1.ObjectMetaArgs(name=name),
        spec=k8s.core.v1.PersistentVolumeClaimSpecArgs(
            access_modes=["ReadWriteOnce"],
            storage_class_name=storage_class,
            resources=k8s.core.v1.VolumeResourceRequirementsArgs(requests={"storage": f"{gib}Gi"}),
        ),
    )
