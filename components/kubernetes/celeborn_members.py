"""Pods of Celeborn: what masters and workers have in common, and in what they differ."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pulumi
import pulumi_kubernetes as k8s

from components.kubernetes.celeborn_disks import UID, Disks
from components.kubernetes.checksum import CHECKSUM, checksum
from components.kubernetes.placement import (
    PLATFORM_PRIORITY,
    node_selector,
    one_a_node,
    tolerations,
)
from moka.celeborn import configuration as conf
from moka.machines.node_roles import Role

START = (
    'for host in $MASTERS; do until getent hosts "$host" >/dev/null; do sleep 2; done; done; '
    "exec /opt/celeborn/sbin/start-$ROLE.sh"
)
"""A master looks its peers up once, as it starts: their names must be there."""

READY: Mapping[str, str] = {
    # Of a group without a leader, or when it is asked to join, a master names a leader without an address.
    "master": """/api/v1/masters | tr -d '[:space:]' | grep -Eq '"leader":[{][^}]*"address":"[^"]+"'""",
    "worker": """/api/v1/workers | tr -d '[:space:]' | grep -q '"isRegistered":true'""",
}
"""What shows that a master is one of a group with a leader, and that the masters know a worker: a restart of
all, one after the other, waits for it, and so does who drains nodes."""

UNTOUCHED = {"cluster-autoscaler.kubernetes.io/safe-to-evict": "false"}
"""Annotation of pods whose node the autoscaler must leave alone."""


@dataclass(frozen=True, kw_only=True)
class Group:
    """Masters, or workers, whatever their zone.

    role: `master` or `worker`; their Service and PodDisruptionBudget are `celeborn-<role>`.
    placed_on: role of their nodes.
    namespace, image: where they are, and of what.
    masters: how many there are; pods wait for their names.
    files: of the configuration folder. A change of them replaces the pods.
    environment: variables besides those that every pod has.
    cpus, memory_gib: what a pod gets.
    ports: by name; one is `http`.
    grace: seconds that a pod has to stop, once it is told to.
    drains: a pod that goes for good finds that out, and waits until its data is no longer needed.
    """

    role: str
    placed_on: Role
    namespace: pulumi.Output[str]
    image: str
    masters: int
    files: pulumi.Output[dict[str, str]]
    environment: Mapping[str, str]
    cpus: int
    memory_gib: int
    ports: Mapping[str, int]
    disks: Disks
    grace: int
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
    """Gives each pod a name of its own."""
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
    """Lets one go at a time; one that is not ready holds nobody up."""
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
    called: str,
    replicas: int,
    zone: str | None,
    spread: Sequence[k8s.core.v1.TopologySpreadConstraintArgs],
    service_account: pulumi.Input[str] | None,
    opts: pulumi.ResourceOptions,
) -> k8s.apps.v1.StatefulSet:
    """Pods of a group, counted from 0.

    name: the logical one, an identity. called: the one in Kubernetes, first part of the pods' names.
    zone: where all of them are, if that is fixed.
    service_account: theirs, if they ask Kubernetes anything.
    """
    labels = {**group.labels, **({"moka.dev/zone": zone} if zone else {})}
    in_zone = {"topology.kubernetes.io/zone": zone} if zone else {}
    return k8s.apps.v1.StatefulSet(
        name,
        metadata=_metadata(called, group),
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
                    node_selector={**node_selector(group.placed_on), **in_zone},
                    tolerations=tolerations(group.placed_on),
                    affinity=one_a_node(group.labels),
                    topology_spread_constraints=list(spread),
                    priority_class_name=PLATFORM_PRIORITY,
                    termination_grace_period_seconds=group.grace,
                    service_account_name=service_account,
                    automount_service_account_token=service_account is not None,
                    security_context=k8s.core.v1.PodSecurityContextArgs(
                        run_as_user=UID,
                        run_as_group=UID,
                        run_as_non_root=True,
                        fs_group=UID,
                        fs_group_change_policy="OnRootMismatch",
                        seccomp_profile=k8s.core.v1.SeccompProfileArgs(type="RuntimeDefault"),
                    ),
                    init_containers=[_own(group)] if group.disks.owned_by_root else [],
                    containers=[_container(group, called, zone)],
                    volumes=[
                        k8s.core.v1.VolumeArgs(
                            name="conf",
                            # Scripts are in it, that are run.
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


def _container(group: Group, called: str, zone: str | None) -> k8s.core.v1.ContainerArgs:
    memory = {"memory": f"{group.memory_gib}Gi"}
    ready = f"curl -sf --max-time 5 http://$CELEBORN_LOCAL_HOSTNAME:$HTTP_PORT{READY[group.role]}"
    leave = k8s.core.v1.LifecycleHandlerArgs(
        exec_=k8s.core.v1.ExecActionArgs(command=["/bin/bash", f"{conf.FOLDER}/{conf.LEAVE}"])
    )
    return k8s.core.v1.ContainerArgs(
        name="celeborn",
        image=group.image,
        # As arguments: the image's entrypoint, tini, passes signals on.
        args=["/bin/bash", "-c", START],
        env=_environment(group, called, zone),
        ports=[
            k8s.core.v1.ContainerPortArgs(name=key, container_port=port) for key, port in group.ports.items()
        ],
        readiness_probe=k8s.core.v1.ProbeArgs(
            exec_=k8s.core.v1.ExecActionArgs(command=["/bin/bash", "-c", ready]),
            period_seconds=10,
            timeout_seconds=6,
        ),
        liveness_probe=k8s.core.v1.ProbeArgs(
            http_get=k8s.core.v1.HTTPGetActionArgs(path="/ping", port="http"),
            initial_delay_seconds=60,
            period_seconds=30,
            timeout_seconds=10,
        ),
        lifecycle=k8s.core.v1.LifecycleArgs(pre_stop=leave) if group.drains else None,
        resources=k8s.core.v1.ResourceRequirementsArgs(
            requests={"cpu": str(group.cpus), **memory}, limits=memory
        ),
        security_context=k8s.core.v1.SecurityContextArgs(
            allow_privilege_escalation=False,
            capabilities=k8s.core.v1.CapabilitiesArgs(drop=["ALL"]),
        ),
        volume_mounts=[
            k8s.core.v1.VolumeMountArgs(name="conf", mount_path=conf.FOLDER),
            *group.disks.mounts,
        ],
    )


def _environment(group: Group, called: str, zone: str | None) -> list[k8s.core.v1.EnvVarArgs]:
    """Variables of a pod, each after those that it is made of."""
    itself = k8s.core.v1.ObjectFieldSelectorArgs(field_path="metadata.name")
    fixed = {
        "ROLE": group.role,
        "HTTP_PORT": str(group.ports["http"]),
        "STATEFUL_SET": called,
        "CELEBORN_NO_DAEMONIZE": "true",
        "TZ": "UTC",
        **({"ZONE": zone} if zone else {}),
        **group.environment,
    }
    known_later = {
        "NAMESPACE": group.namespace,
        "CELEBORN_LOCAL_HOSTNAME": group.namespace.apply(
            lambda where: f"$(POD_NAME).{group.name}.{where}.svc.cluster.local"
        ),
        "MASTERS": group.namespace.apply(lambda where: " ".join(conf.master_hosts(where, group.masters))),
    }
    return [
        k8s.core.v1.EnvVarArgs(name="POD_NAME", value_from=k8s.core.v1.EnvVarSourceArgs(field_ref=itself)),
        *[k8s.core.v1.EnvVarArgs(name=key, value=value) for key, value in fixed.items()],
        *[k8s.core.v1.EnvVarArgs(name=key, value=value) for key, value in known_later.items()],
    ]


def _own(group: Group) -> k8s.core.v1.ContainerArgs:
    return k8s.core.v1.ContainerArgs(
        name="own",
        image=group.image,
        args=["chown", f"{UID}:{UID}", *[str(mount.mount_path) for mount in group.disks.mounts]],
        security_context=k8s.core.v1.SecurityContextArgs(run_as_user=0, run_as_non_root=False),
        volume_mounts=group.disks.mounts,
    )


def _metadata(called: str, group: Group) -> k8s.meta.v1.ObjectMetaArgs:
    return k8s.meta.v1.ObjectMetaArgs(name=called, namespace=group.namespace, labels=group.labels)
