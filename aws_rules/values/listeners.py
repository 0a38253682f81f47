"""Listeners of load balancers, and where they send what they take."""

from collections.abc import Iterator, Mapping

from aws_rules.rule import Rule
from aws_rules.values.request import Request, ValueVerdict

RULE = Rule(
    name="listener-values",
    authority="AWS",
    decides="which protocol and certificate a listener has, and whether its target groups are of its VPC",
    source="https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_CreateListener.html",
    further=(
        "https://docs.aws.amazon.com/elasticloadbalancing/latest/application/create-https-listener.html",
        # Of the words:
        "https://github.com/hashicorp/terraform/issues/18126",
        "https://github.com/pulumi/pulumi/issues/15712",
        "https://github.com/awslabs/fargatecli/issues/104",
        "https://github.com/kubernetes-sigs/aws-load-balancer-controller/issues/1045",
    ),
)

RULES = (RULE,)

PROTOCOLS: Mapping[str, tuple[str, ...]] = {
    "app": ("HTTPS", "HTTP"),
    "net": ("TLS", "TCP", "TCP_UDP", "UDP"),
}
"""Kind of load balancer, as its ARN has it -> protocols of its listeners."""

ENCRYPTED = ("HTTPS", "TLS")


def listener(request: Request) -> Iterator[ValueVerdict]:
    """Protocol and certificate of a listener."""
    balancer, protocol = request.value_at("LoadBalancerArn"), request.value_at("Protocol")
    kind = balancer.split("/")[1] if isinstance(balancer, str) and balancer.count("/") > 1 else ""
    if protocol and protocol not in PROTOCOLS.get(kind, (protocol,)):
        of_kind = PROTOCOLS[kind]
        message = f"Listener protocol '{protocol}' must be one of '{', '.join(of_kind)}'"
        remedy = f"set it to {of_kind[1]}, or to {of_kind[0]} with a certificate"
        yield request.misfit(RULE, ("Protocol",), "ValidationError", message, remedy)
    elif protocol in ENCRYPTED and not request.has("Certificates"):
        message = f"A certificate must be specified for {protocol} listeners"
        remedy = "name one of Certificate Manager that is issued"
        yield request.misfit(RULE, ("Certificates",), "ValidationError", message, remedy)
    elif protocol == "HTTP" and request.has("Certificates"):
        message = "A certificate cannot be specified for HTTP listeners"
        remedy = "leave it out, or set the protocol to HTTPS"
        yield request.misfit(RULE, ("Certificates",), "ValidationError", message, remedy)


def targets(
    request: Request, balancer: str, vpc: str | None, groups: Mapping[str, str | None]
) -> Iterator[ValueVerdict]:
    """Target groups of a listener, or of a rule of one.

    vpc: of the load balancer. groups: ARN of a target group -> its VPC; None of one without.
    """
    for group in sorted({text for _, text in request.texts() if ":targetgroup/" in text}):
        of_group = groups.get(group)
        if vpc and of_group and of_group != vpc:
            message = f"Target group '{group}' is in a different VPC than load balancer '{balancer}'"
            remedy = f"make the group in {vpc}"
            code = "InvalidConfigurationRequest"
            yield request.misfit(RULE, (_member(request),), code, message, remedy)


def _member(request: Request) -> str:
    return "DefaultActions" if request.has("DefaultActions") else "Actions"
