"""The ways that machines need before they are nodes: to the API server and AWS's services, and back."""

from collections.abc import Iterable, Iterator

from aws_rules.network import (
    ApiServer,
    Destination,
    Interface,
    Network,
    Reason,
    Service,
    control_plane_interfaces,
    reach,
)
from aws_rules.rule import Rule, Verdict, Violation

NODE_WAYS = Rule(
    name="node-ways",
    authority="EKS",
    decides="whether machines reach the API server, EC2, ECR, S3 and STS, and the control plane them",
    source="https://docs.aws.amazon.com/eks/latest/userguide/private-clusters.html",
)
RULES = (NODE_WAYS,)

NOT_JOINED = "Instances failed to join the kubernetes cluster"
NOT_READY = "Unhealthy nodes in the kubernetes cluster"

# Service -> what of a node is missing without it. Sources: awslabs/amazon-eks-ami: nodeadm/ (EC2);
# docs.aws.amazon.com/eks/latest/userguide/private-clusters.html (the others).
SERVICES = {
    "ec2": NOT_JOINED,
    "ecr.api": NOT_READY,
    "ecr.dkr": NOT_READY,
    "s3": NOT_READY,
    "sts": NOT_READY,
}
POD_IDENTITY_SERVICE = "eks-auth"
"""Which the agent of Pod Identity asks for the credentials of the VPC CNI."""

KUBELET_PORT = 10250


def node_ways(
    resource: str, network: Network, cluster: str, machines: Iterable[Interface], *, pod_identity: bool
) -> Iterator[Verdict]:
    """What keeps machines from what they need; each reason once, however many machines have it.

    machines: an interface for each subnet. pod_identity: the VPC CNI has its permissions by Pod Identity.
    """
    names = [*SERVICES, *([POD_IDENTITY_SERVICE] if pod_identity else [])]
    destinations: list[tuple[Destination, str]] = [
        (ApiServer(cluster=cluster), NOT_JOINED),
        *((Service(name=name), SERVICES.get(name, NOT_READY)) for name in names),
    ]
    # Reason, as text -> what it keeps from what; the first that has it stands for all.
    obstacles: dict[str, tuple[str, Reason]] = {}
    for machine in machines:
        for destination, failure in destinations:
            for reason in reach(network, machine, destination, 443).reasons:
                obstacles.setdefault(str(reason), (f"{failure}: {_name(destination)} is not reached", reason))
        for plane in control_plane_interfaces(network, cluster)[:1]:
            for reason in reach(network, plane, machine, KUBELET_PORT).reasons:
                sentence = f"{NOT_READY}: the control plane does not reach the kubelet"
                obstacles.setdefault(str(reason), (sentence, reason))
    for sentence, reason in obstacles.values():
        yield _violation(resource, sentence, reason)


def _name(destination: Destination) -> str:
    match destination:
        case Service(name=name):
            return f"service {name}"
        case _:
            return "the API server"


def _violation(resource: str, sentence: str, reason: Reason) -> Violation:
    return Violation(
        rule=NODE_WAYS,
        resource=resource,
        code="NodeCreationFailure",
        message=f"{sentence}: {reason.component}: {reason.words} ({reason.code}): {reason.detail}",
        remedy=reason.remedy,
    )
