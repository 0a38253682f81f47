"""Whether programs in pods reach the services of AWS that they call."""

from collections.abc import Iterable, Iterator

from aws_rules.network.answers import Network
from aws_rules.network.path import Reason
from aws_rules.network.places import Pod, Service
from aws_rules.network.reachability import reach
from aws_rules.rule import Rule, Violation

PROGRAM_WAYS = Rule(
    name="program-ways",
    authority="AWS",
    decides="whether programs in pods reach the services that they call, by an endpoint or over the internet",
    source="https://docs.aws.amazon.com/eks/latest/userguide/private-clusters.html",
)

RULES = (PROGRAM_WAYS,)

TIMEOUT = "RequestError: send request failed caused by: dial tcp: i/o timeout"
"""As AWS's SDK for Go reports it: kubernetes/autoscaler#3275."""


def program_ways(
    resource: str, network: Network, pods: Iterable[Pod], program: str, services: Iterable[str]
) -> Iterator[Violation]:
    """What keeps a program from services; each reason once, however many pods have it.

    resource: what runs it. pods: one for each place where it may run. program: its name. services: as VPC
    endpoints name them.
    """
    pods = list(pods)
    # Reason, as text -> itself, and the services that it keeps.
    obstacles: dict[str, tuple[Reason, list[str]]] = {}
    for service in sorted(services):
        for pod in pods:
            for reason in reach(network, pod, Service(name=service)).reasons:
                _, lost_services = obstacles.setdefault(str(reason), (reason, []))
                if service not in lost_services:
                    lost_services.append(service)
    for reason, lost_services in obstacles.values():
        subject = (
            f"service {lost_services[0]} is"
            if len(lost_services) == 1
            else f"services {', '.join(lost_services)} are"
        )
        yield Violation(
            rule=PROGRAM_WAYS,
            resource=resource,
            code=reason.code,
            message=f"{program} gets: {TIMEOUT}, as {subject} not reached: {reason.component}: "
            f"{reason.words}: {reason.detail}",
            remedy=reason.remedy,
        )
