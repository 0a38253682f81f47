"""Pods of Celeborn: what masters and workers have in common, and in what they differ."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pulumi
import pulumi_kubernetes as k8s

from moka.celeborn import configuration as conf
from moka.components.kubernetes.celeborn_disks import UID, Disks
from moka.components.kubernetes.checksum import CHECKSUM, checksum
from moka.components.kubernetes.placement import PLATFORM_PRIORITY, node_selector, one_a_node, tolerations
from moka.components.kubernetes.security_context import container_security_context, pod_security_context
from moka.machines.node_roles import Role
from moka.names import ZONE_LABEL
from moka.sizes.celeborn import MasterSize, WorkerSize

START = (
    'until getent hosts "$CELEBORN_LOCAL_HOSTNAME" >/dev/null; do sleep 2; done; '
    "exec /opt/celeborn/sbin/start-$ROLE.sh"
)
"""By the address of its name a master knows which of the masters it is, and DNS has it seconds after the pod.
For its peers' names nobody waits: with a zone out, one of them has no address for hours. A master begins with
names that are not there and looks them up with each connection (apache/celeborn v0.7.0: MasterNode.scala and
HARaftServer.java; seen with Ratis: docs/decisions/0017-celeborn.md); a worker asks one master after the other
(MasterClient.java)."""

READY_CHECKS: Mapping[str, str] = {
    # Of a group without a leader, or when it is asked to join, a master names a leader without an address.
    "master": """/api/v1/masters | tr -d '[:space:]' | grep -Eq '"leader":[{][^}]*"address":"[^"]+"'""",
    "worker": """/api/v1/workers | tr -d '[:space:]' | grep -q '"isRegistered":true'""",
}
"""What shows that a master is one of a group with a leader, and that the masters know a worker: a restart of
all, one after the other, waits for it, and so does who drains nodes."""

NOT_EVICTED = {"cluster-autoscaler.kubernetes.io/safe-to-evict": "false"}
"""Annotation of pods whose node the autoscaler must not remove."""


@dataclass(frozen=True, kw_only=True)
class Group:
    """Masters, or workers, whatever their zone.

    role: `master` or `worker`; their Service and PodDisruptionBudget are `celeborn-<role>`.
    node_role: role of their nodes.
    namespace, image: where they are, and of what.
    files: of the configuration folder. A change of them replaces the pods.
    size: what a pod gets, and variables besides those that every pod has.
    ports: by name; one is `http`.
    grace_seconds: that a pod has to stop.
    drains: a pod that is removed for good waits until its data is no longer needed.
    """

    role: str
    node_role: Role
    namespace: pulumi.Output[str]
    image: str
    files: pulumi.Output[dict[str, str]]
    size: MasterSize | WorkerSize
    ports: Mapping[str, int]
    disks: Disks
    grace_seconds: int
    drains: bool = False
    annotations: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Of their Service and PodDisruptionBudget."""
        return f"celeborn-{self.role}"

    @property
    def labels(self) -> dict[str, str]:
        """Of all of them."""
        return {"app.kubernetes.io/name": "celeborn", "app.kubernetes.io/role": self.role}


def service(name: str, group: Group, opts: pulumi.ResourceOptions) -> k8s.core.v1.Service:
    """Headless: it gives each pod a name of its own."""
    return k8s.core.v1.Service(
        name,
        metadata=_metadata(group.name, group),
        spec=k8s.core.v1.ServiceSpecArgs(
            cluster_ip="None",
            selector=group.labels,
            # Members look each other up before they are ready.
            publish_not_ready_addresses=True,
            ports=[
                k8s.core.v1.ServicePortArgs(name=key, port=port, target_port=port)
                for key, port in group.ports.items()
            ],
        ),
        opts=opts,
    )


def disruption_budget(
    name: str, group: Group, opts: pulumi.ResourceOptions
) -> k8s.policy.v1.PodDisruptionBudget:
    """Lets one pod be evicted at a time; one that is not ready holds no other up."""
    return k8s.policy.v1.PodDisruptionBudget(
        name,
        metadata=_metadata(group.name, group),
        spec=k8s.policy.v1.PodDisruptionBudgetSpecArgs(
            max_unavailable=1,
            selector=k8s.meta.v1.LabelSelectorArgs(match_labels=group.labels),
            unhealthy_pod_eviction_policy="AlwaysAllow",
        ),
        opts=opts,
    )


