"""Fields whose change means a new object: those that the real provider replaces, with Kubernetes' reason.

Only what the real provider replaces is here. Of other fields that cannot be changed (a PriorityClass' value)
the API server says so itself, in the preview already, as it does with the real one.
"""

from collections.abc import Iterable, Mapping

from localcloud.plugins.differences import PropertyPath
from localcloud.plugins.kubernetes.kinds import Kind

Pattern = tuple[str, ...]
"""Path of a field; `*` is any item of a list."""

IDENTITY: tuple[Pattern, ...] = (("metadata", "name"), ("metadata", "namespace"), ("kind",))
"""Fields that identify an object: another value is another object."""


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


def _spec(names: str) -> tuple[Pattern, ...]:
    return tuple(("spec", name) for name in names.split())


FIXED: Mapping[tuple[str, str], tuple[Pattern, ...]] = {
    # The API server: spec.selector is immutable since apps/v1.
    ("apps", "DaemonSet"): _spec("selector"),
    ("apps", "Deployment"): _spec("selector"),
    # The API server forbids updates of a StatefulSet's spec but for a few fields.
    ("apps", "StatefulSet"): _spec(
        "podManagementPolicy revisionHistoryLimit selector serviceName volumeClaimTemplates"
    ),
    # The API server: selector and template are immutable; for the others the real one runs the Job anew.
    ("batch", "Job"): _spec("completions parallelism selector template"),
    # The API server: a Pod may not change but for its image, and for that the real one starts another.
    ("", "Pod"): (
        *_spec(POD),
        *(
            ("spec", group, "*", name)
            for group in ("containers", "initContainers")
            for name in CONTAINER.split()
        ),
    ),
    # The API server: a claim's spec is immutable once created, but for its size.
    ("", "PersistentVolumeClaim"): _spec("accessModes selector storageClassName volumeName"),
    # The API server: a volume's source is immutable after creation.
    ("", "PersistentVolume"): _spec(VOLUME_SOURCES),
    # The API server: a quota's scopes are immutable.
    ("", "ResourceQuota"): _spec("scopes"),
    # The API server: a Service's address is immutable once set.
    ("", "Service"): _spec("clusterIP"),
    # The API server: cannot change roleRef, so that a binding's editor cannot give other rights.
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"): (("roleRef",),),
    ("rbac.authorization.k8s.io", "RoleBinding"): (("roleRef",),),
    # The API server: updates to parameters and provisioner are forbidden.
    ("storage.k8s.io", "StorageClass"): (("parameters",), ("provisioner",)),
}
"""By group and kind: the fields that are fixed at creation."""

CONTENTS = {
    "ConfigMap": (("data",), ("binaryData",)),
    "Secret": (("data",), ("stringData",), ("type",)),
}
"""Contents that the real provider replaces unless `enableConfigMapMutable` or `enableSecretMutable` says that
they may change. With `immutable: true` the API server forbids any change."""

ALWAYS = {"Secret": (("type",),)}
"""Contents that cannot be changed in any case; the API server: a Secret's type is immutable."""


def fixed_fields(kind: Kind, *, contents_may_change: bool) -> tuple[Pattern, ...]:
    """The fields of a kind whose change is a replacement."""
    fields = [*IDENTITY, *FIXED.get((kind.group, kind.name), ())]
    if kind.group == "" and kind.name in CONTENTS:
        fields += ALWAYS.get(kind.name, ()) if contents_may_change else CONTENTS[kind.name]
    return tuple(fields)


def replacing(changed: Iterable[PropertyPath], fields: tuple[Pattern, ...]) -> frozenset[PropertyPath]:
    """The changed paths that are in or above a fixed field."""
    return frozenset(path for path in changed if any(_touches(path, field) for field in fields))


def _touches(path: PropertyPath, field: Pattern) -> bool:
    return all(pattern in ("*", step) for step, pattern in zip(path, field, strict=False))
