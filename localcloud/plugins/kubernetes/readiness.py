"""Whether an object is ready, by its kind; pure functions of the live object."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from localcloud.errors import Refusal
from localcloud.plugins.kubernetes import objects
from localcloud.plugins.kubernetes.kinds import Kind

MINUTES = 60.0

STEP = re.compile(r"\.([^\W\d]\w*)|\['([^']+)'\]")
PATH = re.compile(rf"\{{(?P<steps>(?:{STEP.pattern})+)\}}(?:=(?P<value>.+))?")
"""What the provider reads as RFC 9535: after a dot a name of letters, digits and `_`, all others in brackets
(pulumi/pulumi-kubernetes: provider/pkg/jsonpath; theory/jsonpath: parser/lex.go)."""

Thing = Mapping[str, Any]


@dataclass(frozen=True)
class Verdict:
    """Whether to go on waiting.

    ready: it is as it should be. failed: it will not become so. reason: what is missing, in few words.
    """

    ready: bool = False
    failed: bool = False
    reason: str = ""


READY = Verdict(ready=True)


def pending(reason: str) -> Verdict:
    """It may become ready."""
    return Verdict(reason=reason)


def failure(reason: str) -> Verdict:
    """It will not become ready by itself."""
    return Verdict(failed=True, reason=reason)


@dataclass(frozen=True)
class Wait:
    """What objects of a kind are waited for, and how long, as by the real provider."""

    judge: Callable[[Thing], Verdict]
    seconds: float = 10 * MINUTES


def condition(thing: Thing, name: str) -> Mapping[str, Any]:
    """A condition of an object's status; {} where it has none of that type."""
    conditions = status(thing).get("conditions") or []
    return next((condition for condition in conditions if condition.get("type") == name), {})


def status(thing: Thing) -> Mapping[str, Any]:
    """An object's status."""
    return thing.get("status") or {}


def spec(thing: Thing) -> Mapping[str, Any]:
    """An object's spec."""
    return thing.get("spec") or {}


def _reason(source: Mapping[str, Any]) -> str:
    """Reason and message of a condition, or of another part of a status."""
    return ": ".join(filter(None, (str(source.get("reason") or ""), str(source.get("message") or ""))))


def _observed(judge: Callable[[Thing], Verdict]) -> Callable[[Thing], Verdict]:
    """A judge of objects whose controller has processed their latest change."""

    def judge_observed(thing: Thing) -> Verdict:
        generation = objects.metadata(thing).get("generation") or 0
        if (status(thing).get("observedGeneration") or 0) < generation:
            return pending("its controller has not processed it yet")
        return judge(thing)

    return judge_observed


def _pods(count: int, desired: int, state: str) -> Verdict:
    """Whether enough pods are in a state."""
    return READY if count >= desired else pending(f"{count} of {desired} pods are {state}")


def _phase(*good: str, bad: Sequence[str] = ()) -> Callable[[Thing], Verdict]:
    def judge(thing: Thing) -> Verdict:
        phase = status(thing).get("phase") or ""
        if phase in good:
            return READY
        reason = f"it is {phase}" if phase else "no controller has processed it yet"
        return failure(reason) if phase in bad else pending(reason)

    return judge


def pod(thing: Thing) -> Verdict:
    """Whether a pod runs and is ready, or has succeeded."""
    phase = status(thing).get("phase") or ""
    if phase == "Succeeded" or condition(thing, "Ready").get("status") == "True":
        return READY
    if phase == "Failed":
        return failure(_reason(status(thing)) or "it failed")
    if waiting := next(_waiting_containers(thing), ""):
        return pending(waiting)
    scheduled = condition(thing, "PodScheduled")
    if scheduled.get("status") == "False":
        return pending(_reason(scheduled))
    return pending(_reason(condition(thing, "Ready")) or f"it is {phase or 'not scheduled yet'}")


def pull_failure(thing: Thing) -> str:
    """Why images of a pod are not pulled; empty where they are, or may be yet."""
    return next((text for text in _waiting_containers(thing) if ": ImagePullBackOff" in text), "")


