"""Spark configuration of a job, a table for each subject. Keys that no job may set are in reserved.py."""

from collections.abc import Mapping
from math import ceil
from types import MappingProxyType

from moka.jobs.job import Job
from moka.jobs.job_target import Celeborn, JobTarget, Metastore
from moka.jobs.shuffle import on_celeborn
from moka.jobs.versions import RELEASES
from moka.machines.machine_capacity import JobRole
from moka.names import EVENT_LOG_FOLDER
from moka.pages import UI_PORT
from moka.quantities import spark_mebibytes

DRIVER_PORT = 7078
BLOCK_MANAGER_PORT = 7079
LIFECYCLE_MANAGER_PORT = 7080
"""Ports of drivers (that of blocks also of executors), fixed, so that network policies can name them.
Celeborn's LifecycleManager is in the driver: each executor asks it where shuffle data goes."""

IVY_FOLDER = "/tmp/.ivy2"
"""Where Maven packages are kept, in the operator's pod and in drivers': neither may write to a home."""

GLUE_CATALOG = "glue"
"""Name in Spark SQL of the catalog whose tables AWS Glue knows."""

GRACE_SECONDS: Mapping[JobRole, int] = {
    # To close its event log, and then for the sidecar to upload the rest: 45 s of it, at most.
    "driver": 90,
    # To move its blocks away: what a spot machine has left (nodes: 150).
    "executor": 120,
}
"""Time that pods have to stop."""

NETWORK: Mapping[str, str] = {
    "spark.driver.port": str(DRIVER_PORT),
    "spark.driver.blockManager.port": str(BLOCK_MANAGER_PORT),
    "spark.blockManager.port": str(BLOCK_MANAGER_PORT),
    "spark.ui.port": str(UI_PORT),
}

UI: Mapping[str, str] = {
    # Who may stop a job, Kubernetes decides; 3.5 would take it from a link.
    "spark.ui.killEnabled": "false",
}

API_SERVER_TIMEOUTS: Mapping[str, str] = {
    # Milliseconds that a submission and a driver wait for a busy API server; Spark's own 10 s are too few.
    f"spark.kubernetes.{client}.{kind}Timeout": "60000"
    for client in ("submission", "driver")
    for kind in ("connection", "request")
}

METRICS: Mapping[str, str] = {
    # Executors' at /metrics/executors/prometheus and the driver's own at /metrics/prometheus, both of its UI.
    "spark.ui.prometheus.enabled": "true",
    "spark.metrics.conf.*.sink.prometheusServlet.class": "org.apache.spark.metrics.sink.PrometheusServlet",
    "spark.metrics.conf.*.sink.prometheusServlet.path": "/metrics/prometheus",
    "spark.metrics.conf.*.source.jvm.class": "org.apache.spark.metrics.source.JvmSource",
    # The servlet makes it a part of each metric's name: by application, no query could name them.
    "spark.metrics.namespace": "spark",
    "spark.metrics.appStatusSource.enabled": "true",
}

COMMITTERS: Mapping[str, str] = {
    # A rename in S3 is a copy, and not atomic. Needs spark-hadoop-cloud in the image.
    "spark.hadoop.mapreduce.outputcommitter.factory.scheme.s3a": (
        "org.apache.hadoop.fs.s3a.commit.S3ACommitterFactory"
    ),
    "spark.hadoop.fs.s3a.committer.name": "magic",
    "spark.hadoop.fs.s3a.committer.magic.enabled": "true",
    "spark.sql.sources.commitProtocolClass": "org.apache.spark.internal.io.cloud.PathOutputCommitProtocol",
    "spark.sql.parquet.output.committer.class": (
        "org.apache.spark.internal.io.cloud.BindingParquetOutputCommitter"
    ),
}

DECOMMISSIONING: Mapping[str, str] = {
    # Spark adds a preStop to executors that starts it.
    "spark.decommission.enabled": "true",
    "spark.storage.decommission.enabled": "true",
    "spark.storage.decommission.rddBlocks.enabled": "true",
    # Spark 4 has its own default of 30 and puts it over the pod template's.
    "spark.kubernetes.executor.terminationGracePeriodSeconds": f"{GRACE_SECONDS['executor']}s",
}

FAILURES: Mapping[str, str] = {
    # Or Spark 4 ends a job of days at as many failed executors as two for each that it may have, or three.
    "spark.executor.failuresValidityInterval": "1h",
}

