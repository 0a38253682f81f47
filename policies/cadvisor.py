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

from policies.pack.objects import Container, containers, where
from policies.pack.resource import UNKNOWN, Resource, sequence
from policies.pack.rule import Parameters, Violations
from policies.pack.types import RELEASE, WORKLOADS
from policies.workloads import PODS

METRIC = "referenced_memory"

CADVISOR_NAME = re.compile(r"(^|[/\s])cadvisor($|[:@/\s])")
FLAG = re.compile(r"(?:^|\s)--?(enable_metrics|disable_metrics)(?:=|\s+|$)(\S*)")


@PODS.rule(
    "no-referenced-memory-scan",
    RELEASE,
    *WORKLOADS,
    severity="high",
    why="The scan locks the memory of each process for as long as it walks it: those with much of it stall.",
    references=(
        "https://github.com/google/cadvisor/blob/master/docs/runtime_options.md",
        "policies/cadvisor.py",
    ),
)
def no_referenced_memory_scan(resource: Resource, _: Parameters) -> Violations:
    """No cAdvisor scans referenced memory."""
    if resource.type == RELEASE:
        for path, texts in _texts(resource.get("values", {})):
            if flag := scan_flag(texts):
                place = f"Value {path} of {where(resource)}"
                yield f"{place} lets cAdvisor scan referenced memory ({flag}): {_remedy(flag)}."
        return
    for container in containers(resource):
        if _runs_cadvisor(container) and (flag := scan_flag(_arguments(container))):
            yield f"{where(resource, container)} scans referenced memory ({flag}): {_remedy(flag)}."


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


def _runs_cadvisor(container: Container) -> bool:
    names = [container.get("image"), *sequence(container.get("command"))]
    return any(isinstance(name, str) and CADVISOR_NAME.search(name) for name in names)


def _arguments(container: Container) -> list[str]:
    return _known_texts([*sequence(container.get("command")), *sequence(container.get("args"))])


def _known_texts(items: Sequence[Any]) -> list[str]:
    """The texts in a list, none if an item is not known."""
    return [] if any(item is UNKNOWN for item in items) else [item for item in items if isinstance(item, str)]


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
    elif isinstance(values, list):
        yield parent, _known_texts(values)
        for index, value in enumerate(values):
            if not isinstance(value, str):
                yield from _texts(value, f"{parent}[{index}]")
