"""The service before the History Server: it says where a job's log is, and joins logs of killed drivers."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as k8s

from moka.components.kubernetes.peers import peer
from moka.components.kubernetes.service import Service, ServiceArgs, service_labels, service_metadata
from moka.names import (
    HISTORY_GATE,
    HISTORY_PORT,
    HISTORY_SERVER,
    INGRESS_NAMESPACE,
    MONITORING_NAMESPACE,
    UI_GATEWAY,
)

PORT = 8080


@dataclass(frozen=True, kw_only=True)
class HistoryGateArgs:
    """What differs between environments.

    image: reference of the service's image.
    namespace: its own, and the History Server's.
    bucket, region: of the event logs.
    replicas: of the History Server.
    live_url: of a running job's UI, with `{name}`, `{namespace}` and `{cluster}`.
    logs: of jobs of each cluster, `<cluster>=<folder>=<URL with {prefix}>`.
    days: that event logs are kept.
    interval_seconds: from the end of a scan to the next.
    """

    image: str
    namespace: pulumi.Input[str]
    bucket: pulumi.Input[str]
    region: str
    replicas: int
    live_url: str
    logs: Sequence[str]
    days: int
    interval_seconds: int


class HistoryGate(Service):
    """Pulumi type `moka:kubernetes:HistoryGate`: the Service `history-gate`.

    Makes, besides what every Service does, a NetworkPolicy. Its one pod is back in seconds wherever it
    starts; a budget for it would only hold nodes up.
    """

    def __init__(self, name: str, args: HistoryGateArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        gate = ServiceArgs(
            service=HISTORY_GATE,
            image=args.image,
            namespace=args.namespace,
            port=PORT,
            args=_arguments(args),
            # Four logs are joined at a time, a part of 16 MiB each.
            memory="256Mi",
            serves=True,
        )
        super().__init__(f"{name}-gate", gate, opts)
        child = pulumi.ResourceOptions(parent=self)
        metadata = service_metadata(HISTORY_GATE, args.namespace)
        k8s.networking.v1.NetworkPolicy(
            f"{name}-gate", metadata=metadata, spec=_network_policy(metadata), opts=child
        )


def _arguments(args: HistoryGateArgs) -> Sequence[pulumi.Input[str]]:
    pods = (f"{HISTORY_SERVER}-{index}.{HISTORY_SERVER}" for index in range(args.replicas))
    return [
        pulumi.Output.concat("--bucket=", args.bucket),
        f"--region={args.region}",
        *(f"--server=http://{pod}:{HISTORY_PORT}" for pod in pods),
        f"--live-url={args.live_url}",
        *(f"--logs={logs}" for logs in args.logs),
        f"--days={args.days}",
        f"--interval={args.interval_seconds}",
    ]


def _network_policy(metadata: k8s.meta.v1.ObjectMetaArgs) -> k8s.networking.v1.NetworkPolicySpecArgs:
    """Ways to its pods, whatever may be running in other namespaces: the gate asks nobody who he is."""
    return k8s.networking.v1.NetworkPolicySpecArgs(
        pod_selector=k8s.meta.v1.LabelSelectorArgs(match_labels=metadata.labels),
        policy_types=["Ingress"],
        ingress=[
            k8s.networking.v1.NetworkPolicyIngressRuleArgs(
                from_=[
                    peer(INGRESS_NAMESPACE, service_labels(UI_GATEWAY)),
                    peer(MONITORING_NAMESPACE),
                ],
                ports=[k8s.networking.v1.NetworkPolicyPortArgs(port=PORT, protocol="TCP")],
            )
        ],
    )
