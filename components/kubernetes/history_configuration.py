"""Configuration of the Spark History Server, a table for each subject."""

from collections.abc import Mapping

from moka.event_logs import ARCHIVE, HOT
from moka.names import HISTORY_PORT
from moka.sizes.history import HistorySize

BATCH = 20_000
"""Logs that one scan reads at most, the newest first: a list that is empty fills scan by scan, and the first
does not take hours."""

ROWS = 5_000
"""Rows of the list that a browser gets; others are found by their address."""

OPEN_APPLICATIONS = 200
"""UIs that are open at a time; the one that was used least makes room."""

LOGS_PATH = "/logs/{{CLUSTER}}/{{NAMESPACE}}/{{APP_ID}}/executor/{{POD_NAME}}"
"""Where the page of an executor leads to its logs, on the same host; of the attributes that its pod has."""

S3A: Mapping[str, str] = {
    # Only Pod Identity: not the node's permissions when it does not answer.
    "spark.hadoop.fs.s3a.aws.credentials.provider": (
        "software.amazon.awssdk.auth.credentials.ContainerCredentialsProvider"
    ),
    # A log that is replaced while it is read only grows: what was read is a beginning of the new one.
    "spark.hadoop.fs.s3a.change.detection.mode": "none",
    # Hadoop 3.5's own is for Parquet; logs are read from the first byte to the last.
    "spark.hadoop.fs.s3a.input.stream.type": "classic",
    "spark.hadoop.fs.s3a.experimental.input.fadvise": "sequential",
    "spark.hadoop.fs.s3a.paging.maximum": "1000",
    "spark.hadoop.fs.s3a.connection.maximum": "200",
    "spark.hadoop.fs.s3a.threads.max": "64",
}

LOADING: Mapping[str, str] = {
    # By its address a job opens without having been listed, from either folder.
    "spark.history.fs.eventLog.rolling.onDemandLoadEnabled": "true",
    "spark.history.fs.eventLog.onDemandLoadEnabled": "true",
    # What is too old is removed by the bucket.
    "spark.history.fs.cleaner.enabled": "false",
    "spark.history.fs.driverlog.cleaner.enabled": "false",
    "spark.history.fs.numCompactThreads": "1",
    "spark.history.fs.update.batchSize": str(BATCH),
    "spark.history.retainedApplications": str(OPEN_APPLICATIONS),
}

PAGES: Mapping[str, str] = {
    "spark.history.ui.port": str(HISTORY_PORT),
    "spark.history.ui.maxApplications": str(ROWS),
    # Redirects without scheme and host: those of the way in are not known here.
    "spark.ui.proxyRedirectUri": "/",
    "spark.history.custom.executor.log.url": LOGS_PATH,
    "spark.history.custom.executor.log.url.applyIncompleteApplication": "true",
}


def spark_defaults(
    *, bucket: str, region: str, store_folder: str, size: HistorySize, interval_seconds: int
) -> str:
    """The text of `spark-defaults.conf`.

    bucket, region: of the event logs. store_folder: of the replica's disk.
    interval_seconds: from the end of a scan to the next.

    All keys are of Spark 4.3's History Server: Spark takes what it does not know in silence.
    """
    settings: Mapping[str, str] = {
        **log_folders(bucket),
        "spark.history.fs.update.interval": f"{interval_seconds}s",
        "spark.history.fs.numReplayThreads": str(size.replay_threads),
        **LOADING,
        "spark.history.store.path": store_folder,
        "spark.history.store.maxDiskUsage": f"{size.disk_gib}g",
        "spark.history.store.serializer": "PROTOBUF",
        "spark.history.store.hybridStore.enabled": "true",
        "spark.history.store.hybridStore.maxMemoryUsage": f"{size.applications_gib}g",
        "spark.history.store.hybridStore.diskBackend": "ROCKSDB",
        **PAGES,
        "spark.hadoop.fs.s3a.endpoint.region": region,
        **S3A,
    }
    return "".join(f"{key} {value}\n" for key, value in settings.items())


def log_folders(bucket: str) -> dict[str, str]:
    """Both folders of logs; of the archive, a request for each of its folders, nothing is ever listed."""
    hot, archive = (f"s3a://{bucket}/{prefix}" for prefix in (HOT, ARCHIVE))
    return {
        "spark.history.fs.logDirectory": f"{hot},{archive}",
        "spark.history.fs.logDirectory.names": "Recent,Archive",
        # A regular expression, and no backslash, which this file takes as the start of another character.
        "spark.history.fs.update.scanDisabledPathPatterns": archive.replace(".", "[.]") + "?.*",
    }
