"""The Spark Operator: makes drivers of SparkApplications."""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as k8s

from moka.catalog import Catalog, Values
from moka.components.kubernetes.chart import Chart, ChartArgs
from moka.jobs.conf import IVY_FOLDER
from moka.names import SPARK_ACCOUNT
from moka.sizes.spark_operator import JVM_FLAGS, REPLICAS, OperatorSize, operator_size

CHART = "spark-operator"
"""Name of the chart, of its file of values, and of the first release."""

HADOOP_FOLDER = "/etc/spark-submit/hadoop"
"""Folder of the controller's pod with the Hadoop configuration of spark-submit."""

CORE_SITE = """\
<?xml version="1.0"?>
<!-- Of spark-submit in the operator only: no driver gets it. -->
<configuration>
  <property>
    <name>fs.s3a.impl</name>
    <value>org.apache.hadoop.fs.http.HttpsFileSystem</value>
  </property>
</configuration>
"""
"""Hadoop configuration by which spark-submit hands URLs of S3 on as they are, to the driver, which reads
them.

It looks for each jar, file and archive of a job (Spark 4.0: DependencyUtils.resolveGlobPaths), for which it
would need S3A, and an identity that may read the code of all tenants. Hadoop's own file system for https,
which is in every Spark, asks nobody and says of each path that it is a file.
"""


SUBMIT_HOME = "/etc/spark-submit/home"
"""What the controller takes for Spark: `bin/spark-submit` there is ours."""

IMAGE_SPARK = "/opt/spark"
"""Spark in the operator's image (kubeflow/spark-operator v2.5.2: Dockerfile, SPARK_IMAGE)."""

SUBMIT_SECONDS = 600
"""That a submission may take; most take ten, all CPU, and for each core there are several at a time."""

DRIVER_SECONDS = SUBMIT_SECONDS + 60
"""From the start of a submission until the operator has to have seen its driver; its cache may lag behind.

It counts from the start (kubeflow/spark-operator v2.5.2: controller.go, updateDriverState), so that of less a
slow spark-submit leaves nothing: with 60 s, on two cores at a load of 33, 9 of 200 applications failed as
"driver pod not found" 62 to 86 s after that, and their drivers, which were there, went with them.
"""

SUBMIT_SCRIPT = f"""\
#!/bin/bash
# The operator waits for it without a limit, and one that hangs would keep one of its workers for ever.
export SPARK_HOME="$SUBMIT_SPARK"
timeout --kill-after=10 {SUBMIT_SECONDS} "$SPARK_HOME/bin/spark-submit" "$@"
status=$?
case $status in
  124) echo "spark-submit took more than {SUBMIT_SECONDS} s" >&2 ;;
  137) echo "spark-submit was killed, for want of memory or after {SUBMIT_SECONDS} s" >&2 ;;
esac
exit $status
"""
"""In place of spark-submit, which runs without a limit, seen by no probe (kubeflow/spark-operator v2.5.2:
submission.go, runSparkSubmit). What it says last is in the application's message."""

SUBMISSION_FILES = {"core-site.xml": CORE_SITE, "spark-submit": SUBMIT_SCRIPT}
"""Of the ConfigMap of a release."""


@dataclass(frozen=True, kw_only=True)
class SparkOperatorArgs:
    """What differs between clusters, and between the releases on one.

    namespace: of the operator.
    job_namespaces: those whose applications it runs; they must exist, and no other release may have them.
    release: name of the release, with the chart's in it, so that all that it makes is named after it.
    applications_per_minute: that it can submit.
    owns_crds: it brings the definitions of SparkApplications up to date before its controller; one release on
        a cluster does, and others come after it.
    catalog: pins, values and mirror of charts and images.
    """

    catalog: Catalog
    namespace: pulumi.Input[str]
    job_namespaces: Sequence[pulumi.Input[str]]
    release: str = CHART
    applications_per_minute: int = 20
    owns_crds: bool = True


