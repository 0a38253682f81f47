"""The gateway to live UIs of drivers, the History Server and pages of the platform, by host name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as k8s

from moka.components.kubernetes import gateway_login
from moka.components.kubernetes.gateway_egress import way_out
from moka.components.kubernetes.gateway_login import GatewayLogin
from moka.components.kubernetes.peers import peer
from moka.components.kubernetes.rbac import Right, grant
from moka.components.kubernetes.service import Service, ServiceArgs, service_labels, service_metadata
from moka.components.kubernetes.service_ingress import service_ingress
from moka.components.ordering import known_after
from moka.names import INGRESS_CONTROLLER_LABEL, INGRESS_NAMESPACE, MONITORING_NAMESPACE, UI_GATEWAY
from moka.pages import login_host

PORT = 8080
REPLICAS = 2

JOB_NAMESPACE_RIGHTS = (
    Right("", "pods", ("get", "list", "watch")),
    Right("sparkoperator.k8s.io", "sparkapplications", ("get",)),
)


@dataclass(frozen=True, kw_only=True)
class UiGatewayArgs:
    """What differs between clusters.

    image: reference of the service's image, for every architecture of the system nodes.
    namespace: of the service and of its Ingress.
    cluster: name in EKS, under which its links are.
    domain: `<application>.<job namespace>.<domain>` is the host of an application.
    job_namespaces: those whose drivers it leads to, once it has its Role there.
    pages: `<host>[/path]` -> URL of the server that answers there, within the cluster.
    history_url, history_days: of the History Server, as people reach it; how long event logs are kept.
    scheme: that people use.
    bucket, region: of event logs, with links from applications to their runs.
    ingress_class: of its Ingress.
    login: before all pages; None shows them to everybody who reaches them.
    """

    image: str
    namespace: pulumi.Input[str]
    cluster: str
    domain: str
    job_namespaces: Sequence[str]
    pages: Mapping[str, str]
    history_url: str
    history_days: int
    scheme: str
    bucket: pulumi.Input[str]
    region: str
    ingress_class: pulumi.Input[str]
    login: GatewayLogin | None = None


class UiGateway(Service):
    """Pulumi type `moka:kubernetes:UiGateway`: the Service `ui-gateway`.

    Makes, besides what every Service does, an Ingress with a wildcard host for each job namespace and the
    host of each page, and NetworkPolicies: the ingress controller reaches it, and collectors of metrics; it
    reaches what it leads to, and what it asks.
    """

    def __init__(self, name: str, args: UiGatewayArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        service = ServiceArgs(
            service=UI_GATEWAY,
            image=args.image,
            namespace=args.namespace,
            args=arguments(args),
            port=PORT,
            ready="/ready",
            replicas=REPLICAS,
            serves=True,
            # A hundred requests a second of 2.3 ms, and 2,000 drivers in 97 MiB (docs/benchmarks.md).
            cpu="250m",
            memory="192Mi",
        )
        super().__init__(name, service, opts)
        child = pulumi.ResourceOptions(parent=self)
        metadata = service_metadata(UI_GATEWAY, args.namespace)
        k8s.networking.v1.NetworkPolicy(name, metadata=metadata, spec=way_in(), opts=child)
        k8s.networking.v1.NetworkPolicy(
            f"{name}-egress",
            metadata=k8s.meta.v1.ObjectMetaArgs(
                name=f"{UI_GATEWAY}-egress", namespace=args.namespace, labels=service_labels(UI_GATEWAY)
            ),
            spec=way_out(args.job_namespaces, args.pages, args.login.issuer_port if args.login else None),
            opts=child,
        )
        service_ingress(name, metadata, args.ingress_class, hosts(args), child)


@dataclass(frozen=True, kw_only=True)
class UiGatewayRoleArgs:
    """Where the gateway finds drivers.

    job_namespace: with the drivers.
    namespace: of the gateway.
    """

    job_namespace: pulumi.Input[str]
    namespace: pulumi.Input[str]


class UiGatewayRole(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:UiGatewayRole`.

    Makes: Role and RoleBinding `ui-gateway` in a job namespace, for the service's ServiceAccount.
    Outputs: `job_namespace`, known only once drivers are found there.
    """

    job_namespace: pulumi.Output[str]

    def __init__(
        self, name: str, args: UiGatewayRoleArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("moka:kubernetes:UiGatewayRole", name, {}, opts)
        binding = grant(
            f"{name}-{UI_GATEWAY}",
            service_metadata(UI_GATEWAY, args.job_namespace),
            JOB_NAMESPACE_RIGHTS,
            pulumi.ResourceOptions(parent=self, deleted_with=opts.deleted_with if opts else None),
            account=UI_GATEWAY,
            account_namespace=args.namespace,
        )
        self.job_namespace = known_after(args.job_namespace, binding.id)
        self.register_outputs({"job_namespace": self.job_namespace})


def arguments(args: UiGatewayArgs) -> list[pulumi.Input[str]]:
    """Of the program."""
    return [
        f"--cluster={args.cluster}",
        f"--domain={args.domain}",
        f"--scheme={args.scheme}",
        f"--history={args.history_url}",
        f"--history-days={args.history_days}",
        pulumi.Output.concat("--bucket=", args.bucket),
        f"--region={args.region}",
        *(f"--namespace={namespace}" for namespace in sorted(args.job_namespaces)),
        *(f"--page={place}={url}" for place, url in sorted(args.pages.items())),
        *(gateway_login.arguments(args.login) if args.login else ()),
    ]


def hosts(args: UiGatewayArgs) -> list[str]:
    """Of the Ingress. A wildcard is one label: it needs no other object for another application."""
    pages = {place.partition("/")[0] for place in args.pages}
    login = {login_host(args.domain)} if args.login else set()
    return sorted(login | pages | {f"*.{namespace}.{args.domain}" for namespace in args.job_namespaces})


def way_in() -> k8s.networking.v1.NetworkPolicySpecArgs:
    """Who reaches the gateway: it trusts what the ingress controller says of a client."""
    return k8s.networking.v1.NetworkPolicySpecArgs(
        pod_selector=k8s.meta.v1.LabelSelectorArgs(match_labels=service_labels(UI_GATEWAY)),
        policy_types=["Ingress"],
        ingress=[
            k8s.networking.v1.NetworkPolicyIngressRuleArgs(
                from_=[
                    peer(INGRESS_NAMESPACE, labelled=INGRESS_CONTROLLER_LABEL),
                    peer(MONITORING_NAMESPACE),
                ],
                ports=[k8s.networking.v1.NetworkPolicyPortArgs(port=PORT, protocol="TCP")],
            )
        ],
    )
