"""Archer: the service that takes jobs, the workers that bring them to clusters, the keeper of its database.

The service is where the ingress controller finds it; the others are in a namespace of their own.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from moka.components.aws import database
from moka.components.kubernetes.egress import anywhere, names, pod_identity
from moka.components.kubernetes.job_network import HTTPS_PORT
from moka.components.kubernetes.peers import peer
from moka.components.kubernetes.service import (
    Service,
    ServiceArgs,
    folder,
    secret_folder,
    service_labels,
    service_metadata,
)
from moka.components.kubernetes.service_ingress import service_ingress
from moka.names import (
    ARCHER,
    ARCHER_KEEPER,
    ARCHER_WORKER,
    INGRESS_CONTROLLER_LABEL,
    INGRESS_NAMESPACE,
    MONITORING_NAMESPACE,
)

PORT = 8080
PROXY_PORT = 8443

SERVER = f"http://{ARCHER}.{INGRESS_NAMESPACE}:{PORT}"
"""Where our own services on the home cluster find it."""

FILE = "archer.json"
"""Its configuration, of `moka.submission.configuration`."""

DATABASE_AUTHORITIES = "/etc/ssl/rds.pem"
"""Certificates that Aurora's come from, in the image."""

CERTIFICATE, KEY, PROXIES = (f"{secret_folder(ARCHER)}/{name}" for name in ("tls.crt", "tls.key", "ca.crt"))
"""What a Secret of TLS has, and the authority of the certificates of proxies."""


@dataclass(frozen=True, kw_only=True)
class ProgramArgs:
    """What the three programs have in common.

    image: reference of the image, for every architecture of the system nodes.
    namespace: of the program.
    configuration: JSON, as `moka.submission.configuration` has it.
    """

    image: str
    namespace: pulumi.Input[str]
    configuration: pulumi.Input[str]


@dataclass(frozen=True, kw_only=True)
class PodSize:
    """How many pods a program has, and how large each is.

    replicas: pods.
    cpu: that each requests, as Kubernetes has it: `500m`.
    memory_mib: MiB that each requests; it may have twice as much.
    """

    replicas: int
    cpu: str
    memory_mib: int


@dataclass(frozen=True, kw_only=True)
class ProxyAccess:
    """Trusted proxies, which say who is logged in to them.

    secret: of the service's namespace, with `tls.crt`, `tls.key` and `ca.crt`, the authority of theirs.
    namespaces: of the home cluster, from which they come.
    """

    secret: str
    namespaces: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class ArcherArgs(ProgramArgs):
    """What differs between environments.

    namespace: that of the ingress controller, which looks into no other.
    size: of its pods.
    host: of its Ingress.
    ingress_class: of its Ingress.
    issuer_port: of the issuer of tokens, if there is one.
    collector_port: of the collector of traces, if there is one.
    proxies: that say who is logged in to them, if there are any.
    callers: services of ours that ask it: name, and namespace.
    """

    size: PodSize
    host: str
    ingress_class: pulumi.Input[str]
    issuer_port: int | None = None
    collector_port: int | None = None
    proxies: ProxyAccess | None = None
    callers: Mapping[str, str] = field(default_factory=dict)


