"""The executors that a driver would ask for, as pods, as no driver runs here.

They are made from what a driver itself has: its configuration and its executors' template, both in ConfigMaps
that its pod mounts. So what `spark-submit` does not hand over is not in them either.
Numbers and names are those of Spark's own `BasicExecutorFeatureStep`.
"""

import re
from collections.abc import Mapping

import yaml

from localcloud.control_plane.api import Object
from localcloud.control_plane.cloud_provider import SIMULATED

Properties = Mapping[str, str]

# Keys of the ConfigMaps, as `spark-submit` names them.
PROPERTIES = "spark.properties"
TEMPLATE = "podspec-configmap-key"

APPLICATION = "spark-app-selector"
ROLE = "spark-role"
DRIVER = "driver"
EXECUTOR = "executor"

DRIVER_CALLS = (("get", "pods"), ("watch", "pods"), ("create", "pods"), ("create", "configmaps"))
"""Verbs and resources that a driver cannot do without, in its own namespace: its pod, its executors', and the
configuration that these mount.

Source: apache/spark: resource-managers/kubernetes/core, package scheduler.cluster.k8s: ExecutorPodsAllocator,
ExecutorPodsWatchSnapshotSource, KubernetesClusterSchedulerBackend.
"""

# Spark's defaults.
INSTANCES = 2
BLOCK_MANAGER_PORT = 7079
MEMORY = "1g"
OVERHEAD_FACTOR = "0.1"
MIN_OVERHEAD = "384m"

# Suffix of a size -> MiB.
SUFFIXES = {"": 1, "k": 2**-10, "m": 1, "g": 2**10, "t": 2**20, "p": 2**30}

# A key ends at the first of these signs that has no backslash before it.
_ENTRY = re.compile(r"((?:\\.|[^\\=:])+)[=:](.*)")
_ESCAPED = re.compile(r"\\(u[0-9a-fA-F]{4}|.)")
_SHORT = {"n": "\n", "t": "\t", "r": "\r", "f": "\f"}


def config_maps(driver: Object) -> set[str]:
    """Names of the ConfigMaps that a driver's pod mounts."""
    volumes = driver["spec"].get("volumes") or []
    return {volume["configMap"]["name"] for volume in volumes if "configMap" in volume}


def read_properties(text: str) -> dict[str, str]:
    """A file of Java properties, as Spark writes it: an entry a line."""
    entries = (_ENTRY.match(line) for line in text.splitlines() if line and line[0] not in "#!")
    return {_unescape(entry[1]): _unescape(entry[2]) for entry in entries if entry}


def count(conf: Properties) -> int:
    """Executors that a driver asks for when it starts."""
    if conf.get("spark.dynamicAllocation.enabled") == "true":
        keys = ("dynamicAllocation.minExecutors", "dynamicAllocation.initialExecutors", "executor.instances")
        return max(int(conf.get(f"spark.{key}", 0)) for key in keys)
    return int(conf.get("spark.executor.instances", INSTANCES))


def executors(driver: Object, conf: Properties, template: str = "") -> list[Object]:
    """All that a driver asks for when it starts, with names that follow from the driver's.

    template: the executors' pod template, in YAML.
    """
    return [
        executor(driver, conf, yaml.load(template, Loader=yaml.CSafeLoader) or {}, number)
        for number in range(1, count(conf) + 1)
    ]


def executor(driver: Object, conf: Properties, template: Object, number: int) -> Object:
    """The pod of an executor: the template, and over it what Spark sets itself."""
    metadata, spec = template.get("metadata") or {}, template.get("spec") or {}
    labels = driver["metadata"]["labels"]
    own = {
        "spark-version": labels.get("spark-version", ""),
        "spark-app-name": labels.get("spark-app-name", ""),
        APPLICATION: labels[APPLICATION],
        ROLE: EXECUTOR,
        "spark-exec-id": str(number),
        "spark-exec-resourceprofile-id": "0",
    }
    account = conf.get("spark.kubernetes.authenticate.executor.serviceAccountName")
    scheduler = conf.get("spark.kubernetes.executor.scheduler.name") or conf.get(
        "spark.kubernetes.scheduler.name"
    )
    name = f"{labels.get('spark-app-name', 'spark')[:40]}-{driver['metadata']['uid'][:8]}-exec-{number}"
    containers = [dict(container) for container in spec.get("containers") or []] or [{}]
    main_name = conf.get("spark.kubernetes.executor.podTemplateContainerName")
    main = next((c for c in containers if main_name and c.get("name") == main_name), containers[0])
    main.update(_container(conf, main))
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": driver["metadata"]["namespace"],
            "labels": {
                **(metadata.get("labels") or {}),
                **_with_prefix(conf, "spark.kubernetes.executor.label."),
                **own,
            },
            "annotations": {
                **(metadata.get("annotations") or {}),
                **_with_prefix(conf, "spark.kubernetes.executor.annotation."),
                SIMULATED: EXECUTOR,
            },
            "finalizers": metadata.get("finalizers") or [],
            "ownerReferences": [*(metadata.get("ownerReferences") or []), _owner(driver)],
        },
        "spec": {
            "serviceAccountName": account or driver["spec"].get("serviceAccountName", "default"),
            **spec,
            "restartPolicy": "Never",
            "nodeSelector": {
                **(spec.get("nodeSelector") or {}),
                **_with_prefix(conf, "spark.kubernetes.node.selector."),
                **_with_prefix(conf, "spark.kubernetes.executor.node.selector."),
            },
            "containers": containers,
            **({"schedulerName": scheduler} if scheduler else {}),
        },
    }


