"""Names, as pods resolve them: whether there is a CoreDNS, and pods reach it."""

from collections.abc import Iterable, Iterator
from itertools import product

from aws_rules.network import Network, Pod, Reason, reach
from aws_rules.rule import Rule, Verdict, Violation

CLUSTER_DNS = Rule(
    name="cluster-dns",
    authority="EKS",
    decides="whether pods resolve names: CoreDNS is in a cluster with nodes, and is reached from all of them",
    source="https://docs.aws.amazon.com/eks/latest/userguide/managing-coredns.html",
    further=(
        "https://docs.aws.amazon.com/eks/latest/userguide/sec-group-reqs.html",
        "https://github.com/kubeflow/spark-operator/issues/1509",
    ),
)
RULES = (CLUSTER_DNS,)

ADD_ON, PORT = "coredns", 53


def cluster_dns(
    cluster: str,
    installed: Iterable[str],
    network: Network,
    pods: Iterable[Pod],
    servers: Iterable[Pod],
    *,
    self_managed: bool,
) -> Iterator[Verdict]:
    """What keeps pods of a cluster from resolving names.

    installed: names of its add-ons, and of charts with a release there. pods: one for each place where pods
    may be. servers: those of them where CoreDNS may be; each is asked in turn, so all have to be reached.
    self_managed: EKS has put in VPC CNI, kube-proxy and CoreDNS itself.
    """
    if not self_managed and ADD_ON not in installed:
        yield _violation(cluster, "", f"install the add-on {ADD_ON}")
        return
    # Reason, as text -> itself, and the first pod that has it.
    obstacles: dict[str, tuple[Reason, Pod]] = {}
    for pod, server in product(_places(pods), _places(servers)):
        for reason in reach(network, pod, server, PORT, "udp").reasons:
            obstacles.setdefault(str(reason), (reason, pod))
    for reason, pod in obstacles.values():
        detail = f": {pod.name}: {reason.component}: {reason.words}: {reason.detail}"
        yield _violation(cluster, detail, reason.remedy)


def _places(pods: Iterable[Pod]) -> list[Pod]:
    """One pod for each subnet and set of security groups."""
    return list({(pod.interface.subnet, pod.interface.groups): pod for pod in pods}.values())


def _violation(cluster: str, detail: str, remedy: str) -> Violation:
    return Violation(
        rule=CLUSTER_DNS,
        resource=f"EKS cluster {cluster}",
        code="UnknownHostException",
        message="pods get: kubernetes.default.svc: Name or service not known, as no CoreDNS answers them"
        + detail,
        remedy=remedy,
    )
