"""Hooks that keep an update from removing machines under running drivers."""

import asyncio
import json
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from itertools import chain, repeat
from typing import Any, TypeVar

import pulumi

from moka.names import CELEBORN_NAMESPACE, ENVIRONMENT_TAG, GENERATION_LABEL, NODE_GROUP_LABEL

GROUP_LABEL = "eks.amazonaws.com/nodegroup"
"""Label that EKS gives the nodes of a managed group."""

NOT_FINISHED = "status.phase!=Succeeded,status.phase!=Failed"

SPARK_ROLE = "spark-role"
"""Label that Spark gives drivers and executors."""

WORKER_SELECTOR = "app.kubernetes.io/name=celeborn,app.kubernetes.io/role=worker"

TIMEOUT_SECONDS = 30

PAUSES_SECONDS = (1, 2, 4, 8, 16, 30)
"""Between one look at the cluster and the next; the last one from then on."""

MAX_TRIES = 3
"""Requests to the cluster, after which it cannot be reached."""

OWN_INPUTS = frozenset({"__defaults", "defaultVersion", "tags", "tagsAll", "updateDefaultVersion"})
"""Inputs of a launch template that are about itself, not about the machines."""

Answer = TypeVar("Answer")


class NodeGroupGuard:
    """Hooks that Pulumi runs before it changes or deletes a node group of one cluster.

    cluster: its name; part of the hooks' names.
    kubeconfig: JSON; waited for only when a hook asks the cluster.

    same_kind: for launch templates. Refuses, at preview already, what would replace the group: other
        instance types, another architecture or way to buy, other zones. The template's description says them.
    same_machines: for launch templates of groups whose machines must stay. Refuses every change of them.
    not_smaller: for node groups. Refuses a change of bounds that would shrink the group: EKS is given bounds
        only together with a size, and the state's may be old.
    emptied: for node groups. Waits, before a deletion, until no driver, executor or worker of Celeborn is on
        the group's nodes: EKS gives a node five minutes to be drained, whatever runs there
        (https://docs.aws.amazon.com/eks/latest/userguide/delete-managed-node-group.html). It names the
        command that drains them, without which workers stay for ever.

    The state knows a hook by its name, so every run of the program has to make the guard, above all the one
    that deletes a group and no longer names it.
    """

    same_kind: pulumi.ResourceHook
    same_machines: pulumi.ResourceHook
    not_smaller: pulumi.ResourceHook
    emptied: pulumi.ResourceHook

    def __init__(self, cluster: str, kubeconfig: pulumi.Input[str]) -> None:
        self.cluster = cluster
        self._kubeconfig: Future[str] = Future()
        pulumi.Output.from_input(kubeconfig).apply(self._kubeconfig.set_result)
        early = pulumi.ResourceHookOptions(on_dry_run=True)
        self.same_kind = pulumi.ResourceHook(f"{cluster}-same-kind", same_kind, early)
        self.same_machines = pulumi.ResourceHook(f"{cluster}-same-machines", same_machines, early)
        self.not_smaller = pulumi.ResourceHook(f"{cluster}-not-smaller", self._not_smaller)
        # The name is in states from when it waited for drivers only.
        self.emptied = pulumi.ResourceHook(f"{cluster}-drivers-finished", self._emptied)

    async def _not_smaller(self, args: pulumi.ResourceHookArgs) -> None:
        old, new = args.old_inputs or {}, args.new_inputs or {}
        if old.get("scalingConfig") == new.get("scalingConfig"):
            return
        group, size = new["nodeGroupName"], int(new["scalingConfig"]["desiredSize"])
        existing = await self._ask(group, nodes)
        fixed = new["scalingConfig"].get("minSize") == new["scalingConfig"].get("maxSize")
        if len(existing) > size and fixed:
            raise ValueError(
                f"node group {group} of {self.cluster} has {len(existing)} nodes, and would lose machines "
                f"under what runs on them to come down to {size}: have `moka shrink` empty and end so many "
                "first, or take the change back"
            )
        if len(existing) > size:
            raise ValueError(
                f"node group {group} of {self.cluster} has {len(existing)} nodes, and a change of its bounds "
                f"would bring it to {size}, the size that this stack last saw: run this again with --refresh"
            )

    async def _emptied(self, args: pulumi.ResourceHookArgs) -> None:
        inputs = args.old_inputs or {}
        group = inputs["nodeGroupName"]
        reported: list[str] = []
        pauses = chain(PAUSES_SECONDS, repeat(PAUSES_SECONDS[-1]))
        while running := await self._ask(group, waited_for):
            if running != reported:
                machines = await self._ask(group, lambda kubeconfig, _: generation_nodes(kubeconfig, inputs))
                command = shrink_command(self.cluster, inputs, len(machines))
                pulumi.log.info(waiting_message(self.cluster, group, running, command))
                reported = running
            await asyncio.sleep(next(pauses))

    async def _ask(self, group: str, question: Callable[[str, str], Answer]) -> Answer:
        kubeconfig = await asyncio.wrap_future(self._kubeconfig)
        for attempt in range(MAX_TRIES):
            try:
                return await asyncio.to_thread(question, kubeconfig, group)
            except Exception as error:
                reason = str(error).strip().splitlines() or [type(error).__name__]
                if attempt == MAX_TRIES - 1:
                    raise ValueError(
                        f"cannot ask {self.cluster} what runs on node group {group} ({reason[0]}), so it "
                        "stays: check that the API server can be reached from here, then run this again"
                    ) from error
            await asyncio.sleep(PAUSES_SECONDS[attempt])
        raise AssertionError("MAX_TRIES is at least 1")