def memory(conf: Properties) -> int:
    """MiB of an executor, with what Spark adds to its heap."""
    heap = _mebibytes(conf.get("spark.executor.memory", MEMORY))
    factor = conf.get("spark.executor.memoryOverheadFactor") or conf.get(
        "spark.kubernetes.memoryOverheadFactor", OVERHEAD_FACTOR
    )
    minimum = _mebibytes(conf.get("spark.executor.minMemoryOverhead", MIN_OVERHEAD))
    overhead = conf.get("spark.executor.memoryOverhead")
    total = heap + (_mebibytes(overhead) if overhead else max(int(heap * float(factor)), minimum))
    if conf.get("spark.memory.offHeap.enabled") == "true":
        # Without a suffix these are bytes, all others MiB.
        size = conf.get("spark.memory.offHeap.size", "0")
        total += int(size) // 2**20 if size.isdecimal() else _mebibytes(size)
    if conf.get("spark.kubernetes.resource.type") == "python":
        total += _mebibytes(conf.get("spark.executor.pyspark.memory", "0"))
    return total


def succeeded(pod: Object, now: str) -> Object:
    """Status of an executor that its driver has ended."""
    statuses = (pod.get("status") or {}).get("containerStatuses") or []
    end = {"exitCode": 0, "reason": "Completed", "finishedAt": now}
    return {
        "phase": "Succeeded",
        "containerStatuses": [
            {**status, "ready": False, "started": False, "state": {"terminated": end}} for status in statuses
        ],
    }


def _container(conf: Properties, template: Object) -> Object:
    size = f"{memory(conf)}Mi"
    cores = conf.get("spark.executor.cores", "1")
    resources = template.get("resources") or {}
    limit = conf.get("spark.kubernetes.executor.limit.cores")
    port = int(conf.get("spark.blockManager.port", BLOCK_MANAGER_PORT))
    image = conf.get("spark.kubernetes.executor.container.image") or conf.get(
        "spark.kubernetes.container.image", ""
    )
    return {
        "name": template.get("name") or "spark-kubernetes-executor",
        "image": image,
        "args": ["executor"],
        "ports": [*(template.get("ports") or []), {"name": "blockmanager", "containerPort": port}],
        "resources": {
            **resources,
            "requests": {
                **(resources.get("requests") or {}),
                "cpu": conf.get("spark.kubernetes.executor.request.cores", cores),
                "memory": size,
            },
            "limits": {
                **(resources.get("limits") or {}),
                "memory": size,
                **({"cpu": limit} if limit else {}),
                **_devices(conf),
            },
        },
    }


def _devices(conf: Properties) -> dict[str, str]:
    """Devices, such as GPUs, that Spark asks for as limits: `<vendor>/<name>`, if conf names the vendor."""
    keys = (re.fullmatch(r"spark\.executor\.resource\.(\w+)\.vendor", key) for key in conf)
    names = [key[1] for key in keys if key]
    return {
        f"{conf[f'spark.executor.resource.{name}.vendor']}/{name}": conf[
            f"spark.executor.resource.{name}.amount"
        ]
        for name in names
    }


def _owner(driver: Object) -> Object:
    metadata = driver["metadata"]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "name": metadata["name"],
        "uid": metadata["uid"],
        "controller": True,
    }


def _with_prefix(conf: Properties, prefix: str) -> dict[str, str]:
    return {key.removeprefix(prefix): value for key, value in conf.items() if key.startswith(prefix)}


def _mebibytes(size: str) -> int:
    match = re.fullmatch(r"(\d+)([kmgtp]?)(?:i?b)?", size.strip().lower())
    return int(int(match[1]) * SUFFIXES[match[2]]) if match else 0


def _unescape(text: str) -> str:
    def sign(escape: re.Match[str]) -> str:
        code = escape[1]
        return chr(int(code[1:], 16)) if len(code) > 1 else _SHORT.get(code, code)

    return _ESCAPED.sub(sign, text)
