"""The Spark Operator's controller, as its chart would run it. Its webhook is not run."""

import json
from pathlib import Path
from typing import Any

import yaml

from localcloud import submission, tools
from localcloud.control_plane.api import Object
from localcloud.control_plane.stand_ins import config_maps
from localcloud.control_plane.stand_ins.config_maps import ConfigMapMount
from localcloud.control_plane.stand_ins.processes import Command, Surroundings
from localcloud.control_plane.stand_ins.releases import Release, Values, merge, value_at

IMAGE_SPARK = "/opt/spark"
"""Spark in the operator's image (kubeflow/spark-operator v2.5.2: Dockerfile, SPARK_IMAGE)."""

HEALTH = "health"
METRICS = "metrics"
PROFILES = "pprof"

# The chart's defaults (2.5) that reach the controller.
DEFAULTS: Values = {
    "controller": {
        "featureGates": [
            {"name": "PartialRestart", "enabled": False},
            {"name": "LoadSparkDefaults", "enabled": False},
        ],
        "workers": 10,
        "logLevel": "info",
        "logEncoder": "console",
        "driverPodCreationGracePeriod": "10s",
        "maxTrackedExecutorPerApp": 1000,
        "kubeAPIQPS": 20,
        "kubeAPIBurst": 30,
        "scheduledSparkApplicationTimestampPrecision": "nanos",
        "uiService": {"enable": True},
        "uiIngress": {"enable": False},
        "batchScheduler": {"enable": False},
        "pprof": {"enable": False},
        "workqueueRateLimiter": {
            "bucketQPS": 50,
            "bucketSize": 500,
            "maxDelay": {"enable": True, "duration": "6h"},
        },
    },
    "spark": {
        "jobNamespaces": ["default"],
        "serviceAccount": {"create": True, "automountServiceAccountToken": True},
        "rbac": {"create": True},
    },
    "prometheus": {
        "metrics": {
            "enable": True,
            "endpoint": "/metrics",
            "prefix": "",
            "labels": "app_type",
            "jobSubmitLatencyBuckets": "0.5,1,2,4,8,16,32,64,128,256",
            "jobStartLatencyBuckets": "30,60,90,120,150,180,210,240,270,300",
        }
    },
}

VERBS = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"]


# Flag -> the value of the chart that it is set from, as in the chart's templates/controller/deployment.yaml.
FLAGS = {
    "zap-log-level": "controller.logLevel",
    "zap-encoder": "controller.logEncoder",
    "namespaces": "spark.jobNamespaces",
    "namespace-selector": "spark.jobNamespaceSelector",
    "controller-threads": "controller.workers",
    "enable-ui-service": "controller.uiService.enable",
    "ingress-url-format": "controller.uiIngress.urlFormat",
    "ingress-class-name": "controller.uiIngress.ingressClassName",
    "ingress-tls": "controller.uiIngress.tls",
    "ingress-annotations": "controller.uiIngress.annotations",
    "enable-batch-scheduler": "controller.batchScheduler.enable",
    "kube-scheduler-names": "controller.batchScheduler.kubeSchedulerNames",
    "default-batch-scheduler": "controller.batchScheduler.default",
    "enable-metrics": "prometheus.metrics.enable",
    "metrics-endpoint": "prometheus.metrics.endpoint",
    "metrics-prefix": "prometheus.metrics.prefix",
    "metrics-labels": "prometheus.metrics.labels",
    "metrics-job-submit-latency-buckets": "prometheus.metrics.jobSubmitLatencyBuckets",
    "metrics-job-start-latency-buckets": "prometheus.metrics.jobStartLatencyBuckets",
    "workqueue-ratelimiter-bucket-qps": "controller.workqueueRateLimiter.bucketQPS",
    "workqueue-ratelimiter-bucket-size": "controller.workqueueRateLimiter.bucketSize",
    "workqueue-ratelimiter-max-delay": "controller.workqueueRateLimiter.maxDelay.duration",
    "driver-pod-creation-grace-period": "controller.driverPodCreationGracePeriod",
    "max-tracked-executor-per-app": "controller.maxTrackedExecutorPerApp",
    "kube-api-qps": "controller.kubeAPIQPS",
    "kube-api-burst": "controller.kubeAPIBurst",
    "scheduled-spark-application-timestamp-precision": (
        "controller.scheduledSparkApplicationTimestampPrecision"
    ),
    "feature-gates": "controller.featureGates",
}

# Values below these set a flag only where `enable`, which is one of them, is true.
OPTIONAL = (
    "controller.uiIngress",
    "controller.batchScheduler",
    "prometheus.metrics",
    "controller.workqueueRateLimiter.maxDelay",
)

# Whether these servers run is a value of the chart; their addresses are not, here.
OPTIONAL_SERVERS = (
    (METRICS, "metrics-bind-address", "prometheus.metrics.enable"),
    (PROFILES, "pprof-bind-address", "controller.pprof.enable"),
)


