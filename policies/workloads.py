"""Pods: what they may do on their machine, and what they take of it.

What is inside a chart is judged as what the program registers itself (pack/charts.py).
"""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Any

from policies.pack.objects import CONTAINERS, Container, containers, is_placed, pod_spec, where
from policies.pack.resource import Resource, at, fully_known, sequence, text
from policies.pack.rule import Parameters, Subject, Violations
from policies.pack.types import DEPLOYMENT, PERSISTENT_VOLUME, STATEFUL_SET, WORKLOADS

PODS = Subject("workloads", "Pods: what they may do, what they take, where their images are from")

STANDARDS = "https://kubernetes.io/docs/concepts/security/pod-security-standards/"
POD_GUIDE = "https://docs.aws.amazon.com/eks/latest/best-practices/pod-security.html"
RESOURCES_GUIDE = "https://docs.aws.amazon.com/eks/latest/best-practices/data-plane.html"


def _is_listed(workload: Resource, parameters: Parameters) -> bool:
    """Whether a workload is on a rule's list of `<namespace>/<object>`."""
    return any(is_placed(workload, pattern) for pattern in parameters["but"])


def _security(workload: Resource, container: Container, field: str, default: Any = None) -> Any:
    """A field of a container's security context, or else of its pod's."""
    own = container.get(f"securityContext.{field}")
    return at(pod_spec(workload), f"securityContext.{field}", default) if own is None else own


@PODS.rule(
    "no-privileged",
    *WORKLOADS,
    severity="critical",
    why="A privileged container is root on its node, and has the node's credentials.",
    references=("CIS 4.2.1", STANDARDS),
    but=[],
)
def no_privileged(workload: Resource, parameters: Parameters) -> Violations:
    """No container is privileged, but for those that are listed."""
    for container in containers(workload) if not _is_listed(workload, parameters) else ():
        if container.get("securityContext.privileged", False) is True:
            yield f"{where(workload, container)} is privileged: take securityContext.privileged out."


@PODS.rule(
    "no-host-namespaces",
    *WORKLOADS,
    severity="critical",
    why="In the host's namespaces a pod sees other pods' processes and traffic, and the node's metadata.",
    references=("CIS 4.2.2", "CIS 4.2.3", "CIS 4.2.4", STANDARDS),
    but=[],
)
def no_host_namespaces(workload: Resource, parameters: Parameters) -> Violations:
    """No pod shares the host's network, processes or memory, but for those that are listed."""
    for field in ("hostNetwork", "hostPID", "hostIPC") if not _is_listed(workload, parameters) else ():
        if pod_spec(workload).get(field, False) is True:
            yield f"Pods of {where(workload)} set {field}: take it out."


@PODS.rule(
    "no-host-ports",
    *WORKLOADS,
    severity="high",
    why="Whoever reaches the node reaches the pod, past network policies, and one such pod fits on a node.",
    references=(STANDARDS,),
    but=[],
)
def no_host_ports(workload: Resource, parameters: Parameters) -> Violations:
    """No container takes a port of its host, but for those that are listed."""
    for container in containers(workload) if not _is_listed(workload, parameters) else ():
        for port in sequence(container.get("ports")):
            number = at(port, "hostPort", 0)
            if isinstance(number, int | float) and number:
                yield f"{where(workload, container)} takes port {number} of its host: take hostPort out."


@PODS.rule(
    "no-host-paths",
    *WORKLOADS,
    PERSISTENT_VOLUME,
    severity="critical",
    why="From some paths of the host a container takes over the node, and from any it reads others' data.",
    references=(STANDARDS, POD_GUIDE),
    but=[],
)
def no_host_paths(resource: Resource, parameters: Parameters) -> Violations:
    """No pod has paths of its host, but for those that are listed, `<namespace>/<object>:<path>`."""
    in_pods = resource.type != PERSISTENT_VOLUME
    volumes = sequence(pod_spec(resource).get("volumes")) if in_pods else [resource.get("spec")]
    for volume in volumes:
        path = text(at(volume, "hostPath.path"))
        if path and not any(_has_path(resource, path, pattern) for pattern in parameters["but"]):
            yield f"{where(resource)} has {path} of the host: use an emptyDir or a claim."


def _has_path(resource: Resource, path: str, pattern: str) -> bool:
    """Whether an object with a path of its host fits a pattern."""
    place, _, path_pattern = pattern.partition(":")
    return is_placed(resource, place) and fnmatchcase(path.rstrip("/") or "/", path_pattern)


@PODS.rule(
    "no-privilege-escalation-in-pods",
    *WORKLOADS,
    severity="high",
    why="A program with a set-user-ID bit makes its container root.",
    references=("CIS 4.2.5", STANDARDS),
    but=[],
)
def no_privilege_escalation_in_pods(workload: Resource, parameters: Parameters) -> Violations:
    """No container can get more rights than it began with."""
    for container in containers(workload) if not _is_listed(workload, parameters) else ():
        if container.get("securityContext.allowPrivilegeEscalation", True) is True:
            field = "securityContext.allowPrivilegeEscalation"
            yield f"{where(workload, container)} can get more rights: set {field} to false."