SMALL_BATCHES = 500
"""Executors at the start, up to which Spark's own batches of ten a second (five in 3.5) are enough."""

CELEBORN: Mapping[str, str] = {
    "spark.shuffle.manager": "org.apache.spark.shuffle.celeborn.SparkShuffleManager",
    # With it Spark takes shuffle data as kept when an executor goes (Spark 3.5 and later).
    "spark.shuffle.sort.io.plugin.class": "org.apache.spark.shuffle.celeborn.CelebornShuffleDataIO",
    # Java's serializer cannot relocate records.
    "spark.serializer": "org.apache.spark.serializer.KryoSerializer",
    "spark.shuffle.service.enabled": "false",
    "spark.dynamicAllocation.shuffleTracking.enabled": "false",
    # It reads shuffle files of the executor's own disk, where there are none.
    "spark.sql.adaptive.localShuffleReader.enabled": "false",
    "spark.storage.decommission.shuffleBlocks.enabled": "false",
    # awslabs/data-on-eks: for many partitions, and for workers that restart.
    "spark.celeborn.client.spark.shuffle.writer": "sort",
    # Any port that is free, without this (apache/celeborn: docs/configuration/client.md).
    "spark.celeborn.client.shuffle.manager.port": str(LIFECYCLE_MANAGER_PORT),
    "spark.celeborn.client.fetch.maxRetriesForEachReplica": "5",
    "spark.celeborn.data.io.retryWait": "15s",
}
"""Celeborn's client reads it (tests/soak/test_celeborn_client.py); what a server makes of it, nobody ran."""


def configuration(job: Job, target: JobTarget) -> dict[str, str]:
    """Spark configuration of a job, except what the operator derives from the fields of the application."""
    platform = {
        **NETWORK,
        **UI,
        **API_SERVER_TIMEOUTS,
        **METRICS,
        **event_logs(),
        **s3a(job, target),
        **tables(target.metastores.get(job.namespace), target.bucket_regions),
        **DECOMMISSIONING,
        **FAILURES,
        **(
            celeborn_shuffle(job, target.celeborn)
            if target.celeborn and on_celeborn(job, target)
            else executor_shuffle(job, target)
        ),
        **_executors(job),
    }
    if job.spark_version != "3.5":
        # Why a driver failed, on its pod.
        platform["spark.kubernetes.driver.annotateExitException"] = "true"
    if job.dependencies.packages:
        platform["spark.jars.ivy"] = IVY_FOLDER
    if job.python:
        platform |= {"spark.pyspark.python": job.python, "spark.pyspark.driver.python": job.python}
    return {**platform, **{key: _text(value) for key, value in job.conf.items()}}


def event_logs() -> dict[str, str]:
    """The event log goes to a volume, from which a sidecar uploads it: S3 shows a file once it is closed, so
    that of a killed driver the last one would be lost. In the smallest files that Spark rolls, as one that
    has grown is sent anew.
    """
    return {
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": f"file://{EVENT_LOG_FOLDER}",
        # What Spark keeps to itself before it writes is lost with it: 8 KiB in place of 100.
        "spark.eventLog.buffer.kb": "8k",
        "spark.eventLog.rolling.enabled": "true",
        "spark.eventLog.rolling.maxFileSize": "10m",
        "spark.eventLog.compress": "true",
        "spark.eventLog.compression.codec": "zstd",
        # Peaks of memory, from which sizes can be chosen later.
        "spark.eventLog.logStageExecutorMetrics": "true",
    }


def s3a(job: Job, target: JobTarget) -> dict[str, str]:
    """Access to S3: region, credentials of Pod Identity only, committers."""
    return {
        "spark.hadoop.fs.s3a.endpoint.region": target.region,
        "spark.hadoop.fs.s3a.aws.credentials.provider": RELEASES[job.spark_version].credentials,
        # Hadoop 3.3 asks a bucket's endpoint in the region that it is told, and is refused by one elsewhere.
        **{
            f"spark.hadoop.fs.s3a.bucket.{bucket}.endpoint.region": region
            for bucket, region in target.bucket_regions.items()
            if region != target.region
        },
        # Hadoop 3.4's own; 3.3 deletes what marks a folder with each file that it puts there.
        "spark.hadoop.fs.s3a.directory.marker.retention": "keep",
        **COMMITTERS,
    }