def stateful_set(
    name: str,
    group: Group,
    *,
    set_name: str,
    replicas: int,
    zone: str | None,
    spread: Sequence[k8s.core.v1.TopologySpreadConstraintArgs],
    service_account: pulumi.Input[str] | None,
    opts: pulumi.ResourceOptions,
) -> k8s.apps.v1.StatefulSet:
    """Pods of a group, counted from 0.

    name: the logical one, an identity. set_name: the one in Kubernetes, first part of the pods' names.
    zone: where all of them are, if that is fixed.
    service_account: theirs, if they ask Kubernetes anything.
    """
    labels = {**group.labels, **({"moka.dev/zone": zone} if zone else {})}
    in_zone = {ZONE_LABEL: zone} if zone else {}
    # Its volumes, and what is on them, are found by its name: never rename it.
    return k8s.apps.v1.StatefulSet(
        name,
        metadata=_metadata(set_name, group),
        spec=k8s.apps.v1.StatefulSetSpecArgs(
            service_name=group.name,
            replicas=replicas,
            selector=k8s.meta.v1.LabelSelectorArgs(match_labels=labels),
            # Masters are ready only together, so they must be started together.
            pod_management_policy="Parallel",
            persistent_volume_claim_retention_policy=(
                k8s.apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicyArgs(
                    when_deleted="Delete", when_scaled="Delete"
                )
            ),
            volume_claim_templates=group.disks.claims,
            template=k8s.core.v1.PodTemplateSpecArgs(
                metadata=k8s.meta.v1.ObjectMetaArgs(
                    labels=labels,
                    annotations={
                        CHECKSUM: group.files.apply(checksum),
                        "prometheus.io/scrape": "true",
                        "prometheus.io/port": str(group.ports["http"]),
                        "prometheus.io/path": "/metrics/prometheus",
                        **group.annotations,
                    },
                ),
                spec=k8s.core.v1.PodSpecArgs(
                    node_selector={**node_selector(group.node_role), **in_zone},
                    tolerations=tolerations(group.node_role),
                    affinity=one_a_node(group.labels),
                    topology_spread_constraints=list(spread),
                    priority_class_name=PLATFORM_PRIORITY,
                    termination_grace_period_seconds=group.grace_seconds,
                    service_account_name=service_account,
                    automount_service_account_token=service_account is not None,
                    security_context=pod_security_context(
                        UID, fs_group=UID, fs_group_change_policy="OnRootMismatch"
                    ),
                    init_containers=[_ownership(group)] if group.disks.owned_by_root else [],
                    containers=[_container(group, set_name, zone)],
                    volumes=[
                        k8s.core.v1.VolumeArgs(
                            name="conf",
                            # It has scripts, which are executed.
                            config_map=k8s.core.v1.ConfigMapVolumeSourceArgs(
                                name="celeborn", default_mode=0o555
                            ),
                        ),
                        *group.disks.volumes,
                    ],
                ),
            ),
        ),
        opts=opts,
    )


def _container(group: Group, set_name: str, zone: str | None) -> k8s.core.v1.ContainerArgs:
    memory = {"memory": f"{group.size.memory_gib}Gi"}
    check = f"curl -sf --max-time 5 http://$CELEBORN_LOCAL_HOSTNAME:$HTTP_PORT{READY_CHECKS[group.role]}"
    leave_hook = k8s.core.v1.LifecycleHandlerArgs(
        exec_=k8s.core.v1.ExecActionArgs(command=["/bin/bash", f"{conf.FOLDER}/{conf.LEAVE_SCRIPT}"])
    )
    return k8s.core.v1.ContainerArgs(
        name="celeborn",
        image=group.image,
        # As arguments: the image's entrypoint, tini, passes signals on.
        args=["/bin/bash", "-c", START],
        env=_environment(group, set_name, zone),
        ports=[
            k8s.core.v1.ContainerPortArgs(name=key, container_port=port) for key, port in group.ports.items()
        ],
        readiness_probe=k8s.core.v1.ProbeArgs(
            exec_=k8s.core.v1.ExecActionArgs(command=["/bin/bash", "-c", check]),
            period_seconds=10,
            timeout_seconds=6,
        ),
        liveness_probe=k8s.core.v1.ProbeArgs(
            http_get=k8s.core.v1.HTTPGetActionArgs(path="/ping", port="http"),
            initial_delay_seconds=60,
            period_seconds=30,
            timeout_seconds=10,
        ),
        lifecycle=k8s.core.v1.LifecycleArgs(pre_stop=leave_hook) if group.drains else None,
        resources=k8s.core.v1.ResourceRequirementsArgs(
            requests={"cpu": str(group.size.cpus), **memory}, limits=memory
        ),
        security_context=container_security_context(),
        volume_mounts=[
            k8s.core.v1.VolumeMountArgs(name="conf", mount_path=conf.FOLDER),
            *group.disks.mounts,
        ],
    )


def _environment(group: Group, set_name: str, zone: str | None) -> list[k8s.core.v1.EnvVarArgs]:
    """Variables of a pod, each after those that it is made of."""
    pod_name = k8s.core.v1.ObjectFieldSelectorArgs(field_path="metadata.name")
    fixed = {
        "ROLE": group.role,
        "HTTP_PORT": str(group.ports["http"]),
        "STATEFUL_SET": set_name,
        "CELEBORN_NO_DAEMONIZE": "true",
        "TZ": "UTC",
        **({"ZONE": zone} if zone else {}),
        **group.size.environment,
    }
    known_later = {
        "NAMESPACE": group.namespace,
        "CELEBORN_LOCAL_HOSTNAME": group.namespace.apply(
            lambda namespace: f"$(POD_NAME).{group.name}.{namespace}.svc.cluster.local"
        ),
    }
    return [
        k8s.core.v1.EnvVarArgs(name="POD_NAME", value_from=k8s.core.v1.EnvVarSourceArgs(field_ref=pod_name)),
        *[k8s.core.v1.EnvVarArgs(name=key, value=value) for key, value in fixed.items()],
        *[k8s.core.v1.EnvVarArgs(name=key, value=value) for key, value in known_later.items()],
    ]


def _ownership(group: Group) -> k8s.core.v1.ContainerArgs:
    return k8s.core.v1.ContainerArgs(
        name="own",
        image=group.image,
        args=["chown", f"{UID}:{UID}", *[str(mount.mount_path) for mount in group.disks.mounts]],
        resources=k8s.core.v1.ResourceRequirementsArgs(
            requests={"cpu": "10m", "memory": "16Mi"}, limits={"memory": "64Mi"}
        ),
        security_context=k8s.core.v1.SecurityContextArgs(run_as_user=0, run_as_non_root=False),
        volume_mounts=group.disks.mounts,
    )


def _metadata(name: str, group: Group) -> k8s.meta.v1.ObjectMetaArgs:
    return k8s.meta.v1.ObjectMetaArgs(name=name, namespace=group.namespace, labels=group.labels)