def age(thing: Thing, now: datetime) -> float:
    """Seconds since kubelet took a pod."""
    start = status(thing).get("startTime")
    return (now - datetime.fromisoformat(start)).total_seconds() if start else 0.0


def unscheduled(thing: Thing, now: datetime) -> float:
    """Seconds that a pod has waited for a node; 0 for one that has a node."""
    creation = objects.metadata(thing).get("creationTimestamp")
    if not creation or spec(thing).get("nodeName"):
        return 0.0
    return (now - datetime.fromisoformat(creation)).total_seconds()


def claim_names(thing: Thing) -> Iterator[str]:
    """Names of the claims whose volumes a pod uses, those that are made for it included."""
    for volume in spec(thing).get("volumes") or []:
        if "persistentVolumeClaim" in volume:
            yield str(volume["persistentVolumeClaim"]["claimName"])
        elif "ephemeral" in volume:
            yield f"{objects.metadata(thing)['name']}-{volume['name']}"


def _waiting_containers(thing: Thing) -> Iterator[str]:
    """Containers of a pod that something keeps from starting, and what."""
    for kind in ("initContainerStatuses", "containerStatuses"):
        for container in status(thing).get(kind) or []:
            state = (container.get("state") or {}).get("waiting") or {}
            if state.get("reason") not in (None, "ContainerCreating", "PodInitializing"):
                yield f"container {container.get('name')}: {_reason(state)}"


def replicas(kind: Kind, thing: Thing) -> int:
    """Pods of an object for which machines may be missing; 0 for kinds that make as many pods as fit."""
    has_replicas = kind.group == "apps" and kind.name in ("Deployment", "StatefulSet")
    return int(spec(thing).get("replicas", 1)) if has_replicas else 0


def machines_full(desired: int, pods: Iterable[Thing]) -> Verdict:
    """Whether the machines hold as many of the desired pods as they can, at least one."""
    live = list(pods)
    ready = [thing for thing in live if pod(thing).ready]
    unplaced = [thing for thing in live if condition(thing, "PodScheduled").get("reason") == "Unschedulable"]
    settled = len(ready) + len(unplaced) == len(live) and (unplaced or len(live) >= desired)
    if ready and settled:
        return READY
    return pending(f"{len(ready)} of {desired} pods are ready, {len(unplaced)} find no machine")


@_observed
def _deployment(thing: Thing) -> Verdict:
    progress = condition(thing, "Progressing")
    if progress.get("reason") == "ProgressDeadlineExceeded":
        return failure(_reason(progress))
    desired = spec(thing).get("replicas", 1)
    current = status(thing)
    updates = current.get("updatedReplicas") or 0
    if updates < desired:
        stuck = condition(thing, "ReplicaFailure")
        return pending(_reason(stuck) or f"{updates} of {desired} pods are of the new template")
    old = (current.get("replicas") or 0) - updates
    if old > 0:
        return pending(f"{old} pods of the previous template still exist")
    return _pods(current.get("availableReplicas") or 0, updates, "available")


@_observed
def _stateful_set(thing: Thing) -> Verdict:
    strategy = spec(thing).get("updateStrategy") or {}
    desired = spec(thing).get("replicas", 1)
    current = status(thing)
    ready = _pods(current.get("readyReplicas") or 0, desired, "ready")
    if not ready.ready or strategy.get("type") == "OnDelete":
        return ready
    if current.get("updateRevision") == current.get("currentRevision"):
        return READY
    partition = (strategy.get("rollingUpdate") or {}).get("partition") or 0
    return _pods(current.get("updatedReplicas") or 0, desired - partition, "of the new template")


@_observed
def _daemon_set(thing: Thing) -> Verdict:
    current = status(thing)
    desired = current.get("desiredNumberScheduled") or 0
    # With any strategy (provider/pkg/await/daemonset.go of pulumi-kubernetes, dsAwaiter).
    update = _pods(current.get("updatedNumberScheduled") or 0, desired, "of the new template")
    if not update.ready:
        return update
    return _pods(current.get("numberAvailable") or 0, desired, "available")