def same_kind(args: pulumi.ResourceHookArgs) -> None:
    """Raise ValueError when a launch template's description, the kind of its machines, would change."""
    old, new = args.old_inputs or {}, args.new_inputs or {}
    if old.get("description") != new.get("description"):
        raise ValueError(refusal(args.name, f"{old.get('description')} -> {new.get('description')}"))


def same_machines(args: pulumi.ResourceHookArgs) -> None:
    """Raise ValueError when anything that a launch template says of its machines would change."""
    same_kind(args)
    old, new = args.old_inputs or {}, args.new_inputs or {}
    changed_inputs = sorted(
        key for key in (old.keys() | new.keys()) - OWN_INPUTS if old.get(key) != new.get(key)
    )
    if changed_inputs:
        raise ValueError(refusal(args.name, ", ".join(changed_inputs)))


def refusal(group: str, change: str) -> str:
    """Why a change of a group's machines is refused, and what to do."""
    return (
        f"this would replace the machines of node group {group} under what runs on them ({change}): count up "
        "its generation and list the present one under retiring, or take the change back"
    )


def waiting_message(cluster: str, group: str, pods: list[str], command: str) -> str:
    """Progress message while pods, `role namespace/name`, are waited for.

    command: that drains executors and workers, and ends their machines.
    """
    names = ", ".join(pods[:3]) + (f" and {len(pods) - 3} more" if len(pods) > 3 else "")
    roles = {pod.partition(" ")[0] for pod in pods}
    drains = ""
    if "worker" in roles:
        drains = (
            f"Workers of Celeborn never end by themselves: `{command}`, or fewer at a time, drains them. "
        )
    elif "executor" in roles:
        drains = f"`{command}` drains executors sooner. "
    return (
        f"Node group {group} of {cluster} is deleted once what runs on it has ended: {names}. {drains}"
        "It is safe to stop here, with Ctrl-C twice; the next `up` continues."
    )


def shrink_command(cluster: str, inputs: Mapping[str, Any], machines: int) -> str:
    """The command that empties and ends all machines of a generation of a group.

    inputs: of its EKS node group; what they do not say stands there as in the command's help.
    """
    labels, tags = inputs.get("labels") or {}, inputs.get("tags") or {}
    return (
        f"moka shrink {tags.get(ENVIRONMENT_TAG, 'ENVIRONMENT')} {cluster} "
        f"{labels.get(NODE_GROUP_LABEL, 'GROUP')} --generation {labels.get(GENERATION_LABEL, 'NUMBER')} "
        f"--by {machines}"
    )


def generation_nodes(kubeconfig: str, inputs: Mapping[str, Any]) -> list[str]:
    """Names of the nodes of a generation, in all its zones; without labels, of the EKS node group only."""
    labels = inputs.get("labels") or {}
    group_labels = {key: labels[key] for key in (NODE_GROUP_LABEL, GENERATION_LABEL) if key in labels}
    return _nodes(kubeconfig, group_labels or {GROUP_LABEL: inputs["nodeGroupName"]})


def nodes(kubeconfig: str, group: str) -> list[str]:
    """Names of the nodes of a node group."""
    return _nodes(kubeconfig, {GROUP_LABEL: group})


def waited_for(kubeconfig: str, group: str) -> list[str]:
    """Drivers, executors and workers of Celeborn on the nodes of a node group: `role namespace/name`."""
    node_names = set(nodes(kubeconfig, group))
    if not node_names:
        return []
    core = _core(kubeconfig)
    options = {"field_selector": NOT_FINISHED, "_request_timeout": TIMEOUT_SECONDS}
    jobs = core.list_pod_for_all_namespaces(label_selector=f"{SPARK_ROLE} in (driver,executor)", **options)
    workers = core.list_namespaced_pod(CELEBORN_NAMESPACE, label_selector=WORKER_SELECTOR, **options)
    return sorted(
        f"{pod.metadata.labels.get(SPARK_ROLE, 'worker')} {pod.metadata.namespace}/{pod.metadata.name}"
        for pod in (*jobs.items, *workers.items)
        if pod.spec.node_name in node_names
    )


def _nodes(kubeconfig: str, labels: Mapping[str, str]) -> list[str]:
    selector = ",".join(f"{key}={value}" for key, value in labels.items())
    listing = _core(kubeconfig).list_node(label_selector=selector, _request_timeout=TIMEOUT_SECONDS)
    return [node.metadata.name for node in listing.items]


def _core(kubeconfig: str) -> Any:
    # Only when it is needed: the client is a second of loading. A new one for each request, as credentials
    # last for minutes and a driver for hours.
    from kubernetes import client, config

    return client.CoreV1Api(config.new_client_from_config_dict(json.loads(kubeconfig)))  # type: ignore[no-untyped-call]