def command(release: Release, around: Surroundings) -> Command:
    """The controller. As the only one it needs no leader election."""
    values = merge(DEFAULTS, release.values)
    spark = tools.path("spark")
    address = "127.0.0.1:{}".format
    servers = [
        f"--{flag}={address(around.ports[server])}"
        for server, flag, enabled in OPTIONAL_SERVERS
        if value_at(values, enabled)
    ]
    return Command(
        (
            str(tools.path("spark-operator")),
            "controller",
            "start",
            *flags(values),
            *servers,
            f"--health-probe-bind-address={address(around.ports[HEALTH])}",
            "--leader-election=false",
            f"--kubeconfig={around.kubeconfig}",
        ),
        {
            # spark-submit finds the API server as it would in a pod, and trusts it as the kubeconfig says.
            "KUBECONFIG": str(around.kubeconfig),
            "KUBERNETES_SERVICE_HOST": "127.0.0.1",
            "KUBERNETES_SERVICE_PORT": str(around.api_server),
            "SPARK_HOME": str(spark),
            "SPARK_CONF_DIR": str(spark / "conf"),
            **submission.environment(spark, _environment(values, around.files, spark)),
        },
        f"http://{address(around.ports[HEALTH])}/readyz",
    )


def mounts(release: Release) -> list[ConfigMapMount]:
    """ConfigMaps that the controller's pods mount."""
    return _mounts(merge(DEFAULTS, release.values))


def _mounts(values: Values) -> list[ConfigMapMount]:
    volumes, volume_mounts = (value_at(values, f"controller.{key}") for key in ("volumes", "volumeMounts"))
    return list(config_maps.mounts(volumes or [], volume_mounts or []))


def _environment(values: Values, files: Path, spark: Path) -> dict[str, str]:
    """Variables of the controller; its image's Spark, and ConfigMaps of its pods, are named as here."""
    variables = {
        variable["name"]: str(variable["value"])
        for variable in value_at(values, "controller.env") or []
        if "value" in variable
    }
    for mount in _mounts(values):
        local_path = str(config_maps.within(files, mount.path))
        variables = {name: value.replace(mount.path, local_path) for name, value in variables.items()}
    return {name: str(spark) if value == IMAGE_SPARK else value for name, value in variables.items()}


def flags(values: Values) -> list[str]:
    """The controller's flags that the chart's values decide."""
    prefixes = tuple(f"{part}." for part in OPTIONAL if not value_at(values, f"{part}.enable"))
    enabled = {flag: value_at(values, path) for flag, path in FLAGS.items() if not path.startswith(prefixes)}
    return [
        f"--{flag}={_flag_value(value)}" for flag, value in enabled.items() if value not in (None, "", [], {})
    ]


def objects(release: Release) -> list[Object]:
    """What the chart makes in the job namespaces for the applications there."""
    values = merge(DEFAULTS, release.values)
    namespaces = filter(None, value_at(values, "spark.jobNamespaces") or [])
    return [thing for name in namespaces for thing in _in_namespace(release, values, name)]


def definitions() -> list[Object]:
    """The custom resources that the chart brings along."""
    files = sorted((tools.files("spark-operator") / "crds").glob("*.yaml"))
    return [yaml.load(file.read_text(), Loader=yaml.CSafeLoader) for file in files]


def _in_namespace(release: Release, values: Values, namespace: str) -> list[Object]:
    name, group = account_name(release, values), "rbac.authorization.k8s.io"
    account = value_at(values, "spark.serviceAccount") or {}
    objects: list[Object] = []
    if account.get("create"):
        objects.append(
            {
                "apiVersion": "v1",
                "kind": "ServiceAccount",
                "metadata": _metadata(release, values, name, namespace, account.get("annotations")),
                "automountServiceAccountToken": account.get("automountServiceAccountToken"),
            }
        )
    if value_at(values, "spark.rbac.create"):
        annotations = value_at(values, "spark.rbac.annotations")
        metadata = _metadata(release, values, name, namespace, annotations)
        resources = ["pods", "configmaps", "persistentvolumeclaims", "services"]
        objects += [
            {
                "apiVersion": f"{group}/v1",
                "kind": "Role",
                "metadata": metadata,
                "rules": [{"apiGroups": [""], "resources": resources, "verbs": VERBS}],
            },
            {
                "apiVersion": f"{group}/v1",
                "kind": "RoleBinding",
                "metadata": metadata,
                "subjects": [{"kind": "ServiceAccount", "name": name, "namespace": namespace}],
                "roleRef": {"apiGroup": group, "kind": "Role", "name": name},
            },
        ]
    return objects


def account_name(release: Release, values: Values) -> str:
    """Name of the applications' service account, its Role and its RoleBinding."""
    name: str | None = value_at(values, "spark.serviceAccount.name")
    if not value_at(values, "spark.serviceAccount.create"):
        return name or "default"
    return name or f"{_full_name(release, values)}-spark"


def _full_name(release: Release, values: Values) -> str:
    if full := values.get("fullnameOverride"):
        return str(full)[:63].rstrip("-")
    name = values.get("nameOverride") or release.chart_name
    return (release.name if name in release.name else f"{release.name}-{name}")[:63].rstrip("-")


def _metadata(
    release: Release, values: Values, name: str, namespace: str, annotations: Values | None
) -> Object:
    return {
        "name": name,
        "namespace": namespace,
        "labels": {**release.labels, **(values.get("commonLabels") or {})},
        "annotations": {**release.annotations, **(annotations or {})},
    }


def _flag_value(value: Any) -> str:
    """A value as the chart writes it into a flag."""
    match value:
        case bool():
            return str(value).lower()
        case [{"name": _, "enabled": _}, *_]:
            return ",".join(f"{gate['name']}={_flag_value(gate['enabled'])}" for gate in value)
        case [str(), *_]:
            # An empty name among them means every namespace.
            return "" if "" in value else ",".join(value)
        case dict() | list():
            return json.dumps(value)
        case _:
            return str(value)
