"""No cAdvisor scans referenced memory: the scan walks and clears the page tables of every process.

With the metric `referenced_memory` on, cAdvisor reads `smaps` of all that runs in a container and, every so
many cycles, writes `clear_refs`: both take the lock of the process's memory, and one with hundreds of GiB
stalls. The kubelet's own cAdvisor never does. cAdvisor's flags, as google/cadvisor: cmd/cadvisor.go has them:
`enable_metrics` names all that is on, whatever else is said; without it, `disable_metrics` names all that is
off, in place of its default, which has this metric. (`referenced_reset_interval` only says how often.)
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pulumi_policy import ReportViolation, ResourceValidationArgs, ResourceValidationPolicy
from pulumi_policy.proxy import UnknownValueError

METRIC = "referenced_memory"
RELEASE = "kubernetes:helm.sh/v3:Release"

# Where a kind keeps the specification of its pods.
PODS: Mapping[str, tuple[str, ...]] = {
    "Pod": ("spec",),
    "PodTemplate": ("template", "spec"),
    "CronJob": ("spec", "jobTemplate", "spec", "template", "spec"),
    **dict.fromkeys(
        ("DaemonSet", "Deployment", "Job", "ReplicaSet", "ReplicationController", "StatefulSet"),
        ("spec", "template", "spec"),
    ),
}

CADVISOR = re.compile(r"(^|[/\s])cadvisor($|[:@/\s])")
FLAG = re.compile(r"(?:^|\s)--?(enable_metrics|disable_metrics)(?:=|\s+|$)(\S*)")

UNKNOWN = object()
"""Stands for a value that is not known yet."""


def scanning_pods(kind: str, workload: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with a workload whose pods run cAdvisor with the scan on.

    kind: of the workload, `DaemonSet`. workload: inputs; arguments that are not all known are no violation.
    """
    spec: Any = workload
    for key in PODS.get(kind, ()):
        spec = _mapping(spec).get(key)
    for part in ("containers", "initContainers"):
        for container in _sequence(_mapping(spec).get(part)):
            if _is_cadvisor(_mapping(container)) and (how := scan(_words(container))):
                name = _mapping(container).get("name")
                yield f"Container {name} scans referenced memory ({how}): {_remedy(how)}."


def scanning_values(values: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with the values of a Helm release that switch the scan on, wherever they say so."""
    for path, texts in _texts(values):
        if how := scan(texts):
            yield f"Value {path} has cAdvisor scan referenced memory ({how}): {_remedy(how)}."


def scan(arguments: Sequence[str]) -> str | None:
    """The flag among a program's arguments by which cAdvisor scans referenced memory; None if it does not."""
    said = {name: value.strip("'\"") for name, value in FLAG.findall(" ".join(arguments))}
    if METRIC in said.get("enable_metrics", "").split(","):
        return f"--enable_metrics={said['enable_metrics']}"
    if said.get("enable_metrics"):
        return None
    if "disable_metrics" in said and METRIC not in said["disable_metrics"].split(","):
        return f"--disable_metrics={said['disable_metrics']}"
    return None


def _remedy(flag: str) -> str:
    if flag.startswith("--enable"):
        return f"take {METRIC} out of it"
    return f"what it says takes the place of the default, so add {METRIC} to it"


def _is_cadvisor(container: Mapping[str, Any]) -> bool:
    named = [container.get("image"), *_sequence(container.get("command"))]
    return any(isinstance(each, str) and CADVISOR.search(each) for each in named)


def _words(container: Mapping[str, Any]) -> list[str]:
    return _known([*_sequence(container.get("command")), *_sequence(container.get("args"))])


def _known(words: Sequence[Any]) -> list[str]:
    """The texts in a list, if all of it is known."""
    return [] if UNKNOWN in words else [each for each in words if isinstance(each, str)]


def _texts(values: Any, above: str = "") -> Iterator[tuple[str, list[str]]]:
    """Every text in the values, and every list of texts as one, by path."""
    if isinstance(values, str):
        yield above, [values]
    elif isinstance(values, Mapping):
        for key, value in values.items():
            path = f"{above}.{key}" if above else str(key)
            # As values often have flags: a key each.
            if key in ("enable_metrics", "disable_metrics") and isinstance(value, str):
                yield path, [f"--{key}={value}"]
            else:
                yield from _texts(value, path)
    elif isinstance(values, Sequence):
        yield above, _known(values)
        for number, value in enumerate(values):
            if not isinstance(value, str):
                yield from _texts(value, f"{above}[{number}]")


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _sequence(value: Any) -> Sequence[Any]:
    return value if isinstance(value, Sequence) and not isinstance(value, str) else ()


def plain(value: Any) -> Any:
    """Inputs as mappings and lists, in which UNKNOWN stands for what is not known yet."""
    if isinstance(value, Mapping):
        return {key: _value(value, key) for key in value}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_value(value, number) for number in range(len(value))]
    return value


def _value(holder: Any, key: Any) -> Any:
    try:
        return plain(holder[key])
    except UnknownValueError:
        return UNKNOWN


def _no_scan(args: ResourceValidationArgs, report: ReportViolation) -> None:
    if args.resource_type == RELEASE:
        found = scanning_values(_mapping(plain(args.props).get("values")))
    elif args.resource_type.startswith("kubernetes:"):
        found = scanning_pods(args.resource_type.rpartition(":")[2], plain(args.props))
    else:
        return
    for violation in found:
        report(violation, None)


POLICIES = [
    ResourceValidationPolicy(
        name="no-referenced-memory-scan",
        description="No cAdvisor scans referenced memory: it stalls what has much of it.",
        validate=_no_scan,
    )
]
