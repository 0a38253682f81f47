"""A service of ours, and what its ServiceAccount may do."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import pulumi
import pulumi_kubernetes as k8s

from moka.components.kubernetes.checksum import CHECKSUM, checksum
from moka.components.kubernetes.placement import PLATFORM_PRIORITY, node_selector, tolerations
from moka.components.kubernetes.rbac import Right, grant
from moka.components.kubernetes.replicated_pods import (
    GRACE_SECONDS,
    leave_taking,
    over_zones,
    replicated_pods,
)
from moka.components.kubernetes.security_context import container_security_context, pod_security_context
from moka.components.kubernetes.single_pod import single_pod
from moka.components.ordering import after, known_after


@dataclass(frozen=True, kw_only=True)
class ServiceArgs:
    """What differs between services.

    service: its name, `driver-finalizer`; also that of all that it makes.
    image: reference of its image, for every architecture of the system nodes.
    namespace: in which it runs.
    rights: what it may do in its own namespace.
    args: of the program, besides `--listen`.
    files: name -> content, of a ConfigMap of the service's name that is mounted at `/etc/<service>`.
    binary_files: beside those, in base64.
    secret: of that namespace, mounted at `/etc/<service>-secret`; it need not be there yet.
    scratch: a folder `/tmp` in memory; the rest of its disk is read-only. disk: the same on disk, of so much.
    port: of `/healthz` and `/metrics`. more_ports: others that it listens at, by name.
    ready: path that says whether a pod may be asked.
    replicas: pods; more than one only where they do not get into each other's way.
    serves: others reach it, by a Service of its name and port.
    cpu, memory: requests; memory_limit: what it may not exceed. Kubernetes quantities.
    """

    service: str
    image: str
    namespace: pulumi.Input[str]
    rights: Sequence[Right] = ()
    args: Sequence[pulumi.Input[str]] = ()
    files: Mapping[str, pulumi.Input[str]] = field(default_factory=dict)
    binary_files: Mapping[str, pulumi.Input[str]] = field(default_factory=dict)
    secret: str | None = None
    scratch: bool = False
    disk: str | None = None
    port: int = 8080
    more_ports: Mapping[str, int] = field(default_factory=dict)
    ready: str = "/healthz"
    replicas: int = 1
    serves: bool = False
    uid: int = 65532
    cpu: str = "50m"
    memory: str = "128Mi"
    memory_limit: str = "512Mi"


class Service(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:<Service>`, after the service: `moka:kubernetes:DriverFinalizer`.

    Makes: ServiceAccount and Deployment, with the service's name; pods on system nodes, at the level
    `restricted` of the Pod Security Standards, whose metrics are scraped. Where it has rights, a Role and its
    RoleBinding; where it has files, a ConfigMap, of which other pods come where it changes; with several
    replicas, a PodDisruptionBudget; where it serves, a Service.
    Outputs: `namespace` and `service_account`, known only once the service runs.
    """

    namespace: pulumi.Output[str]
    service_account: pulumi.Output[str]

    def __init__(self, name: str, args: ServiceArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        kind = "".join(word.capitalize() for word in args.service.split("-"))
        super().__init__(f"moka:kubernetes:{kind}", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)
        metadata = service_metadata(args.service, args.namespace)

        account = k8s.core.v1.ServiceAccount(name, metadata=metadata, opts=child)
        bindings = [_binding(name, metadata, args, child)] if args.rights else []
        annotations: dict[str, pulumi.Input[str]] = {
            "prometheus.io/scrape": "true",
            "prometheus.io/port": str(args.port),
            "prometheus.io/path": "/metrics",
        }
        before: list[pulumi.Resource] = [account, *bindings]
        if files := {**args.files, **args.binary_files}:
            before.append(
                k8s.core.v1.ConfigMap(
                    name,
                    metadata=metadata,
                    data=args.files or None,
                    binary_data=args.binary_files or None,
                    opts=child,
                )
            )
            annotations[CHECKSUM] = pulumi.Output.all(**files).apply(checksum)
        # There is no lease, so there must not be two unless they say that they may.
        several = args.replicas > 1
        make = partial(replicated_pods, replicas=args.replicas) if several else single_pod
        deployment = make(name, metadata, annotations, _pod(args), after(child, *before))
        served = [_service(name, metadata, args, child)] if args.serves else []
        self.namespace = known_after(args.namespace, deployment.id, *[service.id for service in served])
        self.service_account = known_after(args.service, self.namespace)
        self.register_outputs({"namespace": self.namespace, "service_account": self.service_account})


def service_metadata(service: str, namespace: pulumi.Input[str]) -> k8s.meta.v1.ObjectMetaArgs:
    """Name, namespace and labels of what a service has."""
    return k8s.meta.v1.ObjectMetaArgs(name=service, namespace=namespace, labels=service_labels(service))


def service_labels(service: str) -> dict[str, str]:
    """Labels of what a service has, and of its pods."""
    return {"app.kubernetes.io/name": service}


def _binding(
    name: str, metadata: k8s.meta.v1.ObjectMetaArgs, args: ServiceArgs, opts: pulumi.ResourceOptions
) -> k8s.rbac.v1.RoleBinding:
    return grant(name, metadata, args.rights, opts, account=args.service, account_namespace=args.namespace)


def _service(
    name: str, metadata: k8s.meta.v1.ObjectMetaArgs, args: ServiceArgs, opts: pulumi.ResourceOptions
) -> k8s.core.v1.Service:
    return k8s.core.v1.Service(
        name,
        metadata=metadata,
        spec=k8s.core.v1.ServiceSpecArgs(
            selector=metadata.labels,
            ports=[
                k8s.core.v1.ServicePortArgs(name=port, port=number, target_port=port)
                for port, number in _ports(args).items()
            ],
        ),
        opts=opts,
    )


def _ports(args: ServiceArgs) -> dict[str, int]:
    return {"http": args.port, **args.more_ports}


def _pod(args: ServiceArgs) -> k8s.core.v1.PodSpecArgs:
    health, ready = (
        k8s.core.v1.HTTPGetActionArgs(path=path, port="http") for path in ("/healthz", args.ready)
    )
    volumes = _volumes(args)
    return k8s.core.v1.PodSpecArgs(
        service_account_name=args.service,
        node_selector=node_selector("system"),
        tolerations=tolerations("system"),
        priority_class_name=PLATFORM_PRIORITY,
        security_context=pod_security_context(args.uid),
        topology_spread_constraints=over_zones(service_labels(args.service)) if args.replicas > 1 else None,
        termination_grace_period_seconds=GRACE_SECONDS if args.serves else None,
        containers=[
            k8s.core.v1.ContainerArgs(
                name=args.service,
                image=args.image,
                args=[f"--listen=0.0.0.0:{args.port}", *args.args],
                ports=[
                    k8s.core.v1.ContainerPortArgs(name=port, container_port=number)
                    for port, number in _ports(args).items()
                ],
                readiness_probe=k8s.core.v1.ProbeArgs(http_get=ready, period_seconds=5),
                liveness_probe=k8s.core.v1.ProbeArgs(
                    http_get=health, initial_delay_seconds=30, period_seconds=30, timeout_seconds=10
                ),
                resources=k8s.core.v1.ResourceRequirementsArgs(
                    requests={"cpu": args.cpu, "memory": args.memory}, limits={"memory": args.memory_limit}
                ),
                lifecycle=leave_taking() if args.serves else None,
                security_context=container_security_context(read_only=True),
                volume_mounts=[
                    k8s.core.v1.VolumeMountArgs(
                        name=volume.name, mount_path=path, read_only=volume.empty_dir is None or None
                    )
                    for path, volume in volumes.items()
                ]
                or None,
            )
        ],
        volumes=list(volumes.values()) or None,
    )


def _volumes(args: ServiceArgs) -> dict[str, k8s.core.v1.VolumeArgs]:
    """Where something is mounted, and what."""
    volumes = {}
    if args.files or args.binary_files:
        volumes[folder(args.service)] = k8s.core.v1.VolumeArgs(
            name="files", config_map=k8s.core.v1.ConfigMapVolumeSourceArgs(name=args.service)
        )
    if args.secret:
        volumes[secret_folder(args.service)] = k8s.core.v1.VolumeArgs(
            name="secret", secret=k8s.core.v1.SecretVolumeSourceArgs(secret_name=args.secret)
        )
    if args.scratch:
        volumes["/tmp"] = k8s.core.v1.VolumeArgs(
            name="scratch",
            empty_dir=k8s.core.v1.EmptyDirVolumeSourceArgs(medium="Memory", size_limit="16Mi"),
        )
    if args.disk is not None:
        volumes["/tmp"] = k8s.core.v1.VolumeArgs(
            name="scratch", empty_dir=k8s.core.v1.EmptyDirVolumeSourceArgs(size_limit=args.disk)
        )
    return volumes


def folder(service: str) -> str:
    """Where a service finds its files."""
    return f"/etc/{service}"


def secret_folder(service: str) -> str:
    """Where a service finds what its secret has."""
    return f"/etc/{service}-secret"
