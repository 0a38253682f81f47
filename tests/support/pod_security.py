"""What Kubernetes' Pod Security Standards ask of a pod at level `restricted`.

https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted
"""

from collections.abc import Iterator, Mapping
from typing import Any

VOLUMES = {
    "configMap",
    "csi",
    "downwardAPI",
    "emptyDir",
    "ephemeral",
    "persistentVolumeClaim",
    "projected",
    "secret",
}


def beyond_restricted(spec: Mapping[str, Any]) -> Iterator[str]:
    """What a pod has that `restricted` refuses, with its container."""
    own = spec.get("securityContext") or {}
    for field in ("hostNetwork", "hostPID", "hostIPC"):
        if spec.get(field):
            yield field
    for volume in spec.get("volumes") or ():
        if not volume.keys() & VOLUMES and volume.keys() != {"name"}:
            yield f"volume {volume['name']}"
    for container in [*(spec.get("initContainers") or ()), *spec["containers"]]:
        for field in _of_container(container, own):
            yield f"{container['name']}: {field}"


def _of_container(container: Mapping[str, Any], pod: Mapping[str, Any]) -> Iterator[str]:
    security = {**pod, **(container.get("securityContext") or {})}
    capabilities = security.get("capabilities") or {}
    if any(port.get("hostPort") for port in container.get("ports") or ()):
        yield "hostPort"
    if security.get("privileged"):
        yield "privileged"
    if security.get("allowPrivilegeEscalation") is not False:
        yield "allowPrivilegeEscalation"
    if security.get("runAsNonRoot") is not True:
        yield "runAsNonRoot"
    if security.get("runAsUser") == 0:
        yield "runAsUser"
    if (security.get("seccompProfile") or {}).get("type") not in ("RuntimeDefault", "Localhost"):
        yield "seccompProfile"
    if "ALL" not in (capabilities.get("drop") or ()):
        yield "capabilities.drop"
    if not set(capabilities.get("add") or ()) <= {"NET_BIND_SERVICE"}:
        yield "capabilities.add"
