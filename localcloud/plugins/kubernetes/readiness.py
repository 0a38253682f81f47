"""When an object is ready, by its kind; all pure: from the object as it is to a verdict."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from localcloud.errors import Refusal
from localcloud.plugins.kubernetes import objects
from localcloud.plugins.kubernetes.kinds import Kind

MINUTES = 60.0

Thing = Mapping[str, Any]


@dataclass(frozen=True)
class Verdict:
    """Whether to go on waiting.

    ready: it is as it should be. hopeless: it will not become so. why: what is missing, in few words.
    """

    ready: bool = False
    hopeless: bool = False
    why: str = ""


READY = Verdict(ready=True)


def waiting(why: str) -> Verdict:
    """It may become ready."""
    return Verdict(why=why)


def failed(why: str) -> Verdict:
    """It will not become ready by itself."""
    return Verdict(hopeless=True, why=why)


@dataclass(frozen=True)
class Wait:
    """How to tell that objects of a kind are ready, and how long to be patient, as the real provider is."""

    judge: Callable[[Thing], Verdict]
    seconds: float = 10 * MINUTES


def condition(thing: Thing, name: str) -> Mapping[str, Any]:
    """A condition of an object's status; {} where it has none of that type."""
    conditions = status(thing).get("conditions") or []
    return next((each for each in conditions if each.get("type") == name), {})


def status(thing: Thing) -> Mapping[str, Any]:
    """An object's status."""
    return thing.get("status") or {}


def spec(thing: Thing) -> Mapping[str, Any]:
    """An object's spec."""
    return thing.get("spec") or {}


def _said(found: Mapping[str, Any]) -> str:
    return ": ".join(filter(None, (str(found.get("reason") or ""), str(found.get("message") or ""))))


def _observed(thing: Thing) -> bool:
    generation = objects.metadata(thing).get("generation") or 0
    return (status(thing).get("observedGeneration") or 0) >= generation


def _phase(*good: str, bad: Sequence[str] = ()) -> Callable[[Thing], Verdict]:
    def judge(thing: Thing) -> Verdict:
        phase = status(thing).get("phase") or ""
        if phase in good:
            return READY
        why = f"it is {phase or 'not taken up by any controller yet'}"
        return failed(why) if phase in bad else waiting(why)

    return judge


def pod(thing: Thing) -> Verdict:
    """Whether a pod runs and is ready, or has done its work."""
    phase = status(thing).get("phase") or ""
    if phase == "Succeeded" or condition(thing, "Ready").get("status") == "True":
        return READY
    if phase == "Failed":
        return failed(_said(status(thing)) or "it failed")
    for each in status(thing).get("containerStatuses") or []:
        held = (each.get("state") or {}).get("waiting") or {}
        if held.get("reason") not in (None, "ContainerCreating", "PodInitializing"):
            return waiting(f"container {each.get('name')}: {_said(held)}")
    missing = condition(thing, "PodScheduled")
    if missing.get("status") == "False":
        return waiting(_said(missing))
    return waiting(_said(condition(thing, "Ready")) or f"it is {phase or 'not scheduled yet'}")


def replicas(kind: Kind, thing: Thing) -> int:
    """How many pods an object wants that machines may lack for; 0 for one that makes as many as there fit."""
    counted = kind.group == "apps" and kind.name in ("Deployment", "StatefulSet")
    return int(spec(thing).get("replicas", 1)) if counted else 0


def full(wanted: int, pods: Iterable[Thing]) -> Verdict:
    """Whether the machines that are there hold as many of the wanted pods as they can, at least one."""
    found = list(pods)
    ready = [each for each in found if pod(each).ready]
    short = [each for each in found if condition(each, "PodScheduled").get("reason") == "Unschedulable"]
    settled = len(ready) + len(short) == len(found) and (short or len(found) >= wanted)
    if ready and settled:
        return READY
    return waiting(f"{len(ready)} of {wanted} pods are ready, {len(short)} find no machine")


def _deployment(thing: Thing) -> Verdict:
    if not _observed(thing):
        return waiting("the controller has not taken it up yet")
    progress = condition(thing, "Progressing")
    if progress.get("reason") == "ProgressDeadlineExceeded":
        return failed(_said(progress))
    wanted = spec(thing).get("replicas", 1)
    now = status(thing)
    updated = now.get("updatedReplicas") or 0
    if updated < wanted:
        stuck = condition(thing, "ReplicaFailure")
        return waiting(_said(stuck) or f"{updated} of {wanted} pods are of the new template")
    old = (now.get("replicas") or 0) - updated
    if old > 0:
        return waiting(f"{old} pods of the former template are still there")
    available = now.get("availableReplicas") or 0
    if available < updated:
        return waiting(f"{available} of {updated} pods are available")
    return READY


def _stateful_set(thing: Thing) -> Verdict:
    if not _observed(thing):
        return waiting("the controller has not taken it up yet")
    strategy = spec(thing).get("updateStrategy") or {}
    wanted = spec(thing).get("replicas", 1)
    now = status(thing)
    ready = now.get("readyReplicas") or 0
    if ready < wanted:
        return waiting(f"{ready} of {wanted} pods are ready")
    if strategy.get("type") == "OnDelete":
        return READY
    partition = (strategy.get("rollingUpdate") or {}).get("partition") or 0
    updated = now.get("updatedReplicas") or 0
    if now.get("updateRevision") != now.get("currentRevision") and updated < wanted - partition:
        return waiting(f"{updated} of {wanted - partition} pods are of the new template")
    return READY


