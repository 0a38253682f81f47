"""Layer ingress: the way in to UIs, by host name, and what previews may read."""

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi

from components.kubernetes import load_balancer_controller
from components.kubernetes.ingress_nginx import IngressNginx, IngressNginxArgs
from components.kubernetes.load_balancer_controller import LoadBalancerController, LoadBalancerControllerArgs
from components.kubernetes.namespace import Namespace, NamespaceArgs
from components.kubernetes.preview_access import PreviewAccess
from moka.names import (
    INGRESS_NAMESPACE,
    LOAD_BALANCER_ACCOUNT,
    LOAD_BALANCER_IDENTITY,
    LOAD_BALANCER_NAMESPACE,
)
from stacks.layers import foundation
from stacks.site import ClusterSite


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """What differs between clusters.

    vpc_id, subnets: network of the load balancer; zone -> subnet id.
    previews: CI previews the environment.
    """

    vpc_id: pulumi.Input[str]
    subnets: pulumi.Input[Mapping[str, str]]
    previews: bool


@dataclass(frozen=True, kw_only=True)
class Outputs:
    """ingress_class: class for the Ingresses of UIs, known once it is served."""

    ingress_class: pulumi.Input[str]


def inputs(site: ClusterSite) -> Inputs:
    """What the layer needs on a cluster."""
    base = site.outputs("foundation", foundation.Outputs)
    return Inputs(vpc_id=base.vpc_id, subnets=base.private_subnets, previews=site.settings.ci is not None)


def deploy(site: ClusterSite, inputs: Inputs) -> Outputs:
    """Make the ingress controller, what gives it its internal load balancer, and the rights of previews."""
    if inputs.previews:
        PreviewAccess(f"{site.name}-previews", site.opts)
    balancing = Namespace(
        f"{site.name}-load-balancing", NamespaceArgs(name=LOAD_BALANCER_NAMESPACE), site.opts
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
    namespace = Namespace(f"{site.name}-ingress", NamespaceArgs(name=INGRESS_NAMESPACE), after)
    subnets = pulumi.Output.from_input(inputs.subnets)
    controller = IngressNginx(
        f"{site.name}-ingress",
        IngressNginxArgs(
            catalog=site.catalog,
            namespace=namespace.name,
            subnet_ids=subnets.apply(lambda by_zone: [by_zone[zone] for zone in sorted(by_zone)]),
        ),
        after,
    )
    return Outputs(ingress_class=controller.ingress_class)
