"""Where the pods of a job namespace may connect to: only what Spark needs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_network

import pulumi
import pulumi_kubernetes as k8s

from moka.celeborn import configuration as celeborn
from moka.components.ordering import known_after
from moka.jobs.conf import BLOCK_MANAGER_PORT, DRIVER_PORT, LIFECYCLE_MANAGER_PORT
from moka.names import (
    CELEBORN_NAMESPACE,
    EVENT_LOG_PORT,
    INGRESS_NAMESPACE,
    MONITORING_NAMESPACE,
    SYSTEM_NAMESPACE,
    UI_GATEWAY,
)
from moka.pages import UI_PORT

HTTPS_PORT = 443
DNS_PORT = 53
EXPORTER_PORT = 8090
"""Port of the JMX exporter, as the Spark Operator names it."""

SPARK_PORTS = (DRIVER_PORT, BLOCK_MANAGER_PORT, LIFECYCLE_MANAGER_PORT)
"""That drivers and executors have for each other, whatever the job."""

POD_IDENTITY = ("169.254.170.23/32", "fd00:ec2::23/128")
"""The Pod Identity agent on the pod's own node, which answers on port 80."""

METADATA = ip_network("169.254.169.254/32")
"""The machine's own identity is not for jobs, whatever they may reach."""

ANYWHERE = ("0.0.0.0/0", "::/0")

SPARK_PODS = ("spark-role", ("driver", "executor"))
DNS_PODS = ("k8s-app", ("kube-dns",))
GATEWAY_PODS = ("app.kubernetes.io/name", (UI_GATEWAY,))
"""Labels, and their values."""

Label = tuple[str, tuple[str, ...]]
Policy = k8s.networking.v1.NetworkPolicySpecArgs
Peer = k8s.networking.v1.NetworkPolicyPeerArgs


@dataclass(frozen=True, kw_only=True)
class Egress:
    """Where else drivers and executors may connect to.

    ports: TCP.
    cidrs: networks; the machine's metadata is left out of them.
    namespace: of the same cluster.
    """

    ports: Sequence[int]
    cidrs: Sequence[str] = ()
    namespace: str | None = None


@dataclass(frozen=True, kw_only=True)
class JobNetworkArgs:
    """What differs between job namespaces.

    namespace: whose pods these rules are for; it must exist.
    pod_networks: in which all pods of the cluster have their addresses: drivers and executors connect to
        Spark's own ports there, and to no others of each other; none: to any port of their own pods.
    egress: where else they may connect to, each with a name.
    """

    namespace: pulumi.Input[str]
    pod_networks: Sequence[str] = ()
    egress: Mapping[str, Egress] = field(default_factory=dict)


