"""Drivers of real Spark with their sidecar, moto's S3, and real History Servers that read it."""

import re
import uuid
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import boto3
from moto.server import ThreadedMotoServer

from localcloud.loopback import free_port
from moka import event_logs
from moka.components.kubernetes.history_configuration import spark_defaults
from moka.jobs import conf
from moka.jobs.application import spark_application
from moka.jobs.job_target import EventLogUploader
from moka.names import EVENT_LOG_FOLDER
from moka.pages import UI_PORT
from moka.sizes.history import HistorySize
from tests.support.jobs import make_job, make_job_target
from tests.support.pod_identity_agent import PodIdentityAgent, pod_identity_agent
from tests.support.spark_processes import HistoryServer, RunningJob, compiled_job, history_server, running_job
from tests.support.spark_releases import spark_home
from tests.support.uploader_process import UploaderProcess, uploader_process

BUCKET, REGION = "event-logs", "us-east-1"
SECONDS = 5
BOUND = SECONDS + 5
"""Seconds after which what Spark has written is in S3, as docs/operations/event-logs.md says."""

TARGET = make_job_target(
    event_log_uploader=EventLogUploader(image="uploader:1", bucket=BUCKET, region=REGION, seconds=SECONDS)
)
NOT_HERE = re.compile(
    r"spark\.kubernetes\.|spark\.(driver|blockManager|driver\.blockManager|ui)\.port"
    # The job reads and writes nothing but its log: S3A is not among Spark's own jars.
    r"|spark\.hadoop\.|spark\.sql\.(sources\.commitProtocolClass|parquet\.output\.committer)"
)
TWO_STAGES = {0: ("COMPLETE", 4), 1: ("COMPLETE", 4)}
"""What a server shows of the first two stages of the job."""


class Moto:
    """moto's S3, which can be away for a while and keeps what it has."""

    def __init__(self) -> None:
        self.port = free_port()
        self.endpoint = f"http://127.0.0.1:{self.port}"
        self.start()
        keys = {"aws_access_key_id": "test", "aws_secret_access_key": "test"}
        s3 = boto3.resource("s3", endpoint_url=self.endpoint, region_name=REGION, **keys)
        self.bucket = s3.create_bucket(Bucket=BUCKET)
        self.bucket.Versioning().enable()
        # Hadoop takes a bucket's prefix for a folder once something is there.
        for prefix in (event_logs.ARCHIVE, event_logs.HOT):
            self.bucket.put_object(Key=prefix)

    def start(self) -> None:
        """Answer."""
        self._server = ThreadedMotoServer("127.0.0.1", port=self.port)
        self._server.start()

    def stop(self) -> None:
        """Answer no more."""
        self._server.stop()

    def objects(self) -> set[str]:
        """Keys of all objects."""
        return {item.key for item in self.bucket.objects.all()}


class Driver:
    """A driver's pod: a volume, the job as its container and the uploader as its sidecar."""

    def __init__(self, pods: "Pods", folder: Path, release: str | None) -> None:
        self.volume = folder / "volume"
        self.volume.mkdir(parents=True)
        self._pods, self._folder, self._home = pods, folder, spark_home(release)

    @property
    def log(self) -> str:
        """The log that is on the volume: Spark 3.5 names it as it likes, where there is no Kubernetes."""
        [folder] = self.volume.iterdir()
        log = event_logs.log_of(folder.name)
        assert log is not None, folder
        return log

    def uploaded(self) -> bool:
        """Whether S3 has all that Spark has written."""
        files = list(self.volume.glob("*/events_*"))
        keys = {event_logs.archive_key(self.log, file.name): file for file in files}
        bucket = self._pods.moto.bucket
        return (
            bool(files)
            and self._pods.moto.objects() >= keys.keys()
            and all(
                bucket.Object(key).get()["Body"].read() == file.read_bytes() for key, file in keys.items()
            )
        )

    def uploader(self) -> AbstractContextManager[UploaderProcess]:
        """The sidecar, as it is rendered, started anew."""
        rendered = spark_application(make_job(), TARGET)["spec"]["driver"]["template"]["spec"]
        [sidecar] = rendered["initContainers"]
        arguments = [argument.replace(EVENT_LOG_FOLDER, str(self.volume)) for argument in sidecar["args"]]
        return uploader_process(
            arguments,
            self._pods.agent,
            self._pods.moto.endpoint,
            free_port(),
            self._folder / "uploader.log",
        )

    def job(self, tasks: int | None = None, *, hangs: bool = False) -> AbstractContextManager[RunningJob]:
        """The job, with the configuration that a job file gives.

        tasks: of its third stage that end; None: it has none. hangs: that stage has one more, which does not.
        """
        third_stage = ["none"] if tasks is None else [str(tasks), "hang" if hangs else "end"]
        log = f"spark-{uuid.uuid4().hex}"
        configuration = {**self._configuration(), "spark.ui.port": "0"}
        return running_job(self._home, self._pods.jar, self._folder / "job", log, configuration, third_stage)

    def ui_job(self, log: str, address: str) -> AbstractContextManager[RunningJob]:
        """A job with much to see in its UI, which is at an address. log: id of its application."""
        folder = self._folder / "job"
        jar = compiled_job(folder / "jar", "UiJob")
        configuration = {
            **self._configuration(),
            "spark.ui.port": str(UI_PORT),
            "spark.sql.shuffle.partitions": "2",
        }
        return running_job(self._home, jar, folder, log, configuration, main_class="UiJob", address=address)

    def _configuration(self) -> dict[str, str]:
        return {
            key: value.replace(EVENT_LOG_FOLDER, str(self.volume))
            for key, value in conf.configuration(make_job(), TARGET).items()
            if not NOT_HERE.match(key)
        }


@dataclass
class Pods:
    """What drivers have in common. folder: for what they and servers leave."""

    folder: Path
    moto: Moto
    agent: PodIdentityAgent
    jar: Path

    def driver(self, release: str | None = None) -> Driver:
        """A new driver, of the Spark that the laptop runs or of another release."""
        return Driver(self, self.folder / f"driver-{uuid.uuid4().hex[:8]}", release)

    @contextmanager
    def server(self) -> Iterator[HistoryServer]:
        """A server of these logs, with the configuration of the component."""
        folder = self.folder / f"server-{uuid.uuid4().hex[:8]}"
        text = spark_defaults(
            bucket=BUCKET,
            region=REGION,
            store_folder=str(folder / "store"),
            size=HistorySize(cpu="1", heap_gib=1, store_gib=4),
            interval_seconds=1,
        )
        here = {
            "spark.history.store.hybridStore.maxMemoryUsage": "128m",
            "spark.hadoop.fs.s3a.endpoint": self.moto.endpoint,
            "spark.hadoop.fs.s3a.path.style.access": "true",
            "spark.hadoop.fs.s3a.connection.ssl.enabled": "false",
        }
        defaults = {**dict(line.split(" ", 1) for line in text.splitlines()), **here}
        with history_server(folder, defaults, self.agent.environment) as server:
            yield server


@contextmanager
def event_log_pods(folder: Path) -> Iterator[Pods]:
    """Moto, an agent for credentials and a compiled job, which end with it."""
    with ExitStack() as stack:
        moto = Moto()
        stack.callback(moto.stop)
        agent = stack.enter_context(pod_identity_agent(folder / "token"))
        yield Pods(folder, moto, agent, compiled_job(folder / "jar"))


def shows_both_stages(server: HistoryServer, log: str) -> bool:
    """Whether a server shows the first two stages with all their tasks."""
    return server.stages(log).items() >= TWO_STAGES.items()
