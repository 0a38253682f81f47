"""Which nodes are replaced, and how long that takes; what becomes of control planes."""

from collections.abc import Iterator, Mapping
from typing import Any

from aws_rules.eks.capacity import max_unavailable
from aws_rules.eks.drain import DRAIN_MINUTES, QUIET_MINUTES
from aws_rules.eks.duration import CLUSTER_VERSION_MINUTES, SETUP_MINUTES, update_minutes
from moka.names import RETIRING_TAINT
from previews import Preview, State, Step
from previews.values import at, known, mapping, number, sequence, text
from report.model import Finding, Section
from report.node_groups import NODE_GROUP, group_name, role, size
from report.words import change, code, count, listing, plain

CLUSTER = "aws:eks/cluster:Cluster"

BUDGET = "kubernetes:policy/v1:PodDisruptionBudget"

ROLLING = ("launchTemplate.version", "launchTemplate.id", "launchTemplate.name", "version", "releaseVersion")
"""Inputs of a node group whose change replaces its machines, one after the other. Labels, taints, sizes and
tags change in place (https://docs.aws.amazon.com/eks/latest/APIReference/API_UpdateNodegroupConfig.html), all
else replaces the group."""

LONG_LIVED = {
    "driver": "a driver that is not done by then is evicted, and its job fails",
    "shuffle": "shuffle data on instance storage is lost with its machine",
}
"""Role of nodes -> what a drain of 15 minutes means there (docs/decisions/0006-node-group-generations.md)."""

SOURCE = (
    "Times: EKS replaces a group's machines wave by wave, drains a node within "
    f"{DRAIN_MINUTES} minutes at most, then waits for one "
    "(https://docs.aws.amazon.com/eks/latest/userguide/managed-node-update-behavior.html); "
    "the lower figure is for pods that leave at once, the higher for the group at its maximum."
)


def machines(preview: Preview) -> Section:
    """The section of nodes and control planes."""
    findings = [
        *(finding for step in preview.changes_of(CLUSTER) for finding in _control_plane(step)),
        *(finding for step in preview.changes_of(NODE_GROUP) for finding in _group(step)),
        *(_budget(step) for step in preview.changes_of(BUDGET) if step.op in ("delete", "replace")),
    ]
    rolls = any("minutes" in finding.says for finding in findings)
    return Section(
        subject="machines",
        title="Nodes and control planes",
        findings=findings,
        remark=SOURCE if rolls else "",
    )


def _budget(step: Step) -> Finding:
    sentence = f"Without PodDisruptionBudget {code(step.name)} a drain may take all of its pods at once."
    return Finding(weight="look", says=sentence)


def _control_plane(step: Step) -> Iterator[Finding]:
    if step.old is None or step.new is None or step.op == "replace":
        return
    before, after = step.old.inputs.get("version"), step.new.inputs.get("version")
    if before != after:
        yield Finding(
            weight="look",
            says=f"The control plane of {code(text(step.new.inputs.get('name'), step.name))} goes from "
            f"Kubernetes {change(before, after)} in about {CLUSTER_VERSION_MINUTES} minutes; there is no way "
            "back (https://docs.aws.amazon.com/eks/latest/userguide/update-cluster.html).",
        )


def _group(step: Step) -> Iterator[Finding]:
    name, kind = group_name(step), role(step.state)
    subject = f"Node group {name}{f' ({plain(kind)})' if kind else ''}"
    if step.op in ("create", "import") and step.new:
        yield Finding(weight="note", says=f"{subject} is new: {_nodes(step.new)}.")
    elif step.op == "delete" and kind != "driver":
        yield Finding(weight="look", says=f"{subject} is deleted, with all its nodes{_meaning(kind)}.")
    elif step.op == "replace":
        reason = listing(map(code, step.forces), 3)
        yield Finding(
            weight="stop" if kind in LONG_LIVED else "look",
            says=f"{subject} is replaced as a whole{f', by {reason}' if reason else ''}: all its nodes go"
            f"{_meaning(kind)}.",
        )
    elif step.op == "update" and step.old and step.new:
        reasons = [path for path in ROLLING if at(step.old.inputs, path) != at(step.new.inputs, path)]
        if reasons:
            yield _roll(subject, kind, step.new, step.old, reasons)
        if size(step.old) != size(step.new):
            fewer = size(step.new).maximum < size(step.old).maximum
            yield Finding(
                weight="look" if fewer or size(step.new).minimum < size(step.old).minimum else "note",
                says=f"{subject} has {_nodes(step.old)}, and would have {_nodes(step.new)}"
                f"{_meaning(kind) if fewer else ''}.",
            )
        yield from _taint_changes(subject, kind, step.old, step.new)


def _taint_changes(subject: str, kind: str, old: State, new: State) -> Iterator[Finding]:
    """What comes to the nodes of a group, and what no longer, as its taints change."""
    before, after = _taints(old), _taints(new)
    if lost := before - after:
        sentence = f"{subject} has the taint {listing(sorted(lost))} no more: other pods come to its nodes."
        yield Finding(weight="look", says=sentence)
    # Of driver groups that retire, `drivers` says what it means.
    if fresh := {taint for taint in after - before if kind != "driver" or RETIRING_TAINT not in taint}:
        sentence = (
            f"{subject} has the taint {listing(sorted(fresh))}: pods without its toleration come no more."
        )
        yield Finding(weight="look", says=sentence)


def _taints(state: State) -> set[str]:
    taints = map(mapping, sequence(state.inputs.get("taints")))
    return {code(f"{taint.get('key')}={taint.get('value')}:{taint.get('effect')}") for taint in taints}


def _roll(subject: str, kind: str, new: State, old: State, reasons: list[str]) -> Finding:
    low, high = minutes(new)
    update = mapping(new.inputs.get("updateConfig"))
    wave = max_unavailable(_numbers(update), size(new).maximum or 1)
    causes = [_reason(path, old, new) for path in reasons]
    return Finding(
        weight="stop" if kind in LONG_LIVED else "look",
        says=f"{subject} rolls, by {listing(causes)}: {_nodes(new)}, at most {wave} at a time, in "
        f"{low} to {high} minutes{_meaning(kind)}.",
    )


def minutes(state: State) -> tuple[int, int]:
    """The least and the most minutes in which EKS replaces all machines of a group."""
    nodes, update = size(state), mapping(state.inputs.get("updateConfig"))
    few, many = max(nodes.minimum, 1), max(nodes.maximum, 1)
    update = _numbers(update)
    return (
        max(SETUP_MINUTES, update_minutes(update, few, QUIET_MINUTES)),
        update_minutes(update, many, DRAIN_MINUTES),
    )


def _numbers(update: Mapping[str, Any]) -> Mapping[str, int]:
    """What an update's settings say in numbers, as far as it is known."""
    return {key: amount for key, value in update.items() if (amount := number(value))}


def _meaning(kind: str) -> str:
    return f"; {LONG_LIVED[kind]}" if kind in LONG_LIVED else ""


def _reason(path: str, old: State, new: State) -> str:
    before, after = at(old.inputs, path), at(new.inputs, path)
    if path.startswith("launchTemplate"):
        return "a new version of its launch template"
    label = {"version": "Kubernetes", "releaseVersion": "AMI release"}[path]
    return f"{label} {change(before or 'as it was', after if known(after) else 'a newer one')}"


def _nodes(state: State) -> str:
    nodes = size(state)
    if nodes.minimum == nodes.maximum:
        return count(nodes.maximum, "node")
    return f"{nodes.minimum} to {count(nodes.maximum, 'node')}"