class SparkOperator(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:SparkOperator`.

    Makes: ConfigMap `<release>-hadoop` for spark-submit; a Chart, which brings the CRDs of SparkApplications.
    Outputs: `namespace`, known only once applications can be submitted.
    """

    namespace: pulumi.Output[str]

    def __init__(
        self, name: str, args: SparkOperatorArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("moka:kubernetes:SparkOperator", name, {}, opts)

        hadoop = k8s.core.v1.ConfigMap(
            name,
            metadata=k8s.meta.v1.ObjectMetaArgs(
                name=hadoop_config_map(args.release), namespace=args.namespace
            ),
            data=SUBMISSION_FILES,
            opts=pulumi.ResourceOptions(parent=self),
        )
        chart = Chart(
            name,
            ChartArgs(
                catalog=args.catalog,
                chart=CHART,
                release=args.release,
                values_file=CHART,
                namespace=args.namespace,
                values=release_values(args),
            ),
            # Without it no pod starts.
            pulumi.ResourceOptions(parent=self, depends_on=[hadoop]),
        )
        self.namespace = chart.namespace
        self.register_outputs({"namespace": self.namespace})


def release_name(name: str) -> str:
    """Name of a release of the settings, with the chart's name, which the chart would append otherwise."""
    return name if name == CHART else f"{CHART}-{name}"


def hadoop_config_map(release: str) -> str:
    """Name of the ConfigMap of a release's spark-submit; the name is of when it had no more than that."""
    return f"{release}-hadoop"


def release_values(args: SparkOperatorArgs) -> Values:
    """Values of a release that its file does not have."""
    return {
        "hook": {"upgradeCrd": args.owns_crds},
        "spark": {
            "jobNamespaces": list(args.job_namespaces),
            "serviceAccount": {"name": SPARK_ACCOUNT},
        },
        "controller": {
            "driverPodCreationGracePeriod": f"{DRIVER_SECONDS}s",
            **size_values(operator_size(args.applications_per_minute)),
            **submission_values(args.release),
        },
    }


def size_values(size: OperatorSize) -> Values:
    """Values of the controller that its size decides."""
    memory = f"{size.memory_mib}Mi"
    return {
        "replicas": REPLICAS,
        "workers": size.workers,
        "kubeAPIQPS": size.calls,
        "kubeAPIBurst": size.calls_burst,
        "workqueueRateLimiter": {"bucketQPS": size.events, "bucketSize": size.events_burst},
        # No limit of CPU: what its node has left makes a burst pass sooner.
        "resources": {
            "requests": {"cpu": f"{size.millicores}m", "memory": memory},
            "limits": {"memory": memory},
        },
    }


def submission_values(release: str) -> Values:
    """Values of the controller for the spark-submit that it runs; its own volume `tmp` is among them."""
    return {
        "env": [
            {"name": "SPARK_SUBMIT_OPTS", "value": JVM_FLAGS},
            # On the class path, and nothing else: what HADOOP_CONF_DIR names, drivers would get too.
            {"name": "SPARK_DIST_CLASSPATH", "value": HADOOP_FOLDER},
            {"name": "SPARK_HOME", "value": SUBMIT_HOME},
            {"name": "SUBMIT_SPARK", "value": IMAGE_SPARK},
        ],
        "volumes": [
            {"name": "tmp", "emptyDir": {"sizeLimit": "1Gi"}},
            # Packages of jobs, apart from the folder that every submission writes to; the disk is read-only.
            {"name": "ivy", "emptyDir": {"sizeLimit": "10Gi"}},
            {
                "name": "hadoop",
                "configMap": {
                    "name": hadoop_config_map(release),
                    "items": [{"key": "core-site.xml", "path": "core-site.xml"}],
                },
            },
            {
                "name": "submit",
                "configMap": {
                    "name": hadoop_config_map(release),
                    "items": [{"key": "spark-submit", "path": "bin/spark-submit"}],
                    "defaultMode": 0o555,
                },
            },
        ],
        "volumeMounts": [
            {"name": "tmp", "mountPath": "/tmp"},
            {"name": "ivy", "mountPath": IVY_FOLDER},
            {"name": "hadoop", "mountPath": HADOOP_FOLDER, "readOnly": True},
            {"name": "submit", "mountPath": SUBMIT_HOME, "readOnly": True},
        ],
    }
