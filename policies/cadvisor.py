"""No cAdvisor scans referenced memory: the scan walks and clears the page tables of every process.

With the metric `referenced_memory` on, cAdvisor reads `smaps` of all that runs in a container and, every so
many cycles, writes `clear_refs`: both take the lock of the process's memory, and one with hundreds of GiB
stalls. The kubelet's own cAdvisor never does. cAdvisor's flags, as google/cadvisor: cmd/cadvisor.go has them:
`enable_metrics` names all that is on, whatever else is set; without it, `disable_metrics` names all that is
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
POD_SPECS: Mapping[str, tuple[str, ...]] = {
    "Pod": ("spec",),
    "PodTemplate": ("template", "spec"),
    "CronJob": ("spec", "jobTemplate", "spec", "template", "spec"),
    **dict.fromkeys(
        ("DaemonSet", "Deployment", "Job", "ReplicaSet", "ReplicationController", "StatefulSet"),
        ("spec", "template", "spec"),
    ),
}

CADVISOR_NAME = re.compile(r"(^|[/\s])cadvisor($|[:@/\s])")
FLAG = re.compile(r"(?:^|\s)--?(enable_metrics|disable_metrics)(?:=|\s+|$)(\S*)")

UNKNOWN = object()
"""Stands for a value that is not known yet."""


def pod_violations(kind: str, workload: Mapping[str, Any]) -> Iterator[str]:
    """Violations of a workload whose pods run cAdvisor with the scan on.

    kind: of the workload, `DaemonSet`. workload: inputs; arguments that are not all known are no violation.
    """
    spec: Any = workload
    for key in POD_SPECS.get(kind, ()):
        spec = _mapping(spec).get(key)
    for part in ("containers", "initContainers"):
        for container in _sequence(_mapping(spec).get(part)):
            if _runs_cadvisor(_mapping(container)) and (flag := scan_flag(_arguments(container))):
                name = _mapping(container).get("name")
                yield f"Container {name} scans referenced memory ({flag}): {_remedy(flag)}."


def value_violations(values: Mapping[str, Any]) -> Iterator[str]:
    """Violations of the values of a Helm release that switch the scan on, wherever they do."""
    for path, texts in _texts(values):
        if flag := scan_flag(texts):
            yield f"Value {path} lets cAdvisor scan referenced memory ({flag}): {_remedy(flag)}."


def scan_flag(arguments: Sequence[str]) -> str | None:
    """The flag among a program's arguments by which cAdvisor scans referenced memory; None if it does not."""
    flags = {name: value.strip("'\"") for name, value in FLAG.findall(" ".join(arguments))}
    if METRIC in flags.get("enable_metrics", "").split(","):
        return f"--enable_metrics={flags['enable_metrics']}"
    if flags.get("enable_metrics"):
        return None
    if "disable_metrics" in flags and METRIC not in flags["disable_metrics"].split(","):
        return f"--disable_metrics={flags['disable_metrics']}"
    return None


def _remedy(flag: str) -> str:
    if flag.startswith("--enable"):
        return f"remove {METRIC} from it"
    return f"it replaces the default, so add {METRIC} to it"


def _runs_cadvisor(container: Mapping[str, Any]) -> bool:
    names = [container.get("image"), *_sequence(container.get("command"))]
    return any(isinstance(name, str) and CADVISOR_NAME.search(name) for name in names)


def _arguments(container: Mapping[str, Any]) -> list[str]:
    return _known_texts([*_sequence(container.get("command")), *_sequence(container.get("args"))])


def _known_texts(items: Sequence[Any]) -> list[str]:
    """The texts in a list, none if an item is not known."""
    return [] if UNKNOWN in items else [item for item in items if isinstance(item, str)]


def _texts(values: Any, parent: str = "") -> Iterator[tuple[str, list[str]]]:
    """Every text in the values, and every list of texts as one, by path."""
    if isinstance(values, str):
        yield parent, [values]
    elif isinstance(values, Mapping):
        for key, value in values.items():
            path = f"{parent}.{key}" if parent else str(key)
            # Values often have flags as keys.
            if key in ("enable_metrics", "disable_metrics") and isinstance(value, str):
                yield path, [f"--{key}={value}"]
            else:
                yield from _texts(value, path)
    elif isinstance(values, Sequence):
        yield parent, _known_texts(values)
        for index, value in enumerate(values):
            if not isinstance(value, str):
                yield from _texts(value, f"{parent}[{index}]")


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _sequence(value: Any) -> Sequence[Any]:
    return value if isinstance(value, Sequence) and not isinstance(value, str) else ()


def plain_inputs(value: Any) -> Any:
    """Inputs as mappings and lists, in which UNKNOWN stands for what is not known yet."""
    if isinstance(value, Mapping):
        return {key: _value(value, key) for key in value}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_value(value, index) for index in range(len(value))]
    return value


def _value(holder: Any, key: Any) -> Any:
    try:
        return plain_inputs(holder[key])
    except UnknownValueError:
        return UNKNOWN


def _no_scan(args: ResourceValidationArgs, report: ReportViolation) -> None:
    if args.resource_type == RELEASE:
        violations = value_violations(_mapping(plain_inputs(args.props).get("values")))
    elif args.resource_type.startswith("kubernetes:"):
        violations = pod_violations(args.resource_type.rpartition(":")[2], plain_inputs(args.props))
    else:
        return
    for violation in violations:
        report(violation, None)


POLICIES = [
    ResourceValidationPolicy(
        name="no-referenced-memory-scan",
        description="No cAdvisor scans referenced memory: it stalls what has much of it.",
        validate=_no_scan,
    )
]
