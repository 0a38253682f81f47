"""Whom the pods of a job namespace may talk to: nobody, but for what Spark needs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_network

import pulumi
import pulumi_kubernetes as k8s

from moka.celeborn import configuration as celeborn
from moka.names import CELEBORN_NAMESPACE, INGRESS_NAMESPACE, MONITORING_NAMESPACE, SYSTEM_NAMESPACE

HTTPS = 443
DNS = 53
UI = 4040
"""Port of a driver's UI, which has its metrics, too."""

EXPORTER = 8090
"""Port of the JMX exporter, as the Spark Operator names it."""

SHUFFLE = (
    celeborn.MASTER_PORT,
    *(celeborn.WORKER_PORTS[purpose] for purpose in ("rpc", "push", "fetch")),
)
"""Ports that Celeborn's clients use; workers alone use `replicate`, among themselves."""

POD_IDENTITY = ("169.254.170.23/32", "fd00:ec2::23/128")
"""The Pod Identity agent on the pod's own node, which answers on port 80."""

METADATA = ip_network("169.254.169.254/32")
"""The machine's own identity is not for jobs, whatever they may reach."""

ANYWHERE = ("0.0.0.0/0", "::/0")

OF_SPARK = ("spark-role", ("driver", "executor"))
OF_DNS = ("k8s-app", ("kube-dns",))
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

    namespace: whose pods these rules are for; it must be there.
    egress: where else they may connect to, each with a name.
    """

    namespace: pulumi.Input[str]
    egress: Mapping[str, Egress] = field(default_factory=dict)


class JobNetwork(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:JobNetwork`.

    Makes: NetworkPolicy `default-deny` for every pod, and `spark` with what drivers and executors need. Two
    and no more: the VPC CNI keeps the addresses of all selected pods for each policy, and renews them with
    every pod that comes or goes.
    Outputs: `namespace`, known only once both are there.
    """

    namespace: pulumi.Output[str]

    def __init__(self, name: str, args: JobNetworkArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("moka:kubernetes:JobNetwork", name, {}, opts)

        made = [
            k8s.networking.v1.NetworkPolicy(
                f"{name}-{policy}",
                metadata=k8s.meta.v1.ObjectMetaArgs(name=policy, namespace=args.namespace),
                spec=spec,
                opts=pulumi.ResourceOptions(parent=self),
            )
            for policy, spec in (("default-deny", nothing()), ("spark", spark(args.egress)))
        ]
        known = pulumi.Output.all(pulumi.Output.from_input(args.namespace), *[each.id for each in made])
        self.namespace = known.apply(lambda known: str(known[0]))
        self.register_outputs({"namespace": self.namespace})


def nothing() -> Policy:
    """No pod talks to anybody."""
    return Policy(pod_selector=k8s.meta.v1.LabelSelectorArgs(), policy_types=["Ingress", "Egress"])


def spark(egress: Mapping[str, Egress]) -> Policy:
    """What drivers and executors need, and where else they may connect to."""
    each_other = [Peer(pod_selector=_labelled(OF_SPARK))]
    return Policy(
        pod_selector=_labelled(OF_SPARK),
        policy_types=["Ingress", "Egress"],
        ingress=[
            k8s.networking.v1.NetworkPolicyIngressRuleArgs(from_=each_other),
            _in([_namespace(INGRESS_NAMESPACE)], [UI]),
            _in([_namespace(MONITORING_NAMESPACE)], [UI, EXPORTER]),
        ],
        egress=[
            # Executors choose their ports.
            k8s.networking.v1.NetworkPolicyEgressRuleArgs(to=each_other),
            _out([_namespace(SYSTEM_NAMESPACE, OF_DNS)], [DNS], ["UDP", "TCP"]),
            # The API server, S3 and what else of AWS a job uses: their addresses are not known here.
            _out(_blocks(ANYWHERE), [HTTPS]),
            _out(_blocks(POD_IDENTITY), [80]),
            _out([_namespace(CELEBORN_NAMESPACE)], SHUFFLE),
            *(
                _out(
                    [*_blocks(each.cidrs), *([_namespace(each.namespace)] if each.namespace else [])],
                    each.ports,
                )
                for _, each in sorted(egress.items())
            ),
        ],
    )


def _labelled(label: Label) -> k8s.meta.v1.LabelSelectorArgs:
    key, values = label
    return k8s.meta.v1.LabelSelectorArgs(
        match_expressions=[
            k8s.meta.v1.LabelSelectorRequirementArgs(key=key, operator="In", values=list(values))
        ]
    )


def _namespace(name: str, pods: Label | None = None) -> Peer:
    """The pods of a namespace, all of them or those with a label. Kubernetes labels each with its name."""
    return Peer(
        namespace_selector=k8s.meta.v1.LabelSelectorArgs(match_labels={"kubernetes.io/metadata.name": name}),
        pod_selector=_labelled(pods) if pods else None,
    )


def _blocks(cidrs: Iterable[str]) -> list[Peer]:
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


def _in(peers: list[Peer], ports: Iterable[int]) -> k8s.networking.v1.NetworkPolicyIngressRuleArgs:
    return k8s.networking.v1.NetworkPolicyIngressRuleArgs(from_=peers, ports=_ports(ports, ["TCP"]))


def _out(
    peers: list[Peer], ports: Iterable[int], protocols: Iterable[str] = ("TCP",)
) -> k8s.networking.v1.NetworkPolicyEgressRuleArgs:
    return k8s.networking.v1.NetworkPolicyEgressRuleArgs(to=peers, ports=_ports(ports, protocols))