class Archer(Service):
    """Pulumi type `moka:kubernetes:Archer`: the Service `archer`.

    Makes, besides what every Service does, an Ingress with its host, and NetworkPolicies: the ingress
    controller reaches it, collectors of metrics, services of ours, and proxies that have a certificate; it
    reaches the database, STS, the issuer of tokens and the collector of traces.
    """

    def __init__(self, name: str, args: ArcherArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        service = ServiceArgs(
            service=ARCHER,
            image=args.image,
            namespace=args.namespace,
            args=_arguments(ARCHER, "service"),
            files={FILE: args.configuration},
            secret=args.proxies.secret if args.proxies else None,
            port=PORT,
            more_ports={"proxies": PROXY_PORT} if args.proxies else {},
            ready="/readyz",
            serves=True,
            **_size(args.size),
        )
        super().__init__(name, service, opts)
        child = pulumi.ResourceOptions(parent=self)
        metadata = service_metadata(ARCHER, args.namespace)
        others = [(args.proxies.namespaces, PROXY_PORT)] if args.proxies else []
        spec = service_way_in(others, args.callers)
        k8s.networking.v1.NetworkPolicy(name, metadata=metadata, spec=spec, opts=child)
        _way_out(name, ARCHER, args.namespace, [args.issuer_port, args.collector_port], child)
        service_ingress(name, metadata, args.ingress_class, [args.host], child)


@dataclass(frozen=True, kw_only=True)
class ArcherWorkerArgs(ProgramArgs):
    """What differs between environments.

    size: of its pods.
    collector_port: of the collector of traces, if there is one.
    """

    size: PodSize
    collector_port: int | None = None


class ArcherWorker(Service):
    """Pulumi type `moka:kubernetes:ArcherWorker`: the Service `archer-worker`, which serves nobody.

    Makes, besides what every Service does, NetworkPolicies: collectors of metrics reach it; it reaches the
    database, AWS, API servers and the collector of traces.
    """

    def __init__(self, name: str, args: ArcherWorkerArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        worker = ServiceArgs(
            service=ARCHER_WORKER,
            image=args.image,
            namespace=args.namespace,
            args=_arguments(ARCHER_WORKER, "worker"),
            files={FILE: args.configuration},
            # For the certificates of API servers.
            scratch=True,
            port=PORT,
            ready="/readyz",
            **_size(args.size),
        )
        super().__init__(f"{name}-worker", worker, opts)
        child = pulumi.ResourceOptions(parent=self)
        _inner_network(f"{name}-worker", ARCHER_WORKER, args.namespace, [args.collector_port], child)


class ArcherKeeper(Service):
    """Pulumi type `moka:kubernetes:ArcherKeeper`: the Service `archer-keeper`, which serves nobody.

    Makes, besides what every Service does, NetworkPolicies: collectors of metrics reach it; it reaches the
    database and AWS. It is up once the schema is.
    """

    def __init__(self, name: str, args: ProgramArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        keeper = ServiceArgs(
            service=ARCHER_KEEPER,
            image=args.image,
            namespace=args.namespace,
            args=_arguments(ARCHER_KEEPER, "keeper"),
            files={FILE: args.configuration},
            # For a day of history, until it is in S3.
            disk="8Gi",
            port=PORT,
            ready="/readyz",
            memory_limit="1Gi",
        )
        super().__init__(f"{name}-keeper", keeper, opts)
        child = pulumi.ResourceOptions(parent=self)
        _inner_network(f"{name}-keeper", ARCHER_KEEPER, args.namespace, [], child)


def _arguments(service: str, program: str) -> list[pulumi.Input[str]]:
    return [program, f"--configuration={folder(service)}/{FILE}"]


def _size(size: PodSize) -> dict[str, Any]:
    return {
        "replicas": size.replicas,
        "cpu": size.cpu,
        "memory": f"{size.memory_mib}Mi",
        "memory_limit": f"{2 * size.memory_mib}Mi",
    }


def service_way_in(
    others: Iterable[tuple[Sequence[str], int]] = (),
    callers: Mapping[str, str] = MappingProxyType({}),
) -> k8s.networking.v1.NetworkPolicySpecArgs:
    """Who reaches the service.

    others: namespaces, and the port that their pods reach as well.
    callers: services of ours: name, and namespace.
    """
    peers = [
        peer(INGRESS_NAMESPACE, labelled=INGRESS_CONTROLLER_LABEL),
        peer(MONITORING_NAMESPACE),
        *(peer(namespace, service_labels(service)) for service, namespace in callers.items()),
    ]
    return _ingress_policy(
        ARCHER, [(peers, PORT), *(([peer(name) for name in namespaces], port) for namespaces, port in others)]
    )


def _inner_network(
    name: str,
    service: str,
    namespace: pulumi.Input[str],
    ports: Iterable[int | None],
    opts: pulumi.ResourceOptions,
) -> None:
    """The policies of a program that nobody asks."""
    k8s.networking.v1.NetworkPolicy(
        name,
        metadata=service_metadata(service, namespace),
        spec=_ingress_policy(service, [([peer(MONITORING_NAMESPACE)], PORT)]),
        opts=opts,
    )
    _way_out(name, service, namespace, ports, opts)


def _ingress_policy(
    service: str, ways: Iterable[tuple[Sequence[k8s.networking.v1.NetworkPolicyPeerArgs], int]]
) -> k8s.networking.v1.NetworkPolicySpecArgs:
    return k8s.networking.v1.NetworkPolicySpecArgs(
        pod_selector=k8s.meta.v1.LabelSelectorArgs(match_labels=service_labels(service)),
        policy_types=["Ingress"],
        ingress=[
            k8s.networking.v1.NetworkPolicyIngressRuleArgs(
                from_=peers, ports=[k8s.networking.v1.NetworkPolicyPortArgs(port=port, protocol="TCP")]
            )
            for peers, port in ways
        ],
    )


def _way_out(
    name: str,
    service: str,
    namespace: pulumi.Input[str],
    ports: Iterable[int | None],
    opts: pulumi.ResourceOptions,
) -> None:
    """The policy of where a program connects to; addresses of databases and API servers are not known.

    ports: of what only some environments have.
    """
    open_ports = {HTTPS_PORT, database.PORT, *(port for port in ports if port is not None)}
    k8s.networking.v1.NetworkPolicy(
        f"{name}-egress",
        metadata=k8s.meta.v1.ObjectMetaArgs(
            name=f"{service}-egress", namespace=namespace, labels=service_labels(service)
        ),
        spec=k8s.networking.v1.NetworkPolicySpecArgs(
            pod_selector=k8s.meta.v1.LabelSelectorArgs(match_labels=service_labels(service)),
            policy_types=["Egress"],
            egress=[names(), anywhere(open_ports), pod_identity()],
        ),
        opts=opts,
    )
