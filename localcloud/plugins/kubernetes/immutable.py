"""Fields whose change means a new object: the real provider replaces these, and why Kubernetes makes it.

Only what the real provider replaces is here. Of other fields that cannot be changed (a PriorityClass' value)
the API server says so itself, in the preview already, as it does with the real one.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from localcloud.plugins.differences import PropertyPath
from localcloud.plugins.kubernetes.kinds import Kind

Pattern = tuple[str, ...]
"""Path of a field; `*` is any item of a list."""

IDENTITY: tuple[Pattern, ...] = (("metadata", "name"), ("metadata", "namespace"), ("kind",))
"""What an object is known by: another of it is another object."""


@dataclass(frozen=True)
class Fixed:
    """Fields of some kinds that are fixed at creation, and who says so."""

    group: str
    kinds: tuple[str, ...]
    fields: tuple[Pattern, ...]
    reason: str


def _spec(*names: str) -> tuple[Pattern, ...]:
    return tuple(("spec", name) for name in names)


CONTAINER = (
    "args command env image imagePullPolicy lifecycle livenessProbe ports readinessProbe resources "
    "securityContext stdin stdinOnce terminationMessagePath terminationMessagePolicy tty volumeDevices "
    "volumeMounts workingDir"
)

POD = (
    "affinity automountServiceAccountToken dnsConfig dnsPolicy enableServiceLinks hostAliases hostIPC "
    "hostNetwork hostPID hostname imagePullSecrets nodeName nodeSelector overhead preemptionPolicy priority "
    "priorityClassName readinessGates restartPolicy runtimeClassName schedulerName securityContext "
    "serviceAccount serviceAccountName shareProcessNamespace subdomain terminationGracePeriodSeconds volumes"
)

VOLUME_SOURCES = (
    "awsElasticBlockStore azureDisk azureFile cephfs cinder csi fc flexVolume flocker gcePersistentDisk "
    "glusterfs hostPath iscsi local nfs photonPersistentDisk portworxVolume quobyte rbd scaleIO storageos "
    "vsphereVolume"
)

FIXED = (
    Fixed(
        "apps",
        ("DaemonSet", "Deployment"),
        _spec("selector"),
        "the API server: spec.selector is immutable since apps/v1",
    ),
    Fixed(
        "apps",
        ("StatefulSet",),
        _spec(
            "podManagementPolicy", "revisionHistoryLimit", "selector", "serviceName", "volumeClaimTemplates"
        ),
        "the API server forbids updates of a StatefulSet's spec but for a few fields",
    ),
    Fixed(
        "batch",
        ("Job",),
        _spec("completions", "parallelism", "selector", "template"),
        "the API server: selector and template are immutable; for the others the real one runs the Job anew",
    ),
    Fixed(
        "",
        ("Pod",),
        (
            *_spec(*POD.split()),
            *(
                ("spec", group, "*", name)
                for group in ("containers", "initContainers")
                for name in CONTAINER.split()
            ),
        ),
        "the API server: a Pod may not change but for its image, and for that the real one starts another",
    ),
    Fixed(
        "",
        ("PersistentVolumeClaim",),
        _spec("accessModes", "selector", "storageClassName", "volumeName"),
        "the API server: a claim's spec is immutable once created, but for its size",
    ),
    Fixed(
        "",
        ("PersistentVolume",),
        _spec(*VOLUME_SOURCES.split()),
        "the API server: a volume's source is immutable after creation",
    ),
    Fixed(
        "",
        ("ResourceQuota",),
        _spec("scopes"),
        "the API server: a quota's scopes are immutable",
    ),
    Fixed("", ("Service",), _spec("clusterIP"), "the API server: a Service's address is immutable once set"),
    Fixed(
        "rbac.authorization.k8s.io",
        ("ClusterRoleBinding", "RoleBinding"),
        (("roleRef",),),
        "the API server: cannot change roleRef, so that a binding's editor cannot give other rights",
    ),
    Fixed(
        "storage.k8s.io",
        ("StorageClass",),
        (("parameters",), ("provisioner",)),
        "the API server: updates to parameters and provisioner are forbidden",
    ),
)

CONTENTS = {
    "ConfigMap": (("data",), ("binaryData",)),
    "Secret": (("data",), ("stringData",), ("type",)),
}
"""Contents that the real provider replaces unless it is told that they may change: by
`enableConfigMapMutable`, `enableSecretMutable`. With `immutable: true` the API server forbids any change."""

ALWAYS = {"Secret": (("type",),)}
"""Of these, what cannot be changed in any case; the API server: a Secret's type is immutable."""


def fixed_fields(kind: Kind, *, contents_may_change: bool) -> tuple[Pattern, ...]:
    """The fields of a kind whose change is a replacement."""
    found = [*IDENTITY]
    for each in FIXED:
        if kind.group == each.group and kind.name in each.kinds:
            found += each.fields
    if kind.group == "" and kind.name in CONTENTS:
        found += ALWAYS.get(kind.name, ()) if contents_may_change else CONTENTS[kind.name]
    return tuple(found)


def replacing(changed: Iterable[PropertyPath], fields: tuple[Pattern, ...]) -> frozenset[PropertyPath]:
    """Of changed paths, those in or above a fixed field."""
    return frozenset(path for path in changed if any(_touches(path, field) for field in fields))


def _touches(path: PropertyPath, field: Pattern) -> bool:
    return all(wanted in ("*", step) for step, wanted in zip(path, field, strict=False))
