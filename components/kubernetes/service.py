"""A service of ours, and what its ServiceAccount may do."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import pulumi
import pulumi_kubernetes as k8s

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
    port: of `/healthz` and `/metrics`.
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
    port: int = 8080
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
    RoleBinding; with several replicas, a PodDisruptionBudget; where it serves, a Service.
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
        annotations = {
            "prometheus.io/scrape": "true",
            "prometheus.io/port": str(args.port),
            "prometheus.io/path": "/metrics",
        }
        # There is no lease, so there must not be two unless they say that they may.
        several = args.replicas > 1
        make = partial(replicated_pods, replicas=args.replicas) if several else single_pod
        deployment = make(name, metadata, annotations, _pod(args), after(child, account, *bindings))
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
            ports=[k8s.core.v1.ServicePortArgs(name="http", port=args.port, target_port="http")],
        ),
        opts=opts,
    )


def _pod(args: ServiceArgs) -> k8s.core.v1.PodSpecArgs:
    health, ready = (
        k8s.core.v1.HTTPGetActionArgs(path=path, port="http") for path in ("/healthz", args.ready)
    )
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
                ports=[k8s.core.v1.ContainerPortArgs(name="http", container_port=args.port)],
                readiness_probe=k8s.core.v1.ProbeArgs(http_get=ready, period_seconds=5),
                liveness_probe=k8s.core.v1.ProbeArgs(
                    http_get=health, initial_delay_seconds=30, period_seconds=30, timeout_seconds=10
                ),
                resources=k8s.core.v1.ResourceRequirementsArgs(
                    requests={"cpu": args.cpu, "memory": args.memory}, limits={"memory": args.memory_limit}
                ),
                lifecycle=leave_taking() if args.serves else None,
                security_context=container_security_context(read_only=True),
            )
        ],
    )
