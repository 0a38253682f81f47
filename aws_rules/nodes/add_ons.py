"""The add-ons without which no node becomes ready."""

from collections.abc import Iterable, Iterator

from aws_rules.rule import Rule, Verdict, Violation

NODE_ADD_ONS = Rule(
    name="node-add-ons",
    authority="EKS",
    decides="whether the add-ons that a node needs to be ready are there before it",
    source="https://docs.aws.amazon.com/eks/latest/userguide/eks-networking-add-ons.html",
)
RULES = (NODE_ADD_ONS,)

# Add-on -> what its absence looks like on a node.
# Sources: terraform-aws-modules/terraform-aws-eks#3446; aws/amazon-vpc-cni-k8s: docs/troubleshooting.md
# (the CNI reaches the API server by the Service `kubernetes`, which kube-proxy serves).
NEEDED = {
    "vpc-cni": "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady "
    "message:Network plugin returns error: cni plugin not initialized",
    "kube-proxy": "aws-node: Unable to reach API Server at the address of the Service kubernetes, as no "
    "kube-proxy serves it",
}
AGENT = "eks-pod-identity-agent"
# Source: docs.aws.amazon.com/eks/latest/userguide/pod-id-agent-setup.html.
WITHOUT_AGENT = (
    "aws-node has a pod identity association and no agent on its node gives out the credentials: cni plugin "
    "not initialized"
)


def node_add_ons(
    resource: str, add_ons: Iterable[str], *, self_managed: bool, cni_by_pod_identity: bool
) -> Iterator[Verdict]:
    """Whether the cluster has the add-ons that nodes cannot do without.

    add_ons: names of those that it has.
    self_managed: EKS has put in VPC CNI, kube-proxy and CoreDNS itself, when the cluster was made.
    cni_by_pod_identity: the VPC CNI has its permissions by a pod identity association.
    """
    present = set(add_ons) | (set(NEEDED) if self_managed else set())
    absent = {name: sign for name, sign in NEEDED.items() if name not in present}
    if cni_by_pod_identity and AGENT not in present:
        absent[AGENT] = WITHOUT_AGENT
    for name, sign in absent.items():
        yield Violation(
            rule=NODE_ADD_ONS,
            resource=resource,
            code="NodeCreationFailure",
            message=f"Unhealthy nodes in the kubernetes cluster: {sign}",
            remedy=f"install the add-on {name} before the group",
        )
