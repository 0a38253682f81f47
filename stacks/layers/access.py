"""Layer access: the way in to UIs, by host name."""

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi

from components.kubernetes import load_balancer_controller
from components.kubernetes.ingress_nginx import IngressNginx, IngressNginxArgs
from components.kubernetes.load_balancer_controller import LoadBalancerController, LoadBalancerControllerArgs
from components.kubernetes.namespace import Namespace, NamespaceArgs
from moka import namespaces
from stacks.on_cluster import OnCluster

LOAD_BALANCERS = "aws-load-balancer-controller"


@dataclass(frozen=True, kw_only=True)
class AccessInputs:
    """vpc_id, subnets: network of the load balancer; zone -> subnet id."""

    vpc_id: pulumi.Input[str]
    subnets: pulumi.Input[Mapping[str, str]]


@dataclass(frozen=True, kw_only=True)
class AccessOutputs:
    """ingress_class: class for the Ingresses of UIs, known once it is served."""

    ingress_class: pulumi.Input[str]


def deploy(where: OnCluster, inputs: AccessInputs) -> AccessOutputs:
    """Make the ingress controller, and what gives it its internal load balancer."""
    balancing = Namespace(f"{where.name}-load-balancing", NamespaceArgs(name=LOAD_BALANCERS), where.opts)
    identity = where.allow(
        "load-balancing",
        LOAD_BALANCERS,
        load_balancer_controller.SERVICE_ACCOUNT,
        load_balancer_controller.permissions(where.eks_name, inputs.vpc_id, where.region),
    )
    load_balancers = LoadBalancerController(
        f"{where.name}-load-balancing",
        LoadBalancerControllerArgs(
            catalog=where.catalog,
            namespace=balancing.name,
            cluster=where.eks_name,
            vpc_id=inputs.vpc_id,
            region=where.region,
        ),
        # Pods that start before their identity is there run without it.
        where.after(identity),
    )
    # What follows goes first: the namespace is gone once the load balancer is, and until then there is
    # somebody to remove it.
    after = where.after(load_balancers)
    namespace = Namespace(f"{where.name}-ingress", NamespaceArgs(name=namespaces.INGRESS), after)
    subnets = pulumi.Output.from_input(inputs.subnets)
    controller = IngressNginx(
        f"{where.name}-ingress",
        IngressNginxArgs(
            catalog=where.catalog,
            namespace=namespace.name,
            subnet_ids=subnets.apply(lambda known: [known[zone] for zone in sorted(known)]),
        ),
        after,
    )
    return AccessOutputs(ingress_class=controller.ingress_class)