def tables(
    metastore: Metastore | None, bucket_regions: Mapping[str, str] = MappingProxyType({})
) -> dict[str, str]:
    """Where a job finds out which tables there are.

    bucket_regions: of the buckets that hold their data.
    """
    if metastore is None:
        return {}
    if metastore.thrift:
        return {
            "spark.sql.catalogImplementation": "hive",
            "spark.hadoop.hive.metastore.uris": ",".join(metastore.thrift),
            "spark.sql.warehouse.dir": metastore.warehouse,
        }
    catalog = f"spark.sql.catalog.{GLUE_CATALOG}"
    elsewhere = set(bucket_regions.values()) - {metastore.glue_region}
    return {
        # https://iceberg.apache.org/docs/latest/aws/#glue-catalog
        "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        "spark.sql.defaultCatalog": GLUE_CATALOG,
        catalog: "org.apache.iceberg.spark.SparkCatalog",
        f"{catalog}.type": "glue",
        f"{catalog}.io-impl": "org.apache.iceberg.aws.s3.S3FileIO",
        f"{catalog}.warehouse": metastore.warehouse,
        f"{catalog}.glue.id": metastore.glue_account,
        f"{catalog}.client.region": metastore.glue_region,
        # Its client of S3 is in Glue's region, and refused by buckets elsewhere; since 1.7 it may ask again
        # there (apache/iceberg#11259).
        **({f"{catalog}.s3.cross-region-access-enabled": "true"} if elsewhere else {}),
    }


def celeborn_shuffle(job: Job, celeborn: Celeborn) -> dict[str, str]:
    """Shuffle data on Celeborn, which outlives executors."""
    return {
        **CELEBORN,
        "spark.celeborn.master.endpoints": celeborn.endpoints,
        "spark.celeborn.client.push.replicate.enabled": _text(celeborn.replicate),
        "spark.celeborn.client.reserveSlots.rackaware.enabled": _text(celeborn.rack_aware),
        # Otherwise a shuffle would silently fall back to executors, which dynamic allocation removes.
        "spark.celeborn.client.spark.shuffle.fallback.policy": "NEVER" if job.executor.dynamic else "AUTO",
        # A tenant, who may have a quota, is an organization.
        "spark.celeborn.identity.user-specific.tenant": job.queue.split(".")[0],
        "spark.celeborn.identity.user-specific.userName": job.user or job.name,
    }


def executor_shuffle(job: Job, target: JobTarget) -> dict[str, str]:
    """Shuffle data on executors; a decommissioned one passes it on, or puts it into the staging folder."""
    fallback = target.staging.get(job.namespace)
    return {
        "spark.storage.decommission.shuffleBlocks.enabled": "true",
        **(
            {
                "spark.storage.decommission.fallbackStorage.path": f"{fallback}shuffle/",
                "spark.storage.decommission.fallbackStorage.cleanUp": "true",
            }
            if fallback
            else {}
        ),
    }


def _executors(job: Job) -> dict[str, str]:
    conf = {}
    if job.executor.at_start > SMALL_BATCHES:
        # In a minute, while their placeholders still wait for them: 15 minutes from the first one on.
        conf["spark.kubernetes.allocation.batch.size"] = str(ceil(job.executor.at_start / 60))
    if job.executor.dynamic:
        conf["spark.dynamicAllocation.executorIdleTimeout"] = f"{job.executor.dynamic.idle_seconds}s"
    if job.executor.gpus:
        conf |= gpus(job.executor.gpus, job.executor.cores)
    if job.executor.off_heap:
        conf["spark.memory.offHeap.enabled"] = "true"
        conf["spark.memory.offHeap.size"] = f"{spark_mebibytes(job.executor.off_heap)}m"
    return conf


def gpus(count: int, cores: int) -> dict[str, str]:
    """GPUs of an executor, shared out so that all of its cores have tasks.

    A task has one of several, or a share of one: Spark takes shares up to a half.
    """
    share = str(count // cores) if count >= cores else str(1 / ceil(cores / count))
    return {
        "spark.executor.resource.gpu.amount": str(count),
        # With it Spark asks Kubernetes for nvidia.com/gpu.
        "spark.executor.resource.gpu.vendor": "nvidia.com",
        # Of Spark's own images: it asks nvidia-smi, which NVIDIA's runtime puts into the container.
        "spark.executor.resource.gpu.discoveryScript": (
            "/opt/spark/examples/src/main/scripts/getGpusResources.sh"
        ),
        "spark.task.resource.gpu.amount": share,
    }


def _text(value: str | int | float | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
