"""The executors that a driver would ask for, as pods: no driver runs here that could.

They are made from what a driver itself has: its configuration and its executors' template, both in ConfigMaps
that its pod mounts. So whatever does not get there, as `spark-submit` hands it over, is not in them either.
Numbers and names are those of Spark's own `BasicExecutorFeatureStep`.
"""

import re
from collections.abc import Mapping

import yaml

from localcloud.control_plane.api import Object
from localcloud.control_plane.simulated import SIMULATED

Properties = Mapping[str, str]

# Keys of the ConfigMaps, as `spark-submit` names them.
PROPERTIES = "spark.properties"
TEMPLATE = "podspec-configmap-key"

APPLICATION = "spark-app-selector"
ROLE = "spark-role"
DRIVER = "driver"
EXECUTOR = "executor"

# Spark's defaults.
INSTANCES = 2
BLOCK_MANAGER = 7079
MEMORY = "1g"
OVERHEAD_FACTOR = "0.1"
LEAST_OVERHEAD = "384m"

# MiB that each suffix of a size stands for.
SUFFIXES = {"": 1, "k": 2**-10, "m": 1, "g": 2**10, "t": 2**20, "p": 2**30}

# A key ends at the first sign of these that no backslash is before.
_ENTRY = re.compile(r"((?:\\.|[^\\=:])+)[=:](.*)")
_ESCAPED = re.compile(r"\\(u[0-9a-fA-F]{4}|.)")
_SHORT = {"n": "\n", "t": "\t", "r": "\r", "f": "\f"}


def mounted(driver: Object) -> set[str]:
    """Names of the ConfigMaps that a driver's pod mounts."""
    volumes = driver["spec"].get("volumes") or []
    return {volume["configMap"]["name"] for volume in volumes if "configMap" in volume}


def properties(text: str) -> dict[str, str]:
    """A file of Java properties, as Spark writes it: an entry a line."""
    entries = (_ENTRY.match(line) for line in text.splitlines() if line and line[0] not in "#!")
    return {_plain(entry[1]): _plain(entry[2]) for entry in entries if entry}


def count(conf: Properties) -> int:
    """Executors that a driver asks for when it starts."""
    if conf.get("spark.dynamicAllocation.enabled") == "true":
        keys = ("dynamicAllocation.minExecutors", "dynamicAllocation.initialExecutors", "executor.instances")
        return max(int(conf.get(f"spark.{key}", 0)) for key in keys)
    return int(conf.get("spark.executor.instances", INSTANCES))


def executors(driver: Object, conf: Properties, template: str = "") -> list[Object]:
    """All that a driver asks for when it starts, each with a name that follows from the driver's.

    template: the executors' pod template, in YAML.
    """
    return [
        executor(driver, conf, yaml.load(template, Loader=yaml.CSafeLoader) or {}, number)
        for number in range(1, count(conf) + 1)
    ]


def executor(driver: Object, conf: Properties, template: Object, number: int) -> Object:
    """The pod of an executor; over what the template says goes what Spark sets itself."""
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
    containers = [dict(one) for one in spec.get("containers") or []] or [{}]
    chosen = conf.get("spark.kubernetes.executor.podTemplateContainerName")
    main = next((one for one in containers if chosen and one.get("name") == chosen), containers[0])
    main.update(_container(conf, main))
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": driver["metadata"]["namespace"],
            "labels": {
                **(metadata.get("labels") or {}),
                **_under(conf, "spark.kubernetes.executor.label."),
                **own,
            },
            "annotations": {
                **(metadata.get("annotations") or {}),
                **_under(conf, "spark.kubernetes.executor.annotation."),
                SIMULATED: EXECUTOR,
            },
            "finalizers": metadata.get("finalizers") or [],
            "ownerReferences": [*(metadata.get("ownerReferences") or []), _owned_by(driver)],
        },
        "spec": {
            "serviceAccountName": account or driver["spec"].get("serviceAccountName", "default"),
            **spec,
            "restartPolicy": "Never",
            "nodeSelector": {
                **(spec.get("nodeSelector") or {}),
                **_under(conf, "spark.kubernetes.node.selector."),
                **_under(conf, "spark.kubernetes.executor.node.selector."),
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
    least = _mebibytes(conf.get("spark.executor.minMemoryOverhead", LEAST_OVERHEAD))
    asked = conf.get("spark.executor.memoryOverhead")
    total = heap + (_mebibytes(asked) if asked else max(int(heap * float(factor)), least))
    if conf.get("spark.memory.offHeap.enabled") == "true":
        # Without a suffix these are bytes, all others MiB.
        size = conf.get("spark.memory.offHeap.size", "0")
        total += int(size) // 2**20 if size.isdecimal() else _mebibytes(size)
    if conf.get("spark.kubernetes.resource.type") == "python":
        total += _mebibytes(conf.get("spark.executor.pyspark.memory", "0"))
    return total


def ended(pod: Object, now: str) -> Object:
    """Status of an executor that its driver has told to end."""
    statuses = (pod.get("status") or {}).get("containerStatuses") or []
    terminated = {"exitCode": 0, "reason": "Completed", "finishedAt": now}
    return {
        "phase": "Succeeded",
        "containerStatuses": [
            {**one, "ready": False, "started": False, "state": {"terminated": terminated}} for one in statuses
        ],
    }


def _container(conf: Properties, template: Object) -> Object:
    size = f"{memory(conf)}Mi"
    cores = conf.get("spark.executor.cores", "1")
    asked = template.get("resources") or {}
    limit = conf.get("spark.kubernetes.executor.limit.cores")
    port = int(conf.get("spark.blockManager.port", BLOCK_MANAGER))
    image = conf.get("spark.kubernetes.executor.container.image") or conf.get(
        "spark.kubernetes.container.image", ""
    )
    return {
        "name": template.get("name") or "spark-kubernetes-executor",
        "image": image,
        "args": ["executor"],
        "ports": [*(template.get("ports") or []), {"name": "blockmanager", "containerPort": port}],
        "resources": {
            **asked,
            "requests": {
                **(asked.get("requests") or {}),
                "cpu": conf.get("spark.kubernetes.executor.request.cores", cores),
                "memory": size,
            },
            "limits": {
                **(asked.get("limits") or {}),
                "memory": size,
                **({"cpu": limit} if limit else {}),
            },
        },
    }


def _owned_by(driver: Object) -> Object:
    metadata = driver["metadata"]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "name": metadata["name"],
        "uid": metadata["uid"],
        "controller": True,
    }


def _under(conf: Properties, prefix: str) -> dict[str, str]:
    return {key.removeprefix(prefix): value for key, value in conf.items() if key.startswith(prefix)}


def _mebibytes(size: str) -> int:
    found = re.fullmatch(r"(\d+)([kmgtp]?)(?:i?b)?", size.strip().lower())
    return int(int(found[1]) * SUFFIXES[found[2]]) if found else 0


def _plain(text: str) -> str:
    def meant(escaped: re.Match[str]) -> str:
        sign = escaped[1]
        return chr(int(sign[1:], 16)) if len(sign) > 1 else _SHORT.get(sign, sign)

    return _ESCAPED.sub(meant, text)
