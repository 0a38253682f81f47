"""Who may connect to Celeborn's pods, which ask nobody who it is."""

from collections.abc import Iterable, Sequence

import pulumi
import pulumi_kubernetes as k8s

from moka.celeborn import configuration as conf
from moka.components.kubernetes.peers import peer
from moka.components.kubernetes.service import service_labels
from moka.names import INGRESS_NAMESPACE, MONITORING_NAMESPACE, UI_GATEWAY

SPARK_LABEL = "spark-role"
"""Spark gives it to drivers and executors."""

Rule = k8s.networking.v1.NetworkPolicyIngressRuleArgs
Peer = k8s.networking.v1.NetworkPolicyPeerArgs


def network_policy(
    name: str,
    namespace: pulumi.Input[str],
    job_namespaces: Sequence[str],
    opts: pulumi.ResourceOptions,
) -> k8s.networking.v1.NetworkPolicy:
    """NetworkPolicy `celeborn`, for all pods of Celeborn's namespace."""
    return k8s.networking.v1.NetworkPolicy(
        name,
        metadata=k8s.meta.v1.ObjectMetaArgs(name="celeborn", namespace=namespace),
        spec=way_in(job_namespaces),
        opts=opts,
    )


def way_in(job_namespaces: Sequence[str]) -> k8s.networking.v1.NetworkPolicySpecArgs:
    """Who reaches masters and workers: one another, jobs, collectors, and the gateway of pages.

    One policy: for each, the VPC CNI keeps a list of the drivers' and executors' addresses. It has room for
    65,536 at a pod, and drops what comes from an address that it does not have yet, so that TCP tries again
    (aws/aws-network-policy-agent: pkg/ebpf/c/tc.v4ingress.bpf.c). Probes of the kubelet always come in
    (pkg/fwruleprocessor/fw_rule_processor.go), and a forwarded port connects inside the pod (containerd:
    sandbox_portforward_linux.go).
    """
    jobs = [peer(namespace, labelled=SPARK_LABEL) for namespace in sorted(job_namespaces)]
    return k8s.networking.v1.NetworkPolicySpecArgs(
        pod_selector=k8s.meta.v1.LabelSelectorArgs(),
        policy_types=["Ingress"],
        ingress=[
            Rule(from_=[Peer(pod_selector=k8s.meta.v1.LabelSelectorArgs())]),
            # Without a peer, a rule would let in everybody.
            *([_rule(jobs, conf.CLIENT_PORTS)] if jobs else []),
            _rule([peer(MONITORING_NAMESPACE)], [conf.MASTER_HTTP_PORT, conf.WORKER_HTTP_PORT]),
            _rule([peer(INGRESS_NAMESPACE, service_labels(UI_GATEWAY))], [conf.MASTER_HTTP_PORT]),
        ],
    )


def _rule(peers: Sequence[Peer], ports: Iterable[int]) -> Rule:
    return Rule(
        from_=peers,
        ports=[k8s.networking.v1.NetworkPolicyPortArgs(port=port, protocol="TCP") for port in ports],
    )
