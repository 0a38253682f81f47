"""Layer ingress: the way in to UIs, by host name, through a gateway of ours, and what previews may read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi

from moka import pages
from moka.components.aws.bucket_access import bucket_statements
from moka.components.aws.certificates import Certificates, CertificatesArgs
from moka.components.aws.host_records import HostRecords, HostRecordsArgs
from moka.components.kubernetes import ingress_nginx, load_balancer_controller, traefik
from moka.components.kubernetes.gateway_login import GatewayLogin, permissions
from moka.components.kubernetes.ingress_load_balancer import (
    READINESS_GATE,
    Backend,
    IngressLoadBalancer,
    IngressLoadBalancerArgs,
)
from moka.components.kubernetes.ingress_nginx import IngressNginx, IngressNginxArgs
from moka.components.kubernetes.load_balancer_controller import (
    LoadBalancerController,
    LoadBalancerControllerArgs,
)
from moka.components.kubernetes.namespace import Namespace, NamespaceArgs
from moka.components.kubernetes.preview_access import PreviewAccess
from moka.components.kubernetes.traefik import Traefik, TraefikArgs
from moka.components.kubernetes.ui_gateway import UiGateway, UiGatewayArgs
from moka.event_logs import LINKS
from moka.names import (
    HISTORY_GATE_SERVER,
    INGRESS_NAMESPACE,
    LOAD_BALANCER_ACCOUNT,
    LOAD_BALANCER_IDENTITY,
    LOAD_BALANCER_NAMESPACE,
    UI_GATEWAY,
    UI_GATEWAY_IDENTITY,
)
from stacks.gateway_login import gateway_login, platform_pages
from stacks.layer_table import HOME
from stacks.layers import foundation
from stacks.settings.foundation import Certificates as CertificateSettings
from stacks.site import ClusterSite

CONTROLLERS = {
    "traefik": (Traefik, TraefikArgs, traefik.BACKEND),
    "ingress-nginx": (IngressNginx, IngressNginxArgs, ingress_nginx.BACKEND),
}
"""Component of each, what it takes, and what the load balancer knows of it."""


@dataclass(frozen=True, kw_only=True)
class Gateway:
    """What differs between gateways to UIs.

    image: of the service. job_namespaces: with the drivers. domain: what their hosts end with.
    pages: `<host>[/path]` -> URL of the server that answers there.
    scheme: that people use.
    history_url, history_days: of the History Server; how long event logs are kept.
    bucket, bucket_arn, key_arn, bucket_region: of event logs, with links to runs.
    login: before all pages; None for none.
    """

    image: str
    job_namespaces: Sequence[str]
    domain: str
    pages: Mapping[str, str]
    scheme: str
    history_url: str
    history_days: int
    bucket: pulumi.Input[str]
    bucket_arn: pulumi.Input[str]
    key_arn: pulumi.Input[str]
    bucket_region: str
    login: GatewayLogin | None = None


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """What differs between clusters.

    vpc_id, subnets: network of the load balancer; zone -> subnet id.
    controller: name of the ingress controller.
    networks: that may connect to the load balancer; all where there are none.
    certificates: settings of those for TLS; None for plain HTTP.
    dns_zone: hosted zone for records of the pages; None for none.
    names: host names of the cluster's own pages, with wildcards of one label.
    home_hosts: those that the environment has once; none but at home.
    previews: CI previews the environment.
    gateway: to UIs; None for none.
    """

    vpc_id: pulumi.Input[str]
    subnets: pulumi.Input[Mapping[str, str]]
    controller: str
    networks: Sequence[str]
    certificates: CertificateSettings | None
    dns_zone: str | None
    names: Sequence[str]
    home_hosts: Sequence[str]
    previews: bool
    gateway: Gateway | None = None


@dataclass(frozen=True, kw_only=True)
class Outputs:
    """ingress_class: class for the Ingresses of pages, known once it is served.

    host: name of the load balancer in DNS.
    """

    ingress_class: pulumi.Input[str]
    host: pulumi.Input[str]


def inputs(site: ClusterSite) -> Inputs:
    """What the layer needs on a cluster."""
    base = site.outputs("foundation", foundation.Outputs)
    settings = site.settings
    return Inputs(
        vpc_id=base.vpc_id,
        subnets=base.private_subnets,
        controller=settings.ingress.controller,
        networks=[str(network) for network in settings.ingress.networks],
        certificates=site.foundation.certificates,
        dns_zone=site.foundation.dns_zone,
        names=pages.cluster_names(site.name, list(settings.job_namespaces), settings.domain),
        home_hosts=settings.home_hosts if site.name == settings.home else [],
        previews=site.settings.ci is not None,
        gateway=_gateway_inputs(site),
    )


def _gateway_inputs(site: ClusterSite) -> Gateway | None:
    settings = site.settings
    home = site.outputs(HOME, foundation.Outputs)
    if settings.services.ui_gateway is None:
        return None
    history = {settings.history_host: HISTORY_GATE_SERVER} if site.name == settings.home else {}
    return Gateway(
        image=settings.services.ui_gateway.image,
        job_namespaces=list(settings.job_namespaces),
        domain=settings.ui_domain(site.name),
        pages={**platform_pages(settings, site.name), **history},
        scheme=settings.ui_scheme,
        history_url=settings.history_url,
        history_days=settings.retention.event_logs,
        bucket=foundation.at_home(home.event_logs_bucket),
        bucket_arn=foundation.at_home(home.event_logs_bucket_arn),
        key_arn=home.key_arn,
        bucket_region=settings.foundations[settings.home_foundation].region,
        login=gateway_login(settings, site.name),
    )


def deploy(site: ClusterSite, inputs: Inputs) -> Outputs:
    """Make the ingress controller, what gives it its internal load balancer, and the rights of previews."""
    if inputs.previews:
        PreviewAccess(f"{site.name}-previews", site.opts)
    balancing = Namespace(
        f"{site.name}-load-balancing",
        NamespaceArgs(name=LOAD_BALANCER_NAMESPACE, pod_security="restricted"),
        site.opts,
    )
    identity = site.allow(
        LOAD_BALANCER_IDENTITY,
        LOAD_BALANCER_NAMESPACE,
        LOAD_BALANCER_ACCOUNT,
        load_balancer_controller.permissions(site.eks_name, inputs.vpc_id, site.region),
    )
    load_balancers = LoadBalancerController(
        f"{site.name}-load-balancing",
        LoadBalancerControllerArgs(
            catalog=site.catalog,
            namespace=balancing.name,
            cluster=site.eks_name,
            vpc_id=inputs.vpc_id,
            region=site.region,
        ),
        # Pods that start before their identity is there run without it.
        site.after(identity),
    )
    # What follows is deleted first: its namespace goes once the controller has deleted the load balancer.
    after = site.after(load_balancers)
    namespace = Namespace(
        # Not `-ingress`: that was the namespace of before, which goes once everything is here.
        f"{site.name}-ingress-pages",
        NamespaceArgs(name=INGRESS_NAMESPACE, pod_security="restricted", labels=READINESS_GATE),
        after,
    )
    kind, args, backend = CONTROLLERS[inputs.controller]
    controller = kind(
        f"{site.name}-ingress",
        args(catalog=site.catalog, namespace=namespace.name, tls=inputs.certificates is not None),
        after,
    )
    if inputs.gateway is not None:
        _deploy_gateway(site, inputs.gateway, namespace, controller)
    host = _deploy_load_balancer(site, inputs, namespace, controller, backend)
    return Outputs(ingress_class=controller.ingress_class, host=host)


def _deploy_load_balancer(
    site: ClusterSite, inputs: Inputs, namespace: Namespace, controller: pulumi.Resource, backend: Backend
) -> pulumi.Output[str]:
    """Make the load balancer with its certificates and records; its name in DNS."""
    subnets = pulumi.Output.from_input(inputs.subnets)
    load_balancer = IngressLoadBalancer(
        f"{site.name}-ingress",
        IngressLoadBalancerArgs(
            namespace=namespace.name,
            backend=backend,
            subnet_ids=subnets.apply(lambda by_zone: [by_zone[zone] for zone in sorted(by_zone)]),
            certificate_arns=_certificate_arns(site, inputs),
            networks=inputs.networks,
        ),
        # It turns to another controller once that serves.
        site.after(controller),
    )
    if inputs.dns_zone:
        HostRecords(
            f"{site.name}-pages",
            HostRecordsArgs(zone_id=inputs.dns_zone, hosts=inputs.names, target=load_balancer.host),
            site.opts,
        )
    if inputs.dns_zone and inputs.home_hosts:
        HostRecords(
            _home_name(site),
            HostRecordsArgs(
                zone_id=inputs.dns_zone,
                hosts=inputs.home_hosts,
                target=load_balancer.host,
                former_names=_former_home_names(site),
            ),
            site.opts,
        )
    return load_balancer.host


def _certificate_arns(site: ClusterSite, inputs: Inputs) -> pulumi.Input[Sequence[str]] | None:
    settings = inputs.certificates
    if settings is None:
        return None
    if settings.public_zone is None:
        return settings.arns
    page_certificates = Certificates(
        f"{site.name}-pages", CertificatesArgs(names=inputs.names, zone_id=settings.public_zone), site.opts
    )
    if not inputs.home_hosts:
        return page_certificates.arns
    home = Certificates(
        _home_name(site),
        CertificatesArgs(
            names=inputs.home_hosts,
            zone_id=settings.public_zone,
            former_names=_former_home_names(site),
        ),
        site.opts,
    )
    return pulumi.Output.all(page_certificates.arns, home.arns).apply(lambda arns: [*arns[0], *arns[1]])


def _home_name(site: ClusterSite) -> str:
    """Of what is about hosts that the environment has once.

    Route 53 has a name once: where another cluster becomes home, its record is to be changed, and not another
    one made before it is deleted.
    """
    return f"{site.settings.home_foundation}-pages"


def _former_home_names(site: ClusterSite) -> list[str]:
    """What it was named in versions before: after the home cluster."""
    return [f"{cluster}-pages" for cluster in site.settings.clusters]


def _deploy_gateway(
    site: ClusterSite, gateway: Gateway, namespace: Namespace, controller: Traefik | IngressNginx
) -> None:
    """Make the gateway, which may put and read links to its own cluster's runs, and its login's secret."""
    cluster = site.settings.eks_name(site.name)
    links = f"{LINKS}{cluster}/"
    identity = site.allow(
        UI_GATEWAY_IDENTITY,
        INGRESS_NAMESPACE,
        UI_GATEWAY,
        [
            *bucket_statements("Links", "read", gateway.bucket_arn, gateway.key_arn, under=links),
            *bucket_statements("NewLinks", "add", gateway.bucket_arn, gateway.key_arn, under=links),
            *(permissions(gateway.login) if gateway.login else ()),
        ],
    )
    UiGateway(
        f"{site.name}-ui-gateway",
        UiGatewayArgs(
            image=gateway.image,
            namespace=namespace.name,
            cluster=cluster,
            domain=gateway.domain,
            job_namespaces=gateway.job_namespaces,
            pages=gateway.pages,
            history_url=gateway.history_url,
            history_days=gateway.history_days,
            scheme=gateway.scheme,
            bucket=gateway.bucket,
            region=gateway.bucket_region,
            ingress_class=controller.ingress_class,
            login=gateway.login,
        ),
        # Pods that start before their identity is there run without it.
        site.after(identity),
    )