def _job(thing: Thing) -> Verdict:
    if condition(thing, "Complete").get("status") == "True" or spec(thing).get("suspend"):
        return READY
    failed = condition(thing, "Failed")
    if failed.get("status") == "True":
        return failure(_reason(failed) or "it failed")
    return pending(f"{status(thing).get('succeeded') or 0} of its pods have succeeded")


def _definition(thing: Thing) -> Verdict:
    names = condition(thing, "NamesAccepted")
    if names.get("status") == "False":
        return failure(_reason(names))
    established = condition(thing, "Established")
    if established.get("status") == "True":
        return READY
    return pending(_reason(established) or "it is not established yet")


def _replication_controller(thing: Thing) -> Verdict:
    available = status(thing).get("availableReplicas") or 0
    return _pods(available, spec(thing).get("replicas", 1), "available")


def _quota(thing: Thing) -> Verdict:
    same = (spec(thing).get("hard") or {}) == (status(thing).get("hard") or {})
    return READY if same else pending("the quota controller has not processed it yet")


def _secret(thing: Thing) -> Verdict:
    if thing.get("type") != "kubernetes.io/service-account-token" or thing.get("data"):
        return READY
    return pending("it has no token yet")


def _address(thing: Thing) -> Verdict:
    """Whether a Service or an Ingress has a load balancer."""
    if (status(thing).get("loadBalancer") or {}).get("ingress"):
        return READY
    return pending("no load balancer has given it an address")


def _service(thing: Thing) -> Verdict:
    return _address(thing) if spec(thing).get("type") == "LoadBalancer" else READY


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
    ("networking.k8s.io", "Ingress"): Wait(_address),
    ("apiextensions.k8s.io", "CustomResourceDefinition"): Wait(_definition, 1 * MINUTES),
}
"""By group and kind; objects of other kinds are ready when they exist."""


def wait_for(kind: Kind, inputs: Thing) -> Wait | None:
    """What to wait for before an object counts as made; None for nothing.

    Raises Refusal for a `pulumi.com/waitFor` that has another form.
    """
    if objects.enabled(inputs, objects.SKIP_AWAIT):
        return None
    text = objects.annotation(inputs, objects.WAIT_FOR)
    if text is None:
        return WAITS.get((kind.group, kind.name))
    judges = [_custom_judge(rule) for rule in (json.loads(text) if text.startswith("[") else [text])]

    def judge(thing: Thing) -> Verdict:
        return next((verdict for judge in judges if not (verdict := judge(thing)).ready), READY)

    return Wait(judge)


def _custom_judge(text: str) -> Callable[[Thing], Verdict]:
    """The judge that `condition=Type[=Status]` or `jsonpath={.a.b}[=value]` describes."""
    form, _, rest = text.partition("=")
    if form == "condition":
        name, _, value = rest.partition("=")
        return lambda thing: _equal(condition(thing, name).get("status"), value or "True", text)
    if form == "jsonpath" and (path := PATH.fullmatch(rest)):
        steps = [name or quotation for name, quotation in STEP.findall(path["steps"])]
        return lambda thing: _equal(_at(thing, steps), path["value"] or "", text)
    raise Refusal(
        f"The annotation {objects.WAIT_FOR}: {text} is not understood on the laptop: "
        "write condition=<type>[=<status>] or jsonpath={.path.to.field}[=<value>], and a field whose name "
        "has a dot or a slash as ['name']."
    )


def _equal(actual: Any, expected: str, text: str) -> Verdict:
    holds = str(actual).lower() == expected.lower() if expected else actual is not None
    return READY if holds else pending(f"{text} does not hold")


def _at(thing: Any, path: Sequence[str]) -> Any:
    for step in path:
        thing = thing.get(step) if isinstance(thing, Mapping) else None
    return thing
