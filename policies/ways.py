"""Ways that lead further than they look."""

from collections.abc import Sequence

from policies.network import LOAD_BALANCER_GUIDE, NETWORK
from policies.nodes import routed_to_the_internet
from policies.pack.objects import containers, where
from policies.pack.resource import Resource, fully_known, mapping, member, sequence, text
from policies.pack.rule import Parameters, StackViolations, Violations
from policies.pack.types import (
    DEPLOYMENT,
    INGRESS,
    ROUTE,
    ROUTE_TABLE,
    ROUTE_TABLE_ASSOCIATION,
    SERVICE,
    SUBNET,
)

UI_GATEWAY, ISSUER = "ui-gateway", "--issuer="
"""Container of the gateway to UIs, and its argument for a login (components/kubernetes/gateway_login.py)."""

LOAD_BALANCER_CLASS = "service.k8s.aws/nlb"
"""Of Services for the AWS Load Balancer Controller. Those without a class are the cloud provider's, which
reads the same annotation (https://cloud-provider-aws.sigs.k8s.io/service_controller/)."""

CERTIFICATE = "service.beta.kubernetes.io/aws-load-balancer-ssl-cert"

INTERNAL_ELB_TAG = "kubernetes.io/role/internal-elb"


@NETWORK.stack_rule(
    "private-subnets-stay-private",
    SUBNET,
    ROUTE,
    ROUTE_TABLE,
    ROUTE_TABLE_ASSOCIATION,
    severity="critical",
    why="Nodes of other stacks stand in them, and one public address is then enough to be reached.",
    references=("CIS 5.4.3", "https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html"),
)
def private_subnets_stay_private(resources: Sequence[Resource], _: Parameters) -> StackViolations:
    """No route leads from a subnet of internal load balancers to an internet gateway."""
    routed_subnets = routed_to_the_internet(resources)
    for subnet in resources:
        if subnet.urn in routed_subnets and INTERNAL_ELB_TAG in mapping(subnet.get("tags")):
            yield subnet, f"Subnet {subnet.name} is private and has a route to the internet: take it out."


@NETWORK.rule(
    "ingress-no-snippets",
    INGRESS,
    severity="high",
    why="A snippet is configuration of the proxy itself: by it, CVE-2021-25742 read the Secrets of all.",
    references=("https://github.com/kubernetes/ingress-nginx/issues/7837",),
)
def ingress_no_snippets(ingress: Resource, _: Parameters) -> Violations:
    """No Ingress writes configuration of its proxy."""
    for name in mapping(ingress.get("metadata.annotations")):
        if name.endswith("-snippet"):
            yield f"{where(ingress)} is annotated with {name}: take it out."


@NETWORK.rule(
    "pages-behind-login",
    DEPLOYMENT,
    severity="high",
    why="UIs show data, code and queues of all teams, and have no password of their own.",
    references=("https://spark.apache.org/docs/latest/security.html#web-ui",),
)
def pages_behind_login(deployment: Resource, _: Parameters) -> Violations:
    """The gateway to UIs asks who comes."""
    for container in containers(deployment):
        arguments = container.get("args", [])
        if container.name != UI_GATEWAY or not fully_known(arguments):
            continue
        if not any(text(argument).startswith(ISSUER) for argument in sequence(arguments)):
            yield f"{where(deployment)} shows pages without a login: set ingress.login."


@NETWORK.rule(
    "pages-over-tls",
    SERVICE,
    severity="high",
    why="In plain HTTP, whoever is on the way reads pages, and the cookies by which one is logged in.",
    references=(LOAD_BALANCER_GUIDE,),
)
def pages_over_tls(service: Resource, _: Parameters) -> Violations:
    """Load balancers have a certificate for TLS."""
    of_aws = service.get("spec.loadBalancerClass", LOAD_BALANCER_CLASS) == LOAD_BALANCER_CLASS
    balanced = service.get("spec.type") == "LoadBalancer" and of_aws
    if balanced and not member(service.get("metadata.annotations"), CERTIFICATE):
        yield (
            f"{where(service)} is not behind TLS: set certificates of the foundation, or annotate "
            f"{CERTIFICATE}."
        )
