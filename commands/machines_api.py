"""The machines of a cluster: their nodes and pods by its API server, and what EKS and Auto Scaling do."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from time import sleep
from typing import TYPE_CHECKING, Any

from moka.machines.departure import LEAVING_ANNOTATION, Machine, Stay, stay
from moka.names import ZONE_LABEL

if TYPE_CHECKING:
    from doctor.account import Place

GROUP_LABEL = "eks.amazonaws.com/nodegroup"
"""Label that EKS gives the nodes of a managed group."""

IN_SERVICE = "InService"
"""Of an instance that nobody ends."""

REQUEST_TIMEOUT_SECONDS = 30

UPDATE_POLL_SECONDS = 5
"""Between two questions whether EKS has changed a group."""

PAGE = 500
"""Pods of an answer."""

RIGHTS = (
    ("", "nodes", ("list", "patch")),
    ("", "pods", ("list",)),
    ("", "pods/eviction", ("create",)),
)
"""Group, resource and verbs that it takes in the whole cluster."""


@dataclass(frozen=True)
class PodOnMachine:
    """A pod, and what the end of its machine means for it."""

    namespace: str
    name: str
    stay: Stay

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"


@dataclass(frozen=True, kw_only=True)
class Node:
    """A node of a managed node group.

    instance: id of its machine in EC2.
    """

    name: str
    group: str
    zone: str
    instance: str
    cordoned: bool
    leaving: bool

    def machine(self, pods: Iterable[PodOnMachine]) -> Machine:
        """It, with what runs there."""
        return Machine(
            name=self.name,
            group=self.group,
            zone=self.zone,
            cordoned=self.cordoned,
            leaving=self.leaving,
            stays=tuple(pod.stay for pod in pods),
        )


class Nodes:
    """Nodes of one cluster, and pods on them.

    context: of the kubeconfig; by default the current one.
    """

    def __init__(self, context: str | None = None) -> None:
        # Half a second of loading, which only some subcommands need.
        from kubernetes import client, config

        self._core = client.CoreV1Api(config.new_client_from_config(context=context))  # type: ignore[no-untyped-call]

    def of_groups(self, groups: Sequence[str]) -> list[Node]:
        """Nodes of these managed node groups, by name."""
        selector = f"{GROUP_LABEL} in ({','.join(groups)})"
        answer = self._core.list_node(label_selector=selector, _request_timeout=REQUEST_TIMEOUT_SECONDS)
        return sorted(map(_node, answer.items), key=lambda node: node.name)

    def pods(self, nodes: Iterable[Node]) -> dict[str, list[PodOnMachine]]:
        """Node -> the pods there that the end of its machine means something for."""
        names = [node.name for node in nodes]
        pods: dict[str, list[PodOnMachine]] = {name: [] for name in names}
        # Of a few nodes one after the other; a list of all pods is tens of thousands.
        selectors = [f"spec.nodeName={name}" for name in names] if len(names) <= 20 else [None]
        for selector in selectors:
            for pod in self._list_pods(selector):
                on = str((pod.get("spec") or {}).get("nodeName"))
                kind = stay(pod) if on in pods else None
                if kind:
                    pods[on].append(PodOnMachine(pod["metadata"]["namespace"], pod["metadata"]["name"], kind))
        return pods

    def cordon(self, node: Node) -> None:
        """Keep new pods away from a node because its group shrinks."""
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        change = {"metadata": {"annotations": {LEAVING_ANNOTATION: now}}, "spec": {"unschedulable": True}}
        self._core.patch_node(node.name, change, _request_timeout=REQUEST_TIMEOUT_SECONDS)

    def evict(self, pod: PodOnMachine) -> bool:
        """Have a pod end, with all the time that it may take; whether its disruption budget allows it now."""
        from kubernetes.client import ApiException, V1Eviction, V1ObjectMeta

        body = V1Eviction(metadata=V1ObjectMeta(name=pod.name, namespace=pod.namespace))
        try:
            self._core.create_namespaced_pod_eviction(
                pod.name, pod.namespace, body, _request_timeout=REQUEST_TIMEOUT_SECONDS
            )
        except ApiException as error:
            if error.status == HTTPStatus.TOO_MANY_REQUESTS:
                return False
            if error.status != HTTPStatus.NOT_FOUND:
                raise
        return True

    def _list_pods(self, selector: str | None) -> Iterator[dict[str, Any]]:
        serialize: Callable[[Any], Any] = self._core.api_client.sanitize_for_serialization
        more: dict[str, Any] = {"field_selector": selector} if selector else {}
        while True:
            answer = self._core.list_pod_for_all_namespaces(
                limit=PAGE, _request_timeout=REQUEST_TIMEOUT_SECONDS, **more
            )
            yield from map(serialize, answer.items)
            if not (answer.metadata and answer.metadata._continue):
                return
            more["_continue"] = answer.metadata._continue


def set_bounds(place: "Place", cluster: str, group: str, **bounds: int) -> None:
    """Change bounds of a managed node group, `minSize` or `maxSize`, and wait until EKS has. Raises NoAnswer.

    The other sizes stay as Auto Scaling has them
    (https://docs.aws.amazon.com/eks/latest/APIReference/API_NodegroupScalingConfig.html).
    """
    from doctor.account import NoAnswer

    key = {"nodegroupName": group}
    answer = place.ask("eks", "update_nodegroup_config", clusterName=cluster, scalingConfig=bounds, **key)
    while (update := answer["update"])["status"] == "InProgress":
        sleep(UPDATE_POLL_SECONDS)
        answer = place.ask("eks", "describe_update", name=cluster, updateId=update["id"], **key)
    if update["status"] != "Successful":
        reasons = "; ".join(error["errorMessage"] for error in update.get("errors", ()))
        raise NoAnswer("", f"eks UpdateNodegroupConfig of {group}: {update['status']}, {reasons}")


def terminate(place: "Place", instance: str) -> None:
    """End a machine, and have its group be one smaller. Raises NoAnswer.

    https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_TerminateInstanceInAutoScalingGroup.html
    """
    place.ask(
        "autoscaling",
        "terminate_instance_in_auto_scaling_group",
        InstanceId=instance,
        ShouldDecrementDesiredCapacity=True,
    )


def _node(node: Any) -> Node:
    labels, annotations = node.metadata.labels or {}, node.metadata.annotations or {}
    cordoned = bool(node.spec.unschedulable)
    return Node(
        name=node.metadata.name,
        group=labels[GROUP_LABEL],
        zone=labels.get(ZONE_LABEL, ""),
        # aws:///us-east-1a/i-0123456789abcdef0
        instance=(node.spec.provider_id or "").rpartition("/")[2],
        cordoned=cordoned,
        # Who uncordons it by hand has it back.
        leaving=cordoned and LEAVING_ANNOTATION in annotations,
    )