def _daemon_set(thing: Thing) -> Verdict:
    if not _observed(thing):
        return waiting("the controller has not taken it up yet")
    now = status(thing)
    wanted = now.get("desiredNumberScheduled") or 0
    strategy = (spec(thing).get("updateStrategy") or {}).get("type")
    updated = now.get("updatedNumberScheduled") or 0
    if strategy != "OnDelete" and updated < wanted:
        return waiting(f"{updated} of {wanted} pods are of the new template")
    available = now.get("numberAvailable") or 0
    return READY if available >= wanted else waiting(f"{available} of {wanted} pods are available")


def _job(thing: Thing) -> Verdict:
    if condition(thing, "Complete").get("status") == "True" or spec(thing).get("suspend"):
        return READY
    failure = condition(thing, "Failed")
    if failure.get("status") == "True":
        return failed(_said(failure) or "it failed")
    return waiting(f"{status(thing).get('succeeded') or 0} of its pods have succeeded")


def _definition(thing: Thing) -> Verdict:
    named = condition(thing, "NamesAccepted")
    if named.get("status") == "False":
        return failed(_said(named))
    established = condition(thing, "Established")
    return (
        READY if established.get("status") == "True" else waiting(_said(established) or "not established yet")
    )


def _replication_controller(thing: Thing) -> Verdict:
    wanted, now = spec(thing).get("replicas", 1), status(thing).get("availableReplicas") or 0
    return READY if now >= wanted else waiting(f"{now} of {wanted} pods are available")


def _quota(thing: Thing) -> Verdict:
    same = (spec(thing).get("hard") or {}) == (status(thing).get("hard") or {})
    return READY if same else waiting("the quota controller has not taken it up yet")


def _secret(thing: Thing) -> Verdict:
    if thing.get("type") != "kubernetes.io/service-account-token" or thing.get("data"):
        return READY
    return waiting("its token is not made yet")


def addressed(thing: Thing) -> Verdict:
    """Whether a load balancer has been found for a Service or an Ingress."""
    if (status(thing).get("loadBalancer") or {}).get("ingress"):
        return READY
    return waiting("no load balancer has given it an address")


def _service(thing: Thing) -> Verdict:
    return addressed(thing) if spec(thing).get("type") == "LoadBalancer" else READY


WAITS: Mapping[tuple[str, str], Wait] = {
    ("", "Namespace"): Wait(_phase("Active")),
    ("", "Pod"): Wait(pod),
    ("", "PersistentVolume"): Wait(_phase("Available", "Bound", bad=("Failed",)), 5 * MINUTES),
    ("", "PersistentVolumeClaim"): Wait(_phase("Bound", bad=("Lost",)), 5 * MINUTES),
    ("", "ReplicationController"): Wait(_replication_controller),
    ("", "ResourceQuota"): Wait(_quota, 1 * MINUTES),
    ("", "Secret"): Wait(_secret, 5.0),
    ("", "Service"): Wait(_service),
    ("apps", "DaemonSet"): Wait(_daemon_set),
    ("apps", "Deployment"): Wait(_deployment),
    ("apps", "StatefulSet"): Wait(_stateful_set),
    ("batch", "Job"): Wait(_job),
    ("networking.k8s.io", "Ingress"): Wait(addressed),
    ("apiextensions.k8s.io", "CustomResourceDefinition"): Wait(_definition, 1 * MINUTES),
}
"""What is waited for, by group and kind; everything else is ready when it is there."""


def wait_for(kind: Kind, inputs: Thing) -> Wait | None:
    """What to wait for before an object counts as made; None for nothing.

    Raises Refusal for a `pulumi.com/waitFor` that cannot be understood.
    """
    if objects.asks(inputs, objects.SKIP_AWAIT):
        return None
    said = objects.annotation(inputs, objects.WAIT_FOR)
    if said is None:
        return WAITS.get((kind.group, kind.name))
    wanted = json.loads(said) if said.startswith("[") else [said]
    judges = [_custom(each) for each in wanted]

    def judge(thing: Thing) -> Verdict:
        return next((verdict for each in judges if not (verdict := each(thing)).ready), READY)

    return Wait(judge)


def _custom(text: str) -> Callable[[Thing], Verdict]:
    """The judge that `condition=Type[=Status]` or `jsonpath={.a.b}[=value]` describes."""
    form, _, rest = text.partition("=")
    if form == "condition":
        name, _, value = rest.partition("=")
        return lambda thing: _equal(condition(thing, name).get("status"), value or "True", text)
    if form == "jsonpath" and rest.startswith("{.") and "}" in rest and not set(rest) & set("[]*?@"):
        path, _, value = rest[2:].partition("}")
        # A dot that is part of a key has a backslash before it.
        steps = [step.replace("\\.", ".") for step in re.split(r"(?<!\\)\.", path)]
        return lambda thing: _equal(_at(thing, steps), value.removeprefix("="), text)
    raise Refusal(
        f"The annotation {objects.WAIT_FOR}: {text} is not understood on the laptop: "
        "write condition=<type>[=<status>] or jsonpath={.path.to.field}[=<value>]."
    )


def _equal(found: Any, wanted: str, text: str) -> Verdict:
    held = found is not None if not wanted else str(found).lower() == wanted.lower()
    return READY if held else waiting(f"{text} does not hold")


def _at(thing: Any, path: Sequence[str]) -> Any:
    for step in path:
        thing = thing.get(step) if isinstance(thing, Mapping) else None
    return thing
