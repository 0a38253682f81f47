"""The internal network load balancer in front of an ingress controller."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as k8s

from moka.components.kubernetes.load_balancer_controller import LOAD_BALANCER_CLASS
from moka.components.kubernetes.peers import peer
from moka.names import INGRESS_CONTROLLER_LABEL, MONITORING_NAMESPACE

NAME = "ingress"

ANNOTATION = "service.beta.kubernetes.io/aws-load-balancer"
"""Prefix of what makes the load balancer reads (aws-load-balancer-controller v3.5.0,
docs/guide/service/annotations.md)."""

DRAIN_SECONDS = 180
"""For so long open connections to a pod that goes are kept; pods go on serving for 130 s of it and then
end what is open (charts-values/traefik.yaml). AWS asks for that much at the least of a network load balancer
(https://docs.aws.amazon.com/elasticloadbalancing/latest/network/edit-target-group-attributes.html)."""

ROLLOUT_SECONDS = 1800
"""For two pods, one after the other, to be pulled and then found healthy by the load balancer, which takes it
minutes (kubernetes-sigs/aws-load-balancer-controller#1834). An estimate."""

TLS_POLICY = "ELBSecurityPolicy-TLS13-1-2-2021-06"
"""TLS 1.2 and 1.3 (https://docs.aws.amazon.com/elasticloadbalancing/latest/network/describe-ssl-policies.html)."""

READINESS_GATE = {"elbv2.k8s.aws/pod-readiness-gate-inject": "enabled"}
"""Label of the namespace: a new pod counts as ready once the load balancer sends to it, so that a rolling
update does not outrun it (docs/deploy/pod_readiness_gate.md)."""


@dataclass(frozen=True, kw_only=True)
class Backend:
    """An ingress controller as a load balancer sees it.

    name: value of its pods' label.
    http, https: names of its container ports.
    health: protocol, port and path that say whether a pod is to get connections; an ending one says no.
    ports: numbers of all ports that the load balancer connects to.
    metrics: port of its metrics.
    """

    name: str
    http: str
    https: str
    health: tuple[str, int, str]
    ports: tuple[int, ...]
    metrics: int


@dataclass(frozen=True, kw_only=True)
class IngressLoadBalancerArgs:
    """What differs between clusters.

    namespace: of the controller.
    backend: the controller; while another takes its place, the load balancer stays.
    subnet_ids: subnets of the load balancer, one a zone.
    certificate_arns: of ACM, the first for clients that name no host; none for plain HTTP.
    networks: that may connect; all that reach it where there are none.
    """

    namespace: pulumi.Input[str]
    backend: Backend
    subnet_ids: pulumi.Input[Sequence[str]]
    certificate_arns: pulumi.Input[Sequence[str]] | None = None
    networks: Sequence[str] = ()


class IngressLoadBalancer(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:IngressLoadBalancer`.

    Makes: core.v1.Service `ingress`, for which a LoadBalancerController makes a network load balancer within
    the VPC. With certificates TLS ends there, and the controller is spoken to by TLS, too.
    Outputs: `host`, the load balancer's name in DNS.
    """

    host: pulumi.Output[str]

    def __init__(
        self, name: str, args: IngressLoadBalancerArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("moka:kubernetes:IngressLoadBalancer", name, {}, opts)
        backend = args.backend
        service = k8s.core.v1.Service(
            name,
            metadata=k8s.meta.v1.ObjectMetaArgs(
                name=NAME, namespace=args.namespace, annotations=annotations(args)
            ),
            spec=k8s.core.v1.ServiceSpecArgs(
                type="LoadBalancer",
                load_balancer_class=LOAD_BALANCER_CLASS,
                # Straight to the pods.
                allocate_load_balancer_node_ports=False,
                load_balancer_source_ranges=list(args.networks) or None,
                selector={INGRESS_CONTROLLER_LABEL: backend.name},
                ports=[
                    k8s.core.v1.ServicePortArgs(name=name, port=port, target_port=target)
                    for name, port, target in _ports(args)
                ],
            ),
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.host = service.status.apply(_host)
        self.register_outputs({"host": self.host})


def annotations(args: IngressLoadBalancerArgs) -> dict[str, pulumi.Input[str]]:
    """Of the Service: what the load balancer is like."""
    protocol, port, path = args.backend.health
    values: dict[str, pulumi.Input[str]] = {
        "scheme": "internal",
        "nlb-target-type": "ip",
        "subnets": pulumi.Output.from_input(args.subnet_ids).apply(",".join),
        # Two pods for three zones.
        "attributes": "load_balancing.cross_zone.enabled=true",
        # A pod that calls the load balancer and is its own target would hang with its own address.
        "target-group-attributes": "preserve_client_ip.enabled=false,"
        f"deregistration_delay.timeout_seconds={DRAIN_SECONDS},"
        "deregistration_delay.connection_termination.enabled=true",
        "healthcheck-protocol": protocol,
        "healthcheck-port": str(port),
        "healthcheck-path": path,
        "healthcheck-interval": "10",
        "healthcheck-healthy-threshold": "2",
        "healthcheck-unhealthy-threshold": "2",
    }
    if args.certificate_arns is not None:
        values |= {
            "ssl-cert": pulumi.Output.from_input(args.certificate_arns).apply(",".join),
            "ssl-ports": "443",
            "ssl-negotiation-policy": TLS_POLICY,
            "backend-protocol": "ssl",
        }
    return {f"{ANNOTATION}-{key}": value for key, value in values.items()}


def controller_network(
    name: str, namespace: pulumi.Input[str], backend: Backend, opts: pulumi.ResourceOptions
) -> k8s.networking.v1.NetworkPolicy:
    """Who reaches a controller: the load balancer, whose addresses are not known, and collectors."""
    return k8s.networking.v1.NetworkPolicy(
        f"{name}-{backend.name}",
        metadata=k8s.meta.v1.ObjectMetaArgs(name=backend.name, namespace=namespace),
        spec=k8s.networking.v1.NetworkPolicySpecArgs(
            pod_selector=k8s.meta.v1.LabelSelectorArgs(match_labels={INGRESS_CONTROLLER_LABEL: backend.name}),
            policy_types=["Ingress"],
            ingress=[
                k8s.networking.v1.NetworkPolicyIngressRuleArgs(ports=_tcp(backend.ports)),
                k8s.networking.v1.NetworkPolicyIngressRuleArgs(
                    from_=[peer(MONITORING_NAMESPACE)], ports=_tcp([backend.metrics])
                ),
            ],
        ),
        opts=opts,
    )


def _tcp(ports: Sequence[int]) -> list[k8s.networking.v1.NetworkPolicyPortArgs]:
    return [k8s.networking.v1.NetworkPolicyPortArgs(port=port, protocol="TCP") for port in sorted(ports)]


def _ports(args: IngressLoadBalancerArgs) -> list[tuple[str, int, str]]:
    """Name, port and target of each; where there is TLS, the controller only redirects on the plain one."""
    http, https = ("http", 80, args.backend.http), ("https", 443, args.backend.https)
    return [http] if args.certificate_arns is None else [https, http]


def _host(status: k8s.core.v1.outputs.ServiceStatus | None) -> str:
    """The name is there: the Service is not before its load balancer is."""
    addresses = status.load_balancer.ingress if status and status.load_balancer else None
    return (addresses[0].hostname or "") if addresses else ""