@PODS.rule(
    "runs-as-non-root",
    *WORKLOADS,
    severity="high",
    why="Root in a container that breaks out is root on the node.",
    references=(STANDARDS, POD_GUIDE),
    but=[],
)
def runs_as_non_root(workload: Resource, parameters: Parameters) -> Violations:
    """No container runs as root, but for those that are listed."""
    for container in containers(workload) if not _is_listed(workload, parameters) else ():
        user = _security(workload, container, "runAsUser", -1)
        if user == 0:
            yield f"{where(workload, container)} runs as root: set securityContext.runAsUser to another."
        elif _security(workload, container, "runAsNonRoot", False) is False and user == -1:
            yield f"{where(workload, container)} may run as root: set securityContext.runAsNonRoot to true."


@PODS.rule(
    "capabilities-dropped",
    *WORKLOADS,
    severity="medium",
    why="Containers have fourteen of Linux's capabilities by default, NET_RAW and CHOWN among them.",
    references=(STANDARDS, POD_GUIDE),
    but=[],
)
def capabilities_dropped(workload: Resource, parameters: Parameters) -> Violations:
    """Containers drop all capabilities of Linux."""
    for container in containers(workload) if not _is_listed(workload, parameters) else ():
        dropped = container.get("securityContext.capabilities.drop", [])
        if fully_known(dropped) and not {"ALL", "all"} & set(map(text, sequence(dropped))):
            yield (
                f"{where(workload, container)} keeps capabilities: set securityContext.capabilities.drop "
                "to [ALL]."
            )


@PODS.rule(
    "capabilities-not-added",
    *WORKLOADS,
    severity="high",
    why="SYS_ADMIN, SYS_PTRACE, NET_ADMIN and others are as good as being root on the node.",
    references=(STANDARDS,),
    allowed=["NET_BIND_SERVICE"],
    but=[],
)
def capabilities_not_added(workload: Resource, parameters: Parameters) -> Violations:
    """Containers get no capabilities of Linux, but for those that are listed."""
    for container in containers(workload) if not _is_listed(workload, parameters) else ():
        for name in map(text, sequence(container.get("securityContext.capabilities.add"))):
            if name and name not in parameters["allowed"]:
                yield (
                    f"{where(workload, container)} gets {name}: take it out of "
                    "securityContext.capabilities.add."
                )


@PODS.rule(
    "seccomp-profile",
    *WORKLOADS,
    severity="low",
    why="Without a profile, containers may make system calls that only exploits make.",
    references=(STANDARDS, POD_GUIDE),
    but=[],
)
def seccomp_profile(workload: Resource, parameters: Parameters) -> Violations:
    """Containers are held to the system calls of their runtime's profile."""
    for container in containers(workload) if not _is_listed(workload, parameters) else ():
        profile = _security(workload, container, "seccompProfile.type", "Unconfined")
        if profile == "Unconfined":
            yield (
                f"{where(workload, container)} has no seccomp profile: set seccompProfile.type to "
                "RuntimeDefault."
            )


@PODS.rule(
    "requests-set",
    *WORKLOADS,
    severity="medium",
    why="A pod without requests is placed on a full node, and is the first to be evicted from it.",
    references=(
        "https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/",
        RESOURCES_GUIDE,
    ),
    but=[],
)
def requests_set(workload: Resource, parameters: Parameters) -> Violations:
    """Containers ask for the cores and the memory that they need."""
    for container in _running(workload, parameters):
        for amount in ("cpu", "memory"):
            request = container.get(
                f"resources.requests.{amount}", container.get(f"resources.limits.{amount}", "")
            )
            if request == "":
                yield f"{where(workload, container)} asks for no {amount}: set resources.requests.{amount}."


@PODS.rule(
    "memory-limited",
    *WORKLOADS,
    severity="medium",
    why="A container that leaks takes its node's memory, and the kernel ends whatever it finds.",
    references=(
        "https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/",
        RESOURCES_GUIDE,
    ),
    but=[],
)
def memory_limited(workload: Resource, parameters: Parameters) -> Violations:
    """Containers have a bound of memory."""
    for container in _running(workload, parameters):
        if container.get("resources.limits.memory", "") == "":
            yield f"{where(workload, container)} may take all memory: set resources.limits.memory."


def _running(workload: Resource, parameters: Parameters) -> Iterator[Container]:
    """Containers that run for as long as their pod, sidecars among them, of a workload that is not listed."""
    for container in containers(workload) if not _is_listed(workload, parameters) else ():
        # https://kubernetes.io/docs/concepts/workloads/pods/sidecar-containers/
        if container.part == CONTAINERS[0] or container.get("restartPolicy") == "Always":
            yield container


@PODS.rule(
    "probes-set",
    DEPLOYMENT,
    STATEFUL_SET,
    severity="low",
    why="A rollout goes on over pods that do not answer yet, and traffic reaches them.",
    references=("https://docs.aws.amazon.com/eks/latest/best-practices/application.html",),
    but=[],
)
def probes_set(workload: Resource, parameters: Parameters) -> Violations:
    """Kubernetes knows when a program answers."""
    running = list(_running(workload, parameters))
    if running and not any(container.get("readinessProbe") is not None for container in running):
        yield f"No container of {where(workload)} says when it is ready: set a readinessProbe."
