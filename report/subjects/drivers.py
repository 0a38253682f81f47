"""Which drivers would wait: for nodes, a scheduler, a queue; what is refused; who waits for drivers."""

from collections.abc import Iterator, Mapping

from previews import Preview, State, Step
from previews.values import at, differs, mapping, sequence, text
from report.model import Finding, Section
from report.node_groups import NODE_GROUP, group_name, retiring, role, size
from report.subjects.job_admission import POLICY, refusals
from report.subjects.queue_tree import CONFIG_MAP, is_queues, queue_states
from report.subjects.queues import lower
from report.words import change, code, count

RELEASE = "kubernetes:helm.sh/v3:Release"
QUOTA = "kubernetes:core/v1:ResourceQuota"
LIMITS = "kubernetes:core/v1:LimitRange"

RESTARTS = {
    "yunikorn": "while YuniKorn restarts, no pod of a job is placed: new drivers and executors wait",
    "spark-operator": "while the Spark Operator restarts, jobs that are submitted wait, and so do retries",
}
"""Chart -> what waits while its release is upgraded: one replica of each is active."""


UPGRADING = ("values", "version", "chart")
"""Inputs of a release by which its pods are others."""


def drivers(preview: Preview) -> Section:
    """The section of what drivers wait for."""
    findings = [
        *(finding for step in preview.changes_of(NODE_GROUP) for finding in _groups(step)),
        *(finding for step in preview.changes_of(RELEASE) for finding in _restarts(step)),
        *(finding for step in preview.changes_of(CONFIG_MAP) for finding in _queues(step)),
        *(finding for step in preview.changes_of(QUOTA) for finding in _quotas(step)),
        *(finding for step in preview.changes_of(LIMITS) for finding in _limits(step)),
        *(finding for step in preview.changes_of(POLICY) for finding in refusals(step)),
    ]
    return Section(subject="drivers", title="Drivers that would wait", findings=findings)


def _groups(step: Step) -> Iterator[Finding]:
    if role(step.state) != "driver" or step.old is None:
        return
    name = group_name(step)
    if step.op == "delete" and retiring(step.old):
        yield Finding(
            weight="look",
            says=f"`up` waits until the drivers on {name} have finished, however long that takes.",
        )
    elif step.op == "delete":
        yield Finding(
            weight="stop",
            says=f"**Node group {name} is deleted without having been retired: drivers on it are evicted.**",
        )
    elif step.new is not None:
        before, after = size(step.old).maximum, size(step.new).maximum
        if retiring(step.new) and not retiring(step.old):
            yield Finding(
                weight="look",
                says=f"No new driver is placed on {name} any more; those that run there finish.",
            )
        elif after < before:
            yield Finding(
                weight="look",
                says=f"{name} has at most {change(count(before, 'node'), count(after, 'node'))}: drivers "
                "that would be there now wait for others to finish.",
            )


def _restarts(step: Step) -> Iterator[Finding]:
    chart = text(step.state.inputs.get("chart")).rpartition("/")[2]
    if chart not in RESTARTS or step.old is None:
        return
    if step.new is None or step.op == "replace":
        fate = "replaced" if step.new else "deleted"
        sentence = f"**Release {code(step.name)} is {fate}: no job starts until it is back.**"
        yield Finding(weight="stop", says=sentence)
    elif any(differs(step.old.inputs.get(key), step.new.inputs.get(key)) for key in UPGRADING):
        versions = change(step.old.inputs.get("version"), step.new.inputs.get("version"))
        yield Finding(
            weight="look", says=f"Release {code(step.name)} is upgraded ({versions}): {RESTARTS[chart]}."
        )


def _queues(step: Step) -> Iterator[Finding]:
    if not is_queues(step.state):
        return
    try:
        before, after = queue_states(step.old) or {}, queue_states(step.new) or {}
    except ValueError:
        return
    for path, bounds in lower(before, after):
        yield Finding(
            weight="look", says=f"In queue {code(path)} there may be {bounds}: what is above waits."
        )


def _quotas(step: Step) -> Iterator[Finding]:
    if step.old is None or step.new is None:
        return
    before, after = (mapping(at(state.inputs, "spec.hard")) for state in (step.old, step.new))
    namespace = code(text(at(step.new.inputs, "metadata.namespace")))
    for name, bounds in _bounds(before, after):
        follows = "what is above it is refused" if name in after else "nothing refuses more"
        yield Finding(weight="look", says=f"Namespace {namespace} may hold {code(name)} {bounds}: {follows}.")


def _limits(step: Step) -> Iterator[Finding]:
    """Bounds of one container."""
    if step.old is None or step.new is None:
        return
    before, after = (_largest(state) for state in (step.old, step.new))
    namespace = code(text(at(step.new.inputs, "metadata.namespace")))
    for name, bounds in _bounds(before, after):
        more = ", and no more" if name in after else ""
        sentence = f"A container in namespace {namespace} may have {code(name)} {bounds}{more}."
        yield Finding(weight="look", says=sentence)


def _bounds(before: Mapping[str, object], after: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Names of bounds that change, those that go included, and from what to what."""
    for name in {**after, **before}:
        if after.get(name) != before.get(name):
            yield name, change(before.get(name, "no bound"), after.get(name, "no bound"))


def _largest(state: State) -> dict[str, object]:
    return {
        str(name): amount
        for limit in map(mapping, sequence(at(state.inputs, "spec.limits")))
        if limit.get("type") == "Container"
        for name, amount in mapping(limit.get("max")).items()
    }