class JobNetwork(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:JobNetwork`.

    Makes: NetworkPolicy `default-deny` for every other pod, and `spark` with what drivers and executors need.
    The VPC CNI keeps the addresses of all pods that a policy selects, and of those that its rules do, and
    renews them with every pod that comes or goes: a driver or an executor is in two of these lists, as a pod
    that is selected, and as one that is let in (docs/network.md).
    Outputs: `namespace`, known only once both are in force.
    """

    namespace: pulumi.Output[str]

    def __init__(self, name: str, args: JobNetworkArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("moka:kubernetes:JobNetwork", name, {}, opts)

        policies = [
            k8s.networking.v1.NetworkPolicy(
                f"{name}-{policy}",
                metadata=k8s.meta.v1.ObjectMetaArgs(name=policy, namespace=args.namespace),
                spec=spec,
                opts=pulumi.ResourceOptions(parent=self),
            )
            for policy, spec in (
                ("default-deny", deny_others()),
                ("spark", spark_policy(args.egress, args.pod_networks)),
            )
        ]
        self.namespace = known_after(args.namespace, *[policy.id for policy in policies])
        self.register_outputs({"namespace": self.namespace})


def deny_others() -> Policy:
    """No pod connects anywhere, or is connected to, but those of Spark, which have a policy of their own."""
    return Policy(pod_selector=_label_selector(SPARK_PODS, "NotIn"), policy_types=["Ingress", "Egress"])


def spark_policy(egress: Mapping[str, Egress], pod_networks: Sequence[str] = ()) -> Policy:
    """What drivers and executors need, and where else they may connect to.

    Who may connect to them is by label, which keeps one namespace from another; where they connect to is by
    network, if that is known: by label, each of them would be in one list more, on every node.
    """
    spark_pods = [Peer(pod_selector=_label_selector(SPARK_PODS))]
    to_one_another = (
        _egress(_ip_blocks(pod_networks), SPARK_PORTS)
        if pod_networks
        else k8s.networking.v1.NetworkPolicyEgressRuleArgs(to=spark_pods)
    )
    return Policy(
        pod_selector=_label_selector(SPARK_PODS),
        policy_types=["Ingress", "Egress"],
        ingress=[
            k8s.networking.v1.NetworkPolicyIngressRuleArgs(from_=spark_pods),
            _ingress([_namespace(INGRESS_NAMESPACE, GATEWAY_PODS)], [UI_PORT]),
            _ingress([_namespace(MONITORING_NAMESPACE)], [UI_PORT, EVENT_LOG_PORT, EXPORTER_PORT]),
        ],
        egress=[
            to_one_another,
            _egress([_namespace(SYSTEM_NAMESPACE, DNS_PODS)], [DNS_PORT], ["UDP", "TCP"]),
            # The API server, S3 and what else of AWS a job uses: their addresses are not known here.
            _egress(_ip_blocks(ANYWHERE), [HTTPS_PORT]),
            _egress(_ip_blocks(POD_IDENTITY), [80]),
            _egress([_namespace(CELEBORN_NAMESPACE)], celeborn.CLIENT_PORTS),
            *(
                _egress(
                    [*_ip_blocks(rule.cidrs), *([_namespace(rule.namespace)] if rule.namespace else [])],
                    rule.ports,
                )
                for _, rule in sorted(egress.items())
            ),
        ],
    )


def _label_selector(label: Label, operator: str = "In") -> k8s.meta.v1.LabelSelectorArgs:
    key, values = label
    return k8s.meta.v1.LabelSelectorArgs(
        match_expressions=[
            k8s.meta.v1.LabelSelectorRequirementArgs(key=key, operator=operator, values=list(values))
        ]
    )


def _namespace(name: str, pods: Label | None = None) -> Peer:
    """The pods of a namespace, all of them or those with a label. Kubernetes labels each with its name."""
    return Peer(
        namespace_selector=k8s.meta.v1.LabelSelectorArgs(match_labels={"kubernetes.io/metadata.name": name}),
        pod_selector=_label_selector(pods) if pods else None,
    )


def _ip_blocks(cidrs: Iterable[str]) -> list[Peer]:
    return [
        Peer(
            ip_block=k8s.networking.v1.IPBlockArgs(
                cidr=cidr, except_=[str(METADATA)] if _covers_metadata(cidr) else None
            )
        )
        for cidr in cidrs
    ]


def _covers_metadata(cidr: str) -> bool:
    network = ip_network(cidr)
    return network.version == METADATA.version and METADATA.network_address in network


def _ports(ports: Iterable[int], protocols: Iterable[str]) -> list[k8s.networking.v1.NetworkPolicyPortArgs]:
    return [
        k8s.networking.v1.NetworkPolicyPortArgs(port=port, protocol=protocol)
        for port in ports
        for protocol in protocols
    ]


def _ingress(peers: list[Peer], ports: Iterable[int]) -> k8s.networking.v1.NetworkPolicyIngressRuleArgs:
    return k8s.networking.v1.NetworkPolicyIngressRuleArgs(from_=peers, ports=_ports(ports, ["TCP"]))


def _egress(
    peers: list[Peer], ports: Iterable[int], protocols: Iterable[str] = ("TCP",)
) -> k8s.networking.v1.NetworkPolicyEgressRuleArgs:
    return k8s.networking.v1.NetworkPolicyEgressRuleArgs(to=peers, ports=_ports(ports, protocols))
