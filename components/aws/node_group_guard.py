"""What keeps an update from taking machines away under running drivers."""

import asyncio
import json
from collections.abc import Callable
from concurrent.futures import Future
from itertools import chain, repeat
from typing import Any, TypeVar

import pulumi

from moka.names import DRIVER_SELECTOR

GROUP_LABEL = "eks.amazonaws.com/nodegroup"
"""Label that EKS gives the nodes of a managed group."""

RUNNING = "status.phase!=Succeeded,status.phase!=Failed"

PAUSES = (1, 2, 4, 8, 16, 30)
"""Seconds between one look at the cluster and the next; the last one from then on."""

TRIES = 3
"""Questions to the cluster that may go unanswered, one after the other."""

HARMLESS = frozenset({"__defaults", "defaultVersion", "tags", "tagsAll", "updateDefaultVersion"})
"""Inputs of a launch template that are about itself, not about the machines."""

Answer = TypeVar("Answer")


class NodeGroupGuard:
    """Hooks that Pulumi runs before it changes or deletes a node group of one cluster.

    cluster: its name; part of the hooks' names.
    kubeconfig: JSON; waited for only when a hook has a question to the cluster.

    same_kind: for launch templates. Refuses, at preview already, what would replace the group: other
        instance types, another architecture or way to buy, other zones. The template's description says them.
    same_machines: for launch templates of groups whose machines must stay. Refuses every change of them.
    not_smaller: for node groups. Refuses a change of bounds that would shrink the group: EKS is given bounds
        only together with a size, and the state's may be old.
    drivers_finished: for node groups. Waits, before a deletion, until no driver runs on the group's nodes.

    The state knows a hook by its name, so every run of the program has to make the guard, above all the one
    that deletes a group and no longer names it.
    """

    def __init__(self, cluster: str, kubeconfig: pulumi.Input[str]) -> None:
        self.cluster = cluster
        self._kubeconfig: Future[str] = Future()
        pulumi.Output.from_input(kubeconfig).apply(self._kubeconfig.set_result)
        early = pulumi.ResourceHookOptions(on_dry_run=True)
        self.same_kind = pulumi.ResourceHook(f"{cluster}-same-kind", same_kind, early)
        self.same_machines = pulumi.ResourceHook(f"{cluster}-same-machines", same_machines, early)
        self.not_smaller = pulumi.ResourceHook(f"{cluster}-not-smaller", self._not_smaller)
        self.drivers_finished = pulumi.ResourceHook(f"{cluster}-drivers-finished", self._drivers_finished)

    async def _not_smaller(self, args: pulumi.ResourceHookArgs) -> None:
        old, new = args.old_inputs or {}, args.new_inputs or {}
        if old.get("scalingConfig") == new.get("scalingConfig"):
            return
        group, size = new["nodeGroupName"], int(new["scalingConfig"]["desiredSize"])
        there = await self._ask(group, nodes)
        if len(there) > size:
            raise ValueError(
                f"node group {group} of {self.cluster} has {len(there)} nodes, and a change of its bounds "
                f"would bring it to {size}, the size that this stack last saw: run this again with --refresh"
            )

    async def _drivers_finished(self, args: pulumi.ResourceHookArgs) -> None:
        group = (args.old_inputs or {})["nodeGroupName"]
        told: list[str] = []
        pauses = chain(PAUSES, repeat(PAUSES[-1]))
        while left := await self._ask(group, drivers):
            if left != told:
                pulumi.log.info(waiting(self.cluster, group, left))
                told = left
            await asyncio.sleep(next(pauses))

    async def _ask(self, group: str, question: Callable[[str, str], Answer]) -> Answer:
        kubeconfig = await asyncio.wrap_future(self._kubeconfig)
        for attempt in range(TRIES):
            try:
                return await asyncio.to_thread(question, kubeconfig, group)
            except Exception as error:
                reason = str(error).strip().splitlines() or [type(error).__name__]
                if attempt == TRIES - 1:
                    raise ValueError(
                        f"cannot ask {self.cluster} what runs on node group {group} ({reason[0]}), so it "
                        "stays: see that the API server can be reached from here, then run this again"
                    ) from error
            await asyncio.sleep(PAUSES[attempt])
        raise AssertionError("TRIES is at least 1")


def same_kind(args: pulumi.ResourceHookArgs) -> None:
    """Raise ValueError when a launch template's description, the kind of its machines, would change."""
    old, new = args.old_inputs or {}, args.new_inputs or {}
    if old.get("description") != new.get("description"):
        raise ValueError(refusal(args.name, f"{old.get('description')} -> {new.get('description')}"))


def same_machines(args: pulumi.ResourceHookArgs) -> None:
    """Raise ValueError when anything that a launch template says of its machines would change."""
    same_kind(args)
    old, new = args.old_inputs or {}, args.new_inputs or {}
    changed = sorted(key for key in (old.keys() | new.keys()) - HARMLESS if old.get(key) != new.get(key))
    if changed:
        raise ValueError(refusal(args.name, ", ".join(changed)))


def refusal(group: str, change: str) -> str:
    """Why a change of a group's machines is refused, and what to do."""
    return (
        f"this would replace the machines of node group {group} under what runs on them ({change}): count up "
        "its generation and list the present one under retiring, or take the change back"
    )


def waiting(cluster: str, group: str, left: list[str]) -> str:
    """What a person is told while drivers run."""
    some = ", ".join(left[:3]) + (f" and {len(left) - 3} more" if len(left) > 3 else "")
    count = "1 driver" if len(left) == 1 else f"{len(left)} drivers"
    return (
        f"Node group {group} of {cluster} goes once {count} on it finished: {some}. "
        "It is safe to stop here, with Ctrl-C twice; the next `up` goes on."
    )


def nodes(kubeconfig: str, group: str) -> list[str]:
    """Names of the nodes of a node group."""
    listed = _core(kubeconfig).list_node(label_selector=f"{GROUP_LABEL}={group}", _request_timeout=30)
    return [node.metadata.name for node in listed.items]


def drivers(kubeconfig: str, group: str) -> list[str]:
    """Driver pods, `namespace/name`, that have not finished and are on nodes of a node group."""
    there = set(nodes(kubeconfig, group))
    if not there:
        return []
    listed = _core(kubeconfig).list_pod_for_all_namespaces(
        label_selector=DRIVER_SELECTOR, field_selector=RUNNING, _request_timeout=30
    )
    return sorted(
        f"{pod.metadata.namespace}/{pod.metadata.name}" for pod in listed.items if pod.spec.node_name in there
    )


def _core(kubeconfig: str) -> Any:
    # Only when there is a question: the client is a second of loading. A new one for each, as credentials
    # last for minutes and a driver for hours.
    from kubernetes import client, config

    return client.CoreV1Api(config.new_client_from_config_dict(json.loads(kubeconfig)))  # type: ignore[no-untyped-call]
